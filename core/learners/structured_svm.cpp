#include "structured_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../random.hpp"
#include "../structures/difference.hpp"
#include "../structures/packed.hpp"
#include "../structures/stretch.hpp"

namespace linnet {
namespace {

constexpr double kNothing = 1e-12;        // room or value below this is rounding
constexpr std::int64_t kSweeps = 2;       // over the working set in the first pass, 4 in the next
constexpr std::int64_t kMostSweeps = 50;  // in a pass
constexpr double kWorthwhile = 1e-5;      // a sweep must gain this share of what is tolerated
constexpr std::int64_t kIdlePasses = 10;  // that a stretch without a share stays
constexpr std::int64_t kSentences = 32;   // a thread decodes at a time

struct Member {
  chain::Stretch stretch;
  double share = 0.0;
  double length = 0.0;    // |Delta|^2
  bool asleep = false;    // until the next pass: it has no share and asks for none
  std::int64_t idle = 0;  // passes it slept through
};

// The scores of one sentence with the cost added, and its best labelling.
struct Augmented {
  std::vector<double> scores;
  chain::Decoder decoder;

  // Returns the loss: how far the guess and its cost are above gold.
  double decode(const ChainProblem& problem, const double* w, const chain::Potentials& p,
                std::int64_t s, std::int32_t* guess) {
    const std::int64_t n = problem.sentences.length(s), begin = problem.sentences.start[s];
    const std::int32_t* const gold = problem.gold + begin;
    const std::int64_t room = n * problem.labels + chain::Packed::kRoom;
    scores.resize(std::max(scores.size(), static_cast<std::size_t>(room)));
    problem.packed->score(w, begin, begin + n, scores.data());
    chain::augment(scores.data(), n, problem.labels, gold, 1.0);
    decoder.best(scores.data(), n, p, guess);
    return chain::score(scores.data(), n, p, guess) - chain::score(scores.data(), n, p, gold);
  }
};

class DualAscent {
 public:
  DualAscent(const ChainProblem& problem, ThreadPool& pool)
      : problem_(problem),
        pool_(pool),
        plain_(static_cast<std::size_t>(problem.weights()), 0.0),
        w_(problem.packed->empty()),
        difference_(*problem.packed),
        members_(static_cast<std::size_t>(problem.sentences.sentences)),
        guess_(static_cast<std::size_t>(problem.sentences.start[members_.size()])) {
    problem_.packed->pack(plain_.data(), w_.data());
  }

  // The current weights.
  const std::vector<double>& weights() {
    problem_.packed->unpack(w_.data(), plain_.data());
    return plain_;
  }

  double dual() {
    double sum = 0.0;
    for (std::size_t s = 0; s < members_.size(); ++s) {
      double wrong = 0.0;
      for (const Member& m : members_[s]) {
        wrong += m.share * static_cast<double>(m.stretch.wrong);
      }
      sum += problem_.cost[s] * wrong;
    }
    return sum - penalty();
  }

  // Decodes every sentence. Returns F.
  double decode_all() {
    const chain::Potentials p = problem_.packed->potentials(w_.data(), triples_);
    const auto losses = [&](std::int64_t first, std::int64_t last) {
      thread_local Augmented sentence;
      double sum = 0.0;
      for (std::int64_t s = first; s < last; ++s) {
        pool_.checkpoint();
        const double loss = sentence.decode(problem_, w_.data(), p, s, guess_of(s));
        sum += problem_.cost[s] * std::max(0.0, loss);
      }
      return sum;
    };
    return penalty() + pool_.sum(problem_.sentences.sentences, kSentences, losses);
  }

  void decode(std::int64_t s) {
    const chain::Potentials p = problem_.packed->potentials(w_.data(), triples_);
    alone_.decode(problem_, w_.data(), p, s, guess_of(s));
  }

  // Puts the stretches of the last guess among the members, which are in ascending order, wakes
  // all, and lets those go that have slept long.
  void admit(std::int64_t s) {
    if (problem_.cost[s] == 0.0) return;
    std::vector<Member>& members = members_[s];
    for (Member& m : members) {
      m.idle = m.asleep ? m.idle + 1 : 0;
      m.asleep = false;
    }
    std::erase_if(members, [](const Member& m) { return m.idle >= kIdlePasses; });
    const std::int32_t* const gold = problem_.gold + problem_.sentences.start[s];
    const auto met = static_cast<std::ptrdiff_t>(members.size());
    for (chain::Stretch& one :
         chain::stretches_of(guess_of(s), gold, problem_.sentences.length(s), problem_.order)) {
      const auto end = members.begin() + met;
      const auto at = std::lower_bound(
          members.begin(), end, one,
          [](const Member& m, const chain::Stretch& other) { return m.stretch < other; });
      if (at != end && at->stretch == one) continue;
      members.push_back({std::move(one), 0.0, 0.0});
      add(s, members.back(), 1.0);
      members.back().length = difference_.squared_length();
      difference_.clear();
    }
    std::inplace_merge(members.begin(), members.begin() + met, members.end(),
                       [](const Member& a, const Member& b) { return a.stretch < b.stretch; });
  }

