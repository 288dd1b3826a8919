// Orthant-wise L-BFGS, for a smooth objective with an L1 penalty (SPEC M-66; Andrew and Gao 2007).
//
//   minimise F(w) + l1 sum_{j < l1_size} |w_j|
//
// Given: w, the starting point. Returned: w at the last iterate, its zeros exact.
#pragma once

#include "batch.hpp"

namespace linnet {

void orthant_wise(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool);

}  // namespace linnet
