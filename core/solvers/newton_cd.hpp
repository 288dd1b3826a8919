// Newton's method for sparse weights, its steps found by coordinate descent (SPEC M-66; Friedman,
// Hastie and Tibshirani 2010; Yuan, Ho and Lin 2012).
//
//   minimise  P(w) = F(w) + l1 |w|_1,     F(w) = sum_j (l2_j / 2) w_j^2 + sum_i cost_i loss_i(w)
//
// At a point w with gradient g and Hessian H of F the step d minimises
//
//   g.d + d.H d / 2 + l1 |w + d|_1
//
// one component at a time, in closed form: a soft threshold. Only weights off zero and those that
// the gradient pulls off it take part, so that a pass over them costs next to nothing beside the
// gradient of all weights, which is taken once a step, on all threads. The step is halved until P
// falls by a share of what its slope foretells.
#pragma once

#include <cstdint>
#include <string_view>

#include "../structures/transposed.hpp"
#include "batch.hpp"

namespace linnet {

// Given: the columns of x; the objective of the same examples, by columns with a loss that has a
// curvature, or joint with the log loss; w, the starting point. Returned: w after the last step;
// every step is recorded as in batch.hpp. The columns of one-vs-rest are solved side by side.
void newton_coordinate_descent(const AnyCsr& x, const AnyColumns& by_feature,
                               const Examples& examples, std::string_view loss, bool joint,
                               Objective& f, double* w, const BatchOptions& options,
                               ThreadPool& pool);

}  // namespace linnet
