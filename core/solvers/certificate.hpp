// How far any weights are at most from the optimum: the duality gap of a point that no solver
// vouches for.
//
//   P(W) = 1/2 |W|^2 + sum_i cost_i loss(x_i W, gold_i)
//   D(A) = -1/2 |X^T A|^2 - sum_i cost_i loss*(-A_i / cost_i)
//
// Given W. The dual point is A_i = -cost_i (derivative of the loss at x_i W), which is feasible for
// every convex loss. Returned:
//
//   P(W) - D(A) = 1/2 |W - X^T A|^2
//                 + sum_i cost_i (loss(x_i W) + loss*(-A_i / cost_i)) + A_i . x_i W
//
// whose second line is 0 but for rounding (Fenchel and Young): what remains is half the squared
// norm of the (sub)gradient. Infinite for a loss without a conjugate. Every weight, the bias
// included, is under the quadratic penalty.
#pragma once

#include <string_view>

#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

struct CertifiedRisk {
  std::string_view loss;
  Form form = Form::columns;
  const double* margins = nullptr;  // joint hinges: [K][K] cost of guessing k for gold y
};

// weights[J + 1][columns], or [J][columns] without bias.
double subgradient_gap(const AnyCsr& x, const Examples& examples, const CertifiedRisk& risk,
                       const double* weights, ThreadPool& pool);

}  // namespace linnet