  // A step for every member that is awake. Returns what D gains.
  double visit(std::int64_t s) {
    std::vector<Member>& members = members_[s];
    const auto sleeps = [](const Member& m) { return m.asleep; };
    if (std::all_of(members.begin(), members.end(), sleeps)) return 0.0;
    load_.assign(static_cast<std::size_t>(problem_.sentences.length(s) + problem_.order), 0.0);
    longest_ = 0;
    for (const Member& m : members) {
      longest_ = std::max(longest_, m.stretch.length());
      if (m.share > 0.0) load(m, m.share);
    }
    double gain = 0.0;
    for (Member& m : members) {
      if (!m.asleep) gain += step(s, m);
    }
    const bool full = *std::max_element(load_.begin(), load_.end()) > 1.0 - kNothing;
    return full ? gain + turn(s) : gain;
  }

 private:
  std::int32_t* guess_of(std::int64_t s) { return guess_.data() + problem_.sentences.start[s]; }

  double penalty() {
    double sum = 0.0;
    for (const double v : weights()) sum += v * v;
    return 0.5 * sum;
  }

  // What D gains by a share, divided by the cost: the loss of the stretch.
  double value(std::int64_t s, const Member& m) {
    return static_cast<double>(m.stretch.wrong) -
           chain::lead_over(problem_, w_.data(), s, m.stretch);
  }

  void add(std::int64_t s, const Member& m, double amount) {
    chain::stretch_changes(problem_, w_.data(), s, m.stretch,
                           [&](std::int64_t k, double v) { difference_.add(k, amount * v); });
  }

  // Where what a stretch covers ends: its tokens and the right ones that must be behind it.
  std::int64_t covered(const Member& m) const { return m.stretch.end() + problem_.order; }

  void load(const Member& m, double amount) {
    for (std::int64_t t = m.stretch.first; t < covered(m); ++t) load_[t] += amount;
  }

  double room(const Member& m) const {
    return 1.0 - *std::max_element(load_.begin() + m.stretch.first, load_.begin() + covered(m));
  }

  double step(std::int64_t s, Member& m) {
    const double v = value(s, m), cost = problem_.cost[s], curve = cost * m.length;
    m.asleep = v <= 0.0 && m.share == 0.0;
    if (m.asleep || std::abs(v) < kNothing) return 0.0;
    double amount = curve > 0.0 ? std::max(v / curve, -m.share) : 1.0;
    if (amount > 0.0) {
      const double most = room(m);
      if (most < kNothing) return exchange(s, m, v);
      amount = std::min(amount, most);
    }
    m.share += amount;
    load(m, amount);
    const double by = amount * cost;
    chain::stretch_changes(problem_, w_.data(), s, m.stretch,
                           [&](std::int64_t k, double x) { w_[k] += by * x; });
    return by * (v - 0.5 * amount * curve);
  }

  // The least valuable member with a share that covers a token, and its value.
  std::pair<Member*, double> worst_at(std::int64_t s, std::int64_t token) {
    std::vector<Member>& members = members_[s];
    auto at = std::lower_bound(
        members.begin(), members.end(), token - longest_ - problem_.order + 1,
        [](const Member& m, std::int64_t first) { return m.stretch.first < first; });
    std::pair<Member*, double> worst{nullptr, std::numeric_limits<double>::infinity()};
    for (; at != members.end() && at->stretch.first <= token; ++at) {
      if (at->share == 0.0 || covered(*at) <= token) continue;
      if (const double v = value(s, *at); v < worst.second - chain::kTie) worst = {&*at, v};
    }
    return worst;
  }

