// The linear-chain conditional random field (SPEC M-118, M-119; Lafferty, McCallum and Pereira
// 2001).
//
//   p(y | x) = exp(w . Phi(x, y)) / Z(x)
//   F(w) = l2/2 |w|^2 + sum_s cost_s (ln Z(x_s) - w . Phi(x_s, y_s))
//
// Given sentences with gold labels, and which (feature, label) pairs have a weight. The weights are
// one vector: pairs[P], transition[L][L], start[L], stop[L], and in a chain of second order
// triples[L][L][L] (the label two before first), which score besides the transitions. Its gradient
// is the expected minus the observed features, from forward and backward over every sentence.
#pragma once

#include <cstdint>
#include <memory>

#include "../parallel.hpp"
#include "../solvers/batch.hpp"
#include "../solvers/objective.hpp"
#include "../structures/chain.hpp"
#include "../structures/packed.hpp"
#include "../views.hpp"

namespace linnet {

struct ChainProblem {
  Ragged sentences;
  Pairs pairs;
  const chain::Packed* packed;  // of these sentences and pairs
  std::int32_t labels;
  chain::Following following;
  const std::int32_t* gold;    // [tokens]
  const double* cost;          // [sentences]
  const std::uint8_t* frozen;  // [weights] 1 where a weight stays 0, or null
  double l2 = 1.0;
  int order = 1;

  std::int64_t weights() const {
    return pairs.size() + chain::Packed::label_weights(labels, order);
  }
};

// Calls visit(pair, triple) for the neighbours of n gold labels, token by token: the places of
// their weights, `pair` among transitions and `triple` among triples, -1 where there is none.
template <class Visit>
void each_neighbours(const std::int32_t* gold, std::int64_t n, std::int64_t labels, int order,
                     Visit visit) {
  for (std::int64_t t = 1; t < n; ++t) {
    const std::int64_t pair = gold[t - 1] * labels + gold[t];
    visit(pair, order == 2 && t > 1 ? gold[t - 2] * labels * labels + pair : std::int64_t{-1});
  }
}

// F and its gradient, with weights in the packed order of use.
std::unique_ptr<Objective> crf_objective(const ChainProblem& problem, ThreadPool& pool);

// Moves w, all zeros, to roughly where an eighth of a large corpus wants it: the first iterations
// go the same way at an eighth of the cost. What the sample does not show keeps the weight 0. Where
// the fit ends is certified as ever; nothing of this is recorded.
void begin_on_sample(const ChainProblem& problem, double* w, const BatchOptions& options,
                     int threads, Progress& progress);

}  // namespace linnet
