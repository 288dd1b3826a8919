// Stochastic gradient descent for the CRF (crf_sgd.hpp). A step reads the weights of one sentence's
// features, takes forward and backward over it, and adds expected minus observed features.
#include "crf_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../structures/pairs.hpp"

namespace linnet {
namespace {

class CrfSgd {
 public:
  CrfSgd(const ChainProblem& problem, double* weights, double* sums, CrfSgdState& state)
      : problem_(problem),
        weights_(weights),
        sums_(sums),
        state_(state),
        average_(state.average),
        least_scale_(LazyAverage::least_scale(sums != nullptr)),
        labels_(static_cast<std::size_t>(problem.weights() - problem.pairs.size())),
        expected_(labels_.size()) {}

  // One step; a rate of 0 only measures. Returns the loss at the weights before.
  double meet(std::int64_t s, double decay, double rate) {
    const std::int64_t n = problem_.sentences.length(s), begin = problem_.sentences.start[s];
    const std::int32_t L = problem_.labels;
    double loss = 0.0;
    if (n > 0) {
      const auto size = static_cast<std::size_t>(n * L);
      if (rows_.size() < size) rows_.resize(size);
      loss = residual(n, begin, rate != 0.0);
    }
    if (rate == 0.0) return loss;
    shrink(1.0 - decay * rate);
    if (n > 0) {
      const double step = average_.inside(-rate * problem_.cost[s]);
      add(n, begin, step, weights_);
      if (sums_) add(n, begin, average_.later(step), sums_);
    }
    state_.steps += 1.0;
    if (sums_) average_.count();
    return loss;
  }

 private:
  // Calls visit(k) for the label pairs, starts, stops and triples that have a weight.
  template <class Visit>
  void each_label_weight(Visit visit) const {
    const std::int64_t L = problem_.labels;
    const chain::Following& f = problem_.following;
    for (std::int64_t i = 0; i < L; ++i) {
      if (!f) {
        for (std::int64_t j = 0; j < L; ++j) visit(i * L + j);
        continue;
      }
      for (std::int64_t k = f.start[i]; k < f.start[i + 1]; ++k) visit(i * L + f.next[k]);
    }
    for (std::int64_t k = L * L; k < L * (L + 2); ++k) visit(k);
    for (std::int64_t k = 0; problem_.order == 2 && k < L * L * L; ++k) {
      if (!f.triple || f.triple[k]) visit(L * (L + 2) + k);
    }
  }

  // Leaves marginals minus gold in rows_ and expected minus observed label pairs in expected_.
  double residual(std::int64_t n, std::int64_t begin, bool wanted) {
    const std::int32_t L = problem_.labels;
    const std::int32_t* const gold = problem_.gold + begin;
    const std::int64_t pairs = problem_.pairs.size();
    each_label_weight([&](std::int64_t k) {
      labels_[k] = average_.current(weights_[pairs + k]);
      expected_[k] = 0.0;
    });
    const chain::Potentials p =
        chain::label_potentials(labels_.data(), L, problem_.order, triples_);
    const chain::Exponentials e(p, problem_.following);
    chain::state_scores(problem_.sentences.tokens, problem_.pairs, weights_, L, begin, begin + n,
                        rows_.data());
    for (std::int64_t k = 0; k < n * L; ++k) rows_[k] *= average_.scale;
    const double right = chain::score(rows_.data(), n, p, gold);
    if (!wanted) return marginals_.run(rows_.data(), n, p, e) - right;
    chain::PairSums sums(e);
    const double log_z = marginals_.run(rows_.data(), n, p, e, &sums);
    double* const triples = expected_.data() + chain::Packed::label_weights(L, 1);
    sums.add_to(expected_.data(), triples, e);
    for (std::int64_t t = 0; t < n; ++t) rows_[t * L + gold[t]] -= 1.0;
    each_neighbours(gold, n, L, problem_.order, [&](std::int64_t pair, std::int64_t triple) {
      expected_[pair] -= 1.0;
      if (triple >= 0) triples[triple] -= 1.0;
    });
    for (std::int32_t l = 0; l < L; ++l) {
      expected_[std::int64_t{L} * L + l] = rows_[l];
      expected_[std::int64_t{L} * L + L + l] = rows_[(n - 1) * L + l];
    }
    return log_z - right;
  }

