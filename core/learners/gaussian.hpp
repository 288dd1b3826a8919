// Naive Bayes with normal features (SPEC M-08, M-12, M-13): what is not plain counting.
//
// Tables are class-major [K][J]. A feature that a row does not store is 0.
#pragma once

#include <cstdint>

#include "counting.hpp"

namespace linnet {

// out[k][j] = sum over i of class k of weight_i (x_ij - mean[k][j])^2; total[k] is the weight of
// class k. The second of two passes: no difference of large sums.
void squared_deviations(const AnyCsr& x, const Labelled& labels, const double* mean,
                        const double* total, double* out, ThreadPool& pool);

// out[i][k] = -1/2 sum_j precision[k][j] (x_ij - mean[k][j])^2
void gaussian_exponents(const AnyCsr& x, const double* mean, const double* precision,
                        std::int32_t classes, double* out, ThreadPool& pool);

}  // namespace linnet
