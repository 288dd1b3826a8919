// Stochastic gradient descent for the CRF, a sentence at a time (Bottou 2010).
//
//   F(w) = S (lambda/2 |w|^2 + 1/M sum_s a_s loss_s(w)),   S = sum of cost, lambda = 1/S,
//                                                          a_s = M cost_s / S
//   w <- (1 - lambda eta_t) w - eta_t a_s (gradient of loss_s at w),
//   eta_t = eta_0 / (1 + lambda eta_0 t),                  t = 0, 1, ..
//
// Decay and average are lazy: w = scale * V, and sums A (lazy_average.hpp).
#pragma once

#include <cstdint>

#include "../lazy_average.hpp"
#include "../parallel.hpp"
#include "crf.hpp"

namespace linnet {

struct CrfSgdState {
  double steps = 0.0;
  LazyAverage average;
};

// Meets the sentences order[0] .. order[count - 1] and changes V, A (null = no average) and state.
// `problem.cost` holds a_s. Returns the sum of a_s loss_s, each at the weights it met.
double crf_sgd_pass(const ChainProblem& problem, double decay, double rate,
                    const std::int64_t* order, std::int64_t count, double* weights, double* sums,
                    CrfSgdState& state, ThreadPool& pool);

// The eta_0 with which one pass over the sample lowers its objective most, of 0.1 and what doubling
// or halving it makes.
double crf_sgd_rate(const ChainProblem& problem, double decay, const std::int64_t* sample,
                    std::int64_t count, ThreadPool& pool);

}  // namespace linnet
