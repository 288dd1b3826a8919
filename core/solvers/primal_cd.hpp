// Primal coordinate descent (SPEC M-84; Chang, Hsieh and Lin 2008, Algorithm 2).
//
//   minimise  P(w) = sum_j (l2_j / 2) w_j^2 + sum_i cost_i loss(y_i x_i.w)        of each column
//
// One weight at a time: with D(z) = P(w + z e_j) the Newton step d = -D'(0) / D''(0) is halved
// until D(z) <= D(0) + c z D'(0). The margins y_i x_i.w are kept in step, so that a weight costs a
// few passes over the rows that have its feature. The columns of one-vs-rest are solved side by
// side.
#pragma once

#include <cstdint>
#include <string_view>

#include "batch.hpp"

namespace linnet {

// Given: the objective of the same examples by columns, with a loss that has a curvature; w, the
// starting point. Returned: w after the last epoch; every epoch is recorded as in batch.hpp.
void primal_coordinate_descent(const AnyCsr& x, const Examples& examples, std::string_view loss,
                               Objective& f, double* w, const BatchOptions& options,
                               std::uint64_t seed, ThreadPool& pool);

}  // namespace linnet
