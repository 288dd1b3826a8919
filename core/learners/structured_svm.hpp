// The structured support vector machine with the Hamming cost (SPEC M-123).
//
//   F(w) = 1/2 |w|^2 + sum_s cost_s max_y [w . Phi(x_s, y) + wrong(y) - w . Phi(x_s, gold)]
//
// Its dual has a distribution over labellings for every sentence:
//
//   D = sum_s cost_s mean_s(wrong) - 1/2 |w|^2,   w = sum_s cost_s mean_s(Phi(gold) - Phi(y))
//
// Block-coordinate pairwise Frank-Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013; Osokin
// et al. 2016): for one sentence at a time find the cost-augmented best labelling and move
// probability to it from the worst of those that have any, as much as an exact line search says.
// A round is followed by a few over the labellings already met, which need no decoding (Shah,
// Kolmogorov and Lampert 2015).
// Every step raises D, there is no rate to choose, and F - D bounds the distance from the optimum.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "crf.hpp"

namespace linnet {

struct StructuredSvmOptions {
  double tolerance;  // stop when F - D <= tolerance * F
  std::int64_t max_iterations;
  bool shuffle;
  std::uint64_t seed;
  std::int64_t beam;  // of the decoder while learning; the objective is always exact
};

// w[weights] is set to the iterate of least F. One record a round: F of its end, and the least F so
// far minus D. Sentences are met one after the other; threads help to compute F.
void structured_svm(const ChainProblem& problem, const StructuredSvmOptions& how, double* w,
                    ThreadPool& pool);

}  // namespace linnet
