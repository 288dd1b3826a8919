// Sums of products over rows of labels, whole vectors at a time: what forward and backward are made
// of. Rows are `width` apart, a multiple of kVector, and are filled up with zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "chain.hpp"

namespace linnet::chain {

inline constexpr std::int32_t kVector = 8;

// out[j] = sum_i weight[i] matrix[i][j]
void times(const double* weight, const double* matrix, std::int32_t L, std::int32_t width,
           double* out);

// pairs[i][j] += weight sum_t a[t][i] b[t][j]
void add_products(const double* a, const double* b, double weight, std::int64_t n, std::int32_t L,
                  std::int32_t width, double* pairs);

// out = a * b, returns the sum
double multiply(const double* a, const double* b, std::int32_t width, double* out);

void scale_by(double* values, std::int32_t width, double factor);

// The largest finite value; 0 if there is none.
inline double largest(const double* values, std::int64_t n) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < n; ++k) top = std::max(top, values[k]);
  return top > -std::numeric_limits<double>::infinity() ? top : 0.0;
}

// Fills in what a chain of second order needs besides (second_order.cpp).
void exponentiate_second(const Potentials& p, Exponentials& e);

}  // namespace linnet::chain
