#include "kernels/kernel.hpp"

#include <bit>
#include <cmath>

#include "numeric.hpp"

namespace linnet {
namespace {

// e^x for x <= 0 as in numeric.cpp, with as many terms as a float needs.
LINNET_CLONES void exp_floats(float* x, std::int64_t n) {
  constexpr float kRound = 0x1.8p23F, kLog2e = 1.44269504F;
  constexpr float kLn2High = 0x1.62e4p-1F, kLn2Low = 0x1.7f7d1cp-20F;
  for (std::int64_t i = 0; i < n; ++i) {
    const float v = x[i];
    const float c = std::max(v, -87.0F);
    const float shifted = c * kLog2e + kRound;
    const float k = shifted - kRound;
    const float r = (c - k * kLn2High) - k * kLn2Low;
    float p = 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23;
    const float e = p * std::bit_cast<float>(power);
    x[i] = v < -87.0F ? 0.0F : e;
  }
}

void exp_all(float* x, std::int64_t n) { exp_floats(x, n); }
void exp_all(double* x, std::int64_t n) { exp_in_place(x, n); }

template <class T>
LINNET_INLINE void distances_body(T gamma, T norm, const T* norms, T* dots, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T square = (norm + norms[i]) - T{2} * dots[i];
    dots[i] = -gamma * (square > T{0} ? square : T{0});
  }
}

LINNET_CLONES void distances(float gamma, float norm, const float* norms, float* dots,
                             std::int64_t n) {
  distances_body(gamma, norm, norms, dots, n);
}
LINNET_CLONES void distances(double gamma, double norm, const double* norms, double* dots,
                             std::int64_t n) {
  distances_body(gamma, norm, norms, dots, n);
}

template <class T>
T power(T base, int degree) {
  T result = 1;
  for (; degree > 0; degree >>= 1, base *= base) {
    if (degree & 1) result *= base;
  }
  return result;
}

template <class T>
void finish(const Kernel& kernel, T norm, const T* norms, T* dots, std::int64_t n) {
  const T gamma = static_cast<T>(kernel.gamma), coef0 = static_cast<T>(kernel.coef0);
  const T shift = static_cast<T>(kernel.shift);
  switch (kernel.kind) {
    case KernelKind::linear: break;
    case KernelKind::polynomial:
      for (std::int64_t i = 0; i < n; ++i) dots[i] = power(gamma * dots[i] + coef0, kernel.degree);
      break;
    case KernelKind::gaussian:
      distances(gamma, norm, norms, dots, n);
      exp_all(dots, n);
      break;
    case KernelKind::sigmoid:
      for (std::int64_t i = 0; i < n; ++i) dots[i] = std::tanh(gamma * dots[i] + coef0);
      break;
  }
  if (shift != T{0}) {
    for (std::int64_t i = 0; i < n; ++i) dots[i] += shift;
  }
}

}  // namespace

void finish_kernel(const Kernel& kernel, float norm, const float* norms, float* dots,
                   std::int64_t n) {
  finish(kernel, norm, norms, dots, n);
}

void finish_kernel(const Kernel& kernel, double norm, const double* norms, double* dots,
                   std::int64_t n) {
  finish(kernel, norm, norms, dots, n);
}

}  // namespace linnet
