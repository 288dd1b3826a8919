// Stochastic gradient descent for the CRF, a sentence at a time (Bottou 2010).
//
//   F(w) = S (lambda/2 |w|^2 + 1/M sum_s a_s loss_s(w)),   S = sum of cost, lambda = 1/S,
//                                                          a_s = M cost_s / S
//   w <- (1 - lambda eta_t) w - eta_t a_s (gradient of loss_s at w),
//   eta_t = eta_0 / (1 + lambda eta_0 t),                  t = 0, 1, ..
//
// The decay costs nothing: w = scale * V. The average is lazy: with sum_t = scale_1 + .. + scale_t,
// adding d to V at step t adds sum_{t-1} d to A, and w_1 + .. + w_n = sum_n V - A.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "crf.hpp"

namespace linnet {

struct CrfSgdState {
  double steps = 0.0;
  double scale = 1.0;  // w = scale * V
  double sum = 0.0;    // of the scales after each averaged step
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
