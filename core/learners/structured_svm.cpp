#include "structured_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../random.hpp"
#include "../structures/difference.hpp"
#include "../structures/packed.hpp"

namespace linnet {
namespace {

constexpr int kRevisits = 4;        // after each round
constexpr double kNothing = 1e-12;  // a share of gold below this is rounding

struct Change {
  std::int64_t token;  // within the sentence
  std::int32_t label;
  bool operator==(const Change&) const = default;
};

// A labelling by where it differs from gold, and its probability.
struct Labelling {
  double share;
  std::vector<Change> changes;
};

// The scores of one sentence with the cost added, and its best labelling.
struct Augmented {
  std::vector<double> scores;
  std::vector<std::int32_t> guess;
  chain::Decoder decoder;

  // Returns the loss: how far the guess and its cost are above gold.
  double decode(const ChainProblem& problem, const chain::Packed& packed, const double* w,
                std::int64_t s, std::int64_t beam) {
    const std::int64_t n = problem.sentences.length(s), begin = problem.sentences.start[s];
    const std::int32_t* const gold = problem.gold + begin;
    const std::int64_t room = n * problem.labels + chain::Packed::kRoom;
    scores.resize(std::max(scores.size(), static_cast<std::size_t>(room)));
    guess.resize(static_cast<std::size_t>(n));
    packed.score(w, begin, begin + n, scores.data());
    chain::augment(scores.data(), n, problem.labels, gold, 1.0);
    const chain::Potentials p = packed.potentials(w);
    if (beam > 0) {
      decoder.beam(scores.data(), n, p, beam, guess.data());
    } else {
      decoder.best(scores.data(), n, p, guess.data());
    }
    return chain::score(scores.data(), n, p, guess.data()) -
           chain::score(scores.data(), n, p, gold);
  }
};

class FrankWolfe {
 public:
  FrankWolfe(const ChainProblem& problem, std::int64_t beam, ThreadPool& pool)
      : problem_(problem),
        beam_(beam),
        pool_(pool),
        packed_(*problem.packed),
        plain_(static_cast<std::size_t>(problem.weights()), 0.0),
        w_(packed_.empty()),
        difference_(packed_),
        kept_(static_cast<std::size_t>(problem.sentences.sentences)),
        wrong_(kept_.size(), 0.0) {
    packed_.pack(plain_.data(), w_.data());
  }

  // The current weights.
  const std::vector<double>& weights() {
    packed_.unpack(w_.data(), plain_.data());
    return plain_;
  }

  double penalty() {
    double sum = 0.0;
    for (const double v : weights()) sum += v * v;
    return 0.5 * sum;
  }

  double dual() {
    double sum = 0.0;
    for (std::size_t s = 0; s < wrong_.size(); ++s) sum += problem_.cost[s] * wrong_[s];
    return sum - penalty();
  }

  double primal() {
    return penalty() +
           pool_.sum(problem_.sentences.sentences, 32, [&](std::int64_t first, std::int64_t last) {
             thread_local Augmented sentence;
             double sum = 0.0;
             for (std::int64_t s = first; s < last; ++s) {
               pool_.checkpoint();
               const double loss = sentence.decode(problem_, packed_, w_.data(), s, 0);
               sum += problem_.cost[s] * std::max(0.0, loss);
             }
             return sum;
           });
  }

  // Decodes a sentence and moves probability to the best labelling there is.
  void meet(std::int64_t s) {
    const std::int64_t n = problem_.sentences.length(s);
    if (problem_.cost[s] == 0.0 || n == 0) return;
    const std::int32_t* const gold = problem_.gold + problem_.sentences.start[s];
    const double best = found_.decode(problem_, packed_, w_.data(), s, beam_);
    const Place guess{place_of_guess(s, n, gold), best};
    move(s, guess, ends_of(s).second);
    std::vector<Labelling>& kept = kept_[s];
    if (kept.size() > kMostKept) {
      std::erase_if(kept, [](const Labelling& one) { return one.share == 0.0; });
    }
  }

  // The same among the labellings already met, which takes no decoding.
  void revisit(std::int64_t s) {
    if (kept_[s].empty()) return;
    const auto [best, worst] = ends_of(s);
    move(s, best, worst);
  }

 private:
  static constexpr std::size_t kGold = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostKept = 10;

  struct Place {
    std::size_t at;  // in the list of the sentence, or kGold
    double value;    // score plus cost, above gold
  };

  void put(std::int64_t s, std::size_t at) {
    const std::int64_t begin = problem_.sentences.start[s];
    labels_.assign(problem_.gold + begin, problem_.gold + problem_.sentences.start[s + 1]);
    if (at == kGold) return;
    for (const Change& c : kept_[s][at].changes) labels_[c.token] = c.label;
  }

