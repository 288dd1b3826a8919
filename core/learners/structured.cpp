// The structured perceptron, MIRA and AROW (structured.hpp). A sentence is decoded; where the guess
// is wrong, the features that gold has and the guess has not are added, the others taken away.
#include "structured.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "../structures/difference.hpp"
#include "../structures/packed.hpp"

namespace linnet {
namespace {

class StructuredLearner {
 public:
  StructuredLearner(const ChainProblem& problem, const StructuredOptions& options,
                    const double* weights, const double* sums, StructuredState& state)
      : problem_(problem),
        options_(options),
        packed_(*problem.packed),
        weights_(packed_.empty()),
        sums_(sums ? packed_.empty() : chain::Buffer()),
        state_(state) {
    packed_.pack(weights, weights_.data());
    if (sums) packed_.pack(sums, sums_.data());
    if (options.rule != StructuredRule::perceptron) difference_.emplace(packed_);
    if (problem.frozen) frozen_ = problem.frozen + (packed_.weights() - label_weights());
  }

  void hand_back(double* weights, double* sums) const {
    packed_.unpack(weights_.data(), weights);
    if (sums) packed_.unpack(sums_.data(), sums);
  }

  struct Verdict {
    double loss = 0.0;
    double step = 0.0;
    std::int64_t wrong = 0;
  };

  const std::int32_t* guess() const { return guess_.data(); }

  Verdict meet(std::int64_t s) {
    const std::int64_t n = problem_.sentences.length(s);
    const std::int32_t* const gold = problem_.gold + problem_.sentences.start[s];
    decode(s, n, gold);
    Verdict out;
    out.wrong = chain::hamming(guess_.data(), gold, n);
    if (out.wrong > 0) {
      if (options_.rule != StructuredRule::perceptron) {
        out.loss = lead(n, gold) + cost_of(out.wrong);
        out.step = correct_by_margin(s, out.loss);
      } else {
        out.loss = std::max(0.0, lead(n, gold));
        out.step = problem_.cost[s];
        correct(s, out.step);
      }
    }
    state_.steps += 1.0;
    state_.updates += out.step != 0.0;
    return out;
  }

 private:
  void decode(std::int64_t s, std::int64_t n, const std::int32_t* gold) {
    const std::int32_t L = problem_.labels;
    const std::int64_t begin = problem_.sentences.start[s];
    const auto size = static_cast<std::size_t>(n * L);
    if (scores_.size() < size + chain::Packed::kRoom) scores_.resize(size + chain::Packed::kRoom);
    guess_.resize(static_cast<std::size_t>(n));
    packed_.score(weights_.data(), begin, begin + n, scores_.data());
    const bool augmented = options_.rule == StructuredRule::mira && options_.augmented;
    if (augmented) {
      plain_.assign(scores_.begin(),
                    scores_.begin() + static_cast<std::ptrdiff_t>(size) + chain::Packed::kRoom);
      chain::augment(scores_.data(), n, L, gold, 1.0);
    }
    labels_ = packed_.potentials(weights_.data(), triples_);
    if (options_.beam > 0) {
      decoder_.beam(scores_.data(), n, labels_, options_.beam, guess_.data());
    } else {
      decoder_.best(scores_.data(), n, labels_, guess_.data());
    }
    if (augmented) scores_.swap(plain_);
  }

  // w . Phi(x, guess) - w . Phi(x, gold), at the weights of the guess
  double lead(std::int64_t n, const std::int32_t* gold) const {
    return chain::score(scores_.data(), n, labels_, guess_.data()) -
           chain::score(scores_.data(), n, labels_, gold);
  }

  double cost_of(std::int64_t wrong) const {
    if (options_.cost == Cost::one) return 1.0;
    const auto labels = static_cast<double>(wrong);
    return options_.cost == Cost::root ? std::sqrt(labels) : labels;
  }

  std::int64_t label_weights() const { return packed_.size() - packed_.tail(); }

  // Calls change(weight, amount) for all that separates gold from the guess and is not frozen.
  template <class Change>
  void each_change(std::int64_t s, Change&& change) const {
    chain::state_changes(problem_, packed_, weights_.data(), s, guess_.data(), change);
    chain::label_changes(problem_, packed_, s, guess_.data(), [&](std::int64_t k, double v) {
      if (!frozen_ || !frozen_[k - packed_.tail()]) change(k, v);
    });
  }

  // The counted steps that came before the change that is being made.
  LazyAverage average() const {
    if (options_.averaging == Averaging::mistakes) return {1.0, state_.updates};
    return {1.0, options_.averaging == Averaging::before ? state_.steps + 1.0 : state_.steps};
  }

  void correct(std::int64_t s, double step) {
    if (step == 0.0) return;
    double* const w = weights_.data();
    if (sums_.empty()) {
      each_change(s, [=](std::int64_t k, double v) { w[k] += step * v; });
      return;
    }
    double* const a = sums_.data();
    const double later = average().later(step);
    each_change(s, [=](std::int64_t k, double v) {
      w[k] += step * v;
      a[k] += later * v;
    });
  }

  double correct_by_margin(std::int64_t s, double loss) {
    const double weight = problem_.cost[s];
    if (!(loss > 0.0) || weight == 0.0) return 0.0;
    each_change(s, [&](std::int64_t k, double v) { difference_->add(k, v); });
    const double length = difference_->squared_length();
    double step = 0.0;
    if (length > 0.0 && options_.rule == StructuredRule::arow) {
      step = difference_->add_surely(options_.cap, loss, sums_.data(), weights_.data());
    } else if (length > 0.0) {
      step = mira_step(options_.variant, options_.cap, loss, length, weight);
      difference_->add_to(step, weights_.data());
      if (!sums_.empty()) difference_->add_to(average().later(step), sums_.data());
    }
    difference_->clear();
    return step;
  }

  const ChainProblem problem_;
  const StructuredOptions options_;
  const chain::Packed& packed_;
  chain::Buffer weights_, sums_;  // packed; no sums without averaging
  StructuredState& state_;
  const std::uint8_t* frozen_ = nullptr;  // [label weights], or null
  std::optional<chain::Difference> difference_;
  chain::Decoder decoder_;
  std::vector<double> scores_, plain_, triples_;
  chain::Potentials labels_{};
  std::vector<std::int32_t> guess_;
};

}  // namespace

void structured_rounds(const ChainProblem& problem, const StructuredOptions& options,
                       const std::int64_t* orders, std::int64_t rounds, std::int64_t count,
                       double* weights, double* sums, StructuredState& state,
                       const StructuredTrace& trace,
                       const std::function<bool(const StructuredPass&)>& seen, ThreadPool& pool) {
  StructuredLearner learner(problem, options, weights, sums, state);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t* const order = orders + round * count;
    StructuredPass pass;
    std::int32_t* guess = round == 0 ? trace.guess : nullptr;
    for (std::int64_t k = 0; k < count; ++k) {
      pool.checkpoint();
      const std::int64_t n = problem.sentences.length(order[k]);
      const auto met = learner.meet(order[k]);
      pass.loss += problem.cost[order[k]] * met.loss;
      pass.updates += met.step != 0.0;
      pass.wrong += met.wrong;
      if (guess) guess = std::copy(learner.guess(), learner.guess() + n, guess);
      if (round == 0 && trace.loss) trace.loss[k] = met.loss;
      if (round == 0 && trace.step) trace.step[k] = met.step;
    }
    if (!seen(pass)) break;
  }
  learner.hand_back(weights, sums);
}

}  // namespace linnet
