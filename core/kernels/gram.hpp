// Whole blocks of a Gram matrix, in doubles: what prediction and the plain functions use.
#pragma once

#include "kernels/kernel.hpp"
#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

// out[i][j] = K(x_i, z_j); x and z have the same features.
void kernel_gram(const AnyCsr& x, const AnyCsr& z, const Kernel& kernel, double* out,
                 ThreadPool& pool);

}  // namespace linnet
