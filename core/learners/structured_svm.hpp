// The structured support vector machine with the Hamming cost (SPEC M-123).
//
//   F(w) = 1/2 |w|^2 + sum_s cost_s max_y [w . Phi(x_s, y) + wrong(y) - w . Phi(x_s, gold)]
//
// Its dual has a distribution over labellings for every sentence. A labelling is gold with some
// stretches of wrong tokens in it (structures/stretch.hpp), and both its distance from gold and its
// cost are sums over them. So the dual needs only a share a_k for every stretch k:
//
//   D = sum_s cost_s sum_k a_k wrong_k - 1/2 |w|^2,   w = sum_s cost_s sum_k a_k Delta_k
//   a_k >= 0,   and for every token the shares of the stretches that cover it are at most 1
//
// A stretch covers its tokens and the right one behind it, in a chain of second order two. The
// shares that satisfy this are exactly those of distributions over labellings: of intervals no two
// of which overlap the matrix (token x stretch) has consecutive ones, is totally unimodular, and
// its polytope has whole-numbered corners, which are sets of stretches, that is labellings.
//
// Dual coordinate ascent on a working set, one share at a time with the exact step
// (wrong_k - w . Delta_k) / (cost_s |Delta_k|^2), cut to its bounds; where a token is full, the
// share is taken from the worst stretches that fill it. One labelling brings all its stretches at
// once and each finds its own share, so a few passes meet all that matter, where distributions over
// whole labellings need one for every mixture of mistakes (block-coordinate Frank-Wolfe,
// Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013). Steps on what has been met need no decoding
// (Shah, Kolmogorov and Lampert 2015).
//
// A pass decodes every sentence once: the first one sentence after the other, a later one all
// sentences under the same weights, on all threads. Such a decoding gives F, and with it the gap
// of the weights that the pass before has left, and new stretches to the next. Every step raises
// D, there is no rate to choose, and F - D bounds the distance from the optimum.
//
// Memory: the labels of the stretches with a share and of those met in the last ten passes.
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
};

// w[weights] is set to the iterate of least F. One record a pass: F of its end, and the least F so
// far minus D. The same bits at any number of threads.
void structured_svm(const ChainProblem& problem, const StructuredSvmOptions& how, double* w,
                    ThreadPool& pool);

}  // namespace linnet
