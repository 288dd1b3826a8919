// Kernel support vector machines in the dual (SPEC M-77 - M-81).
//
// Given n examples with signs y_t = +-1, costs C_t (infinite for a hard margin) and a kernel K,
// with beta_t = y_t alpha_t:
//
//   maximise  sum_t y_t beta_t - 1/2 sum_st beta_s beta_t K(s, t)
//   subject to  0 <= y_t beta_t <= C_t,  and  sum_t beta_t = 0  if the intercept is free.
//
// With F_t = y_t - sum_s beta_s K(t, s), the slope of the objective, an optimum has no pair i, j
// with F_i > F_j where beta_i may grow and beta_j may shrink. SMO takes the i with the largest F_i,
// the j whose step gains most (Fan, Chen and Lin 2005, WSS 2), and makes the best step. Without the
// constraint on the sum one variable moves at a time, the one that violates most.
#pragma once

#include <cstdint>

#include "kernels/rows.hpp"
#include "parallel.hpp"

namespace linnet {

struct Machine {
  const std::int32_t* ids;  // [n] examples, as the rows know them
  const double* sign;       // [n] +1 or -1
  const double* cost;       // [n] C_t > 0
  std::int64_t n;
  double* beta;  // [n] the start, and the result
};

struct SmoOptions {
  bool free_intercept;
  bool shrinking;
  double tolerance;  // on the largest violation F_i - F_j
  std::int64_t max_iterations;
  std::int64_t cache_bytes;
};

enum class SmoEnd { converged = 0, stopped = 1, unbounded = 2, not_finite = 3 };

struct SmoResult {
  double intercept = 0.0;  // of a free intercept; 0 else
  double primal = 0.0;     // 1/2 |w|^2 + sum of cost * hinge, at the solution made feasible
  double dual = 0.0;
  double violation = 0.0;
  std::int64_t iterations = 0;
  SmoEnd end = SmoEnd::converged;
};

SmoResult solve_machine(KernelRows<float>& rows, const Machine& machine, const SmoOptions& how,
                        ThreadPool& pool);
SmoResult solve_machine(KernelRows<double>& rows, const Machine& machine, const SmoOptions& how,
                        ThreadPool& pool);

}  // namespace linnet