  // out += amount * gradient
  void add(std::int64_t n, std::int64_t begin, double amount, double* out) {
    const std::int32_t L = problem_.labels;
    scaled_.resize(std::max(scaled_.size(), static_cast<std::size_t>(n * L)));
    for (std::int64_t k = 0; k < n * L; ++k) scaled_[k] = amount * rows_[k];
    chain::add_state_gradient(problem_.sentences.tokens, problem_.pairs, scaled_.data(), L, begin,
                              begin + n, 0, problem_.pairs.features, out);
    double* const tail = out + problem_.pairs.size();
    each_label_weight([&](std::int64_t k) { tail[k] += amount * expected_[k]; });
  }

  void shrink(double factor) {
    average_.scale *= factor;
    if (!average_.is_far_from(least_scale_)) return;
    average_.fold(weights_, sums_, problem_.weights());
    average_.restart();
  }

  const ChainProblem problem_;
  double* const weights_;
  double* const sums_;
  CrfSgdState& state_;
  LazyAverage& average_;
  const double least_scale_;
  chain::Marginals marginals_;
  std::vector<double> rows_, scaled_;
  std::vector<double> labels_, expected_;  // transition, start, stop, triples
  std::vector<double> triples_;            // what they score
};

}  // namespace

double crf_sgd_pass(const ChainProblem& problem, double decay, double rate,
                    const std::int64_t* order, std::int64_t count, double* weights, double* sums,
                    CrfSgdState& state, ThreadPool& pool) {
  CrfSgd learner(problem, weights, sums, state);
  double total = 0.0;
  for (std::int64_t k = 0; k < count; ++k) {
    pool.checkpoint();
    const double now = rate / (1.0 + decay * rate * state.steps);
    total += problem.cost[order[k]] * learner.meet(order[k], decay, now);
  }
  return total;
}

double crf_sgd_rate(const ChainProblem& problem, double decay, const std::int64_t* sample,
                    std::int64_t count, ThreadPool& pool) {
  constexpr int kTrials = 12;
  const auto size = static_cast<std::size_t>(problem.weights());
  std::vector<double> w(size);
  const auto objective = [&](double rate) {
    std::fill(w.begin(), w.end(), 0.0);
    CrfSgdState state;
    if (rate > 0.0)
      crf_sgd_pass(problem, decay, rate, sample, count, w.data(), nullptr, state, pool);
    CrfSgd measure(problem, w.data(), nullptr, state);
    double loss = 0.0, norm = 0.0;
    for (std::int64_t k = 0; k < count; ++k) {
      pool.checkpoint();
      loss += problem.cost[sample[k]] * measure.meet(sample[k], 0.0, 0.0);
    }
    for (const double v : w) norm += v * v;
    const double f = loss + 0.5 * decay * static_cast<double>(count) * norm * state.average.scale *
                                state.average.scale;
    return std::isfinite(f) ? f : std::numeric_limits<double>::max();
  };
  const double nothing = objective(0.0);
  double best = 0.1, least = objective(best);
  for (const double factor : {2.0, 0.5}) {
    if (factor > 1.0 && least >= nothing) continue;  // already too long
    const double before = best;
    double rate = best;
    for (int trial = 0; trial < kTrials; ++trial) {
      rate *= factor;
      const double f = objective(rate);
      if (f < least) {
        least = f;
        best = rate;
      } else if (least < nothing) {
        break;
      }
    }
    if (best != before) break;
  }
  return best;
}

}  // namespace linnet
