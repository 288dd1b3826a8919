// Scalar mathematics that stays finite for scores up to 1e4 and beyond (SPEC C-01, M-50).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

// One source, several instruction sets: the loader picks the best the machine has. Only where the
// object format can dispatch at load time; elsewhere the baseline is used.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(LINNET_SANITIZE)
#define LINNET_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define LINNET_CLONES
#endif

#if defined(_MSC_VER)
#define LINNET_INLINE __forceinline
#define LINNET_INLINE_LAMBDA
#define LINNET_PREFETCH(address) ((void)(address))
#else
#define LINNET_INLINE inline __attribute__((always_inline))
#define LINNET_INLINE_LAMBDA __attribute__((always_inline))
#define LINNET_PREFETCH(address) __builtin_prefetch(address)
#endif

namespace linnet {

inline double sigmoid(double z) {
  if (z >= 0.0) return 1.0 / (1.0 + std::exp(-z));
  const double e = std::exp(z);
  return e / (1.0 + e);
}

// ln(1 + e^z)
inline double log1p_exp(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// z ln z with 0 ln 0 = 0
inline double x_log_x(double z) { return z > 0.0 ? z * std::log(z) : 0.0; }

// Replaces every x[i] by e^x[i]. Exact to two units in the last place; below -708 it is 0, and
// above 709 the largest that 709 gives. Vectorised, where a call of std::exp is not.
void exp_in_place(double* x, std::int64_t n);

// Replaces every x[i], a positive normal number, by ln x[i], exact to two units in the last place.
void log_in_place(double* x, std::int64_t n);

// Replaces the n scores by their softmax and returns ln sum exp(score). n >= 1.
inline double softmax(double* scores, int n) {
  const double top = *std::max_element(scores, scores + n);
  double total = 0.0;
  for (int k = 0; k < n; ++k) total += scores[k] = std::exp(scores[k] - top);
  for (int k = 0; k < n; ++k) scores[k] /= total;
  return top + std::log(total);
}

}  // namespace linnet