  double wrong(std::int64_t s, std::size_t at) const {
    return at == kGold ? 0.0 : static_cast<double>(kept_[s][at].changes.size());
  }

  // The best labelling met so far, and the worst of those with some probability.
  std::pair<Place, Place> ends_of(std::int64_t s) {
    const std::vector<Labelling>& kept = kept_[s];
    Place best{kGold, 0.0}, worst{kGold, std::numeric_limits<double>::infinity()};
    double left = 1.0;  // gold has what the others leave
    for (std::size_t k = 0; k < kept.size(); ++k) {
      left -= kept[k].share;
      put(s, k);
      double value = wrong(s, k);
      chain::for_each_change(problem_, packed_, w_.data(), s, labels_.data(),
                             [&](std::int64_t i, double v) { value -= w_[i] * v; });
      if (value > best.value) best = {k, value};
      if (kept[k].share > 0.0 && value < worst.value) worst = {k, value};
    }
    if (left > kNothing && 0.0 < worst.value) worst = {kGold, 0.0};
    return {best, worst};
  }

  double share(std::int64_t s, std::size_t at) const {
    if (at != kGold) return kept_[s][at].share;
    double left = 1.0;
    for (const Labelling& one : kept_[s]) left -= one.share;
    return left;
  }

  void move(std::int64_t s, Place to, Place from) {
    const double gain = to.value - from.value;
    if (to.at == from.at || !(gain > 1e-13 * (1.0 + std::abs(to.value)))) return;
    put(s, to.at);
    difference_.add(problem_, packed_, w_.data(), s, labels_.data(), 1.0);
    put(s, from.at);
    difference_.add(problem_, packed_, w_.data(), s, labels_.data(), -1.0);
    const double cost = problem_.cost[s], most = share(s, from.at);
    const double length = difference_.squared_length() * cost;
    const double step = gain < length * most ? gain / length : most;
    difference_.add_to(step * cost, w_.data());
    difference_.clear();
    wrong_[s] += step * (wrong(s, to.at) - wrong(s, from.at));
    if (to.at != kGold) kept_[s][to.at].share += step;
    if (from.at != kGold) kept_[s][from.at].share -= step;
  }

  // Where the guess is in the list of its sentence, put there if need be.
  std::size_t place_of_guess(std::int64_t s, std::int64_t n, const std::int32_t* gold) {
    std::vector<Change> changes;
    for (std::int64_t t = 0; t < n; ++t) {
      if (found_.guess[t] != gold[t]) changes.push_back({t, found_.guess[t]});
    }
    if (changes.empty()) return kGold;
    std::vector<Labelling>& kept = kept_[s];
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k].changes == changes) return k;
    }
    kept.push_back({0.0, std::move(changes)});
    return kept.size() - 1;
  }

  const ChainProblem problem_;
  const std::int64_t beam_;
  ThreadPool& pool_;
  const chain::Packed& packed_;
  std::vector<double> plain_;  // weights as a CRF has them
  chain::Buffer w_;            // packed
  chain::Difference difference_;
  std::vector<std::vector<Labelling>> kept_;  // [sentences]
  std::vector<double> wrong_;                 // [sentences] mean number of wrong labels
  Augmented found_;
  std::vector<std::int32_t> labels_;
};

}  // namespace

void structured_svm(const ChainProblem& problem, const StructuredSvmOptions& how, double* w,
                    ThreadPool& pool) {
  const std::int64_t sentences = problem.sentences.sentences;
  FrankWolfe solver(problem, how.beam, pool);
  std::vector<std::int64_t> order(static_cast<std::size_t>(sentences));
  for (std::int64_t s = 0; s < sentences; ++s) order[s] = s;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t round = 0; round < how.max_iterations; ++round) {
    if (how.shuffle) {
      permutation(order.data(), sentences, how.seed, static_cast<std::uint64_t>(round));
    }
    for (const std::int64_t s : order) {
      pool.checkpoint();
      solver.meet(s);
    }
    for (int again = 0; again < kRevisits; ++again) {
      for (const std::int64_t s : order) solver.revisit(s);
      pool.checkpoint();
    }
    const double objective = solver.primal();
    if (objective < least) {
      least = objective;
      std::copy(solver.weights().begin(), solver.weights().end(), w);
    }
    const double gap = std::max(0.0, least - solver.dual());
    if (!pool.progress().record({round + 1, objective, gap, 0.0, 0.0})) return;
    if (gap <= how.tolerance * least) return;
  }
}

}  // namespace linnet