  // Gives a share to a member at the cost of others that fill its tokens, the worst on each.
  double exchange(std::int64_t s, Member& up, double v) {
    down_.clear();
    double gain = v, most = 1.0;
    std::int64_t freed = up.stretch.first;  // tokens before it have room, or a donor
    for (std::int64_t t = up.stretch.first; t < covered(up); ++t) {
      if (t < freed || 1.0 - load_[t] >= kNothing) continue;
      const auto [donor, worth] = worst_at(s, t);
      if (donor == nullptr || donor == &up) return 0.0;
      down_.push_back(donor);
      gain -= worth;
      most = std::min(most, donor->share);
      freed = covered(*donor);
    }
    if (!(gain > kNothing)) return 0.0;
    for (const Member* m : down_) load(*m, -1.0);
    most = std::min(most, room(up));
    add(s, up, 1.0);
    for (const Member* m : down_) add(s, *m, -1.0);
    const double cost = problem_.cost[s], curve = difference_.squared_length() * cost;
    const double amount = gain < curve * most ? gain / curve : most;
    difference_.add_to(amount * cost, w_.data());
    difference_.clear();
    up.share += amount;
    load(up, amount);
    for (Member* m : down_) {
      m->share = std::max(0.0, m->share - amount);
      load(*m, 1.0 - amount);
    }
    return amount * cost * (gain - 0.5 * amount * curve);
  }

  // Turns all shares of a sentence towards the best labelling that its members make (Frank-Wolfe):
  // where tokens are full, no single share may be able to rise though several together are.
  double turn(std::int64_t s) {
    std::vector<Member>& members = members_[s];
    value_.resize(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) value_[k] = value(s, members[k]);
    const auto stretch = [&](std::size_t k) -> const chain::Stretch& { return members[k].stretch; };
    chain::best_set(problem_.sentences.length(s), stretch, value_, problem_.order, chosen_);
    double gain = 0.0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const double change = chosen_[k] - members[k].share;
      if (change == 0.0) continue;
      gain += change * value_[k];
      add(s, members[k], change);
    }
    const double cost = problem_.cost[s], curve = difference_.squared_length() * cost;
    const double amount = gain <= 0.0 ? 0.0 : gain < curve ? gain / curve : 1.0;
    difference_.add_to(amount * cost, w_.data());
    difference_.clear();
    for (std::size_t k = 0; k < members.size(); ++k) {
      members[k].share += amount * (chosen_[k] - members[k].share);
    }
    return amount * cost * (gain - 0.5 * amount * curve);
  }

  const ChainProblem problem_;
  ThreadPool& pool_;
  std::vector<double> plain_;  // weights as a CRF has them
  chain::Buffer w_;            // packed
  chain::Difference difference_;
  std::vector<std::vector<Member>> members_;  // [sentences]
  std::vector<std::int32_t> guess_;           // [tokens]
  // Of the sentence that is visited:
  std::vector<double> load_;  // [tokens + order] shares that cover a token
  std::int64_t longest_ = 0;  // stretch
  std::vector<Member*> down_;
  std::vector<double> value_, chosen_;
  std::vector<double> triples_;  // what they score
  Augmented alone_;
};

}  // namespace

void structured_svm(const ChainProblem& problem, const StructuredSvmOptions& how, double* w,
                    ThreadPool& pool) {
  const std::int64_t sentences = problem.sentences.sentences;
  DualAscent solver(problem, pool);
  std::vector<std::int64_t> order(static_cast<std::size_t>(sentences));
  for (std::int64_t s = 0; s < sentences; ++s) order[s] = s;
  double least = std::numeric_limits<double>::infinity(), worthwhile = 0.0;
  for (std::int64_t pass = 0; pass < how.max_iterations; ++pass) {
    if (how.shuffle) {
      permutation(order.data(), sentences, how.seed, static_cast<std::uint64_t>(pass));
    }
    for (const std::int64_t s : order) {
      pool.checkpoint();
      if (pass == 0) solver.decode(s);
      solver.admit(s);
      solver.visit(s);
    }
    for (std::int64_t k = 0; k < std::min(kSweeps * (pass + 1), kMostSweeps); ++k) {
      double gain = 0.0;
      for (const std::int64_t s : order) {
        pool.checkpoint();
        gain += solver.visit(s);
      }
      if (gain <= worthwhile) break;
    }
    const double objective = solver.decode_all();
    if (objective < least) {
      least = objective;
      std::copy(solver.weights().begin(), solver.weights().end(), w);
    }
    const double gap = std::max(0.0, least - solver.dual());
    if (!pool.progress().record({pass + 1, objective, gap, 0.0, 0.0})) return;
    if (gap <= how.tolerance * least) return;
    worthwhile = kWorthwhile * how.tolerance * least;
  }
}

}  // namespace linnet
