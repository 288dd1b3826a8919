// Kernel functions of two rows, all of them functions of their dot product (SPEC M-40):
//
//   linear      x.z                       gaussian   exp(-gamma |x - z|^2)
//   polynomial  (gamma x.z + coef0)^degree    sigmoid    tanh(gamma x.z + coef0)
//
// `shift` is added to every value: shift = s^2 is the kernel of the rows with one more feature of
// value s, which folds a penalised intercept in (SPEC M-79).
#pragma once

#include <cstdint>

namespace linnet {

enum class KernelKind { linear, polynomial, gaussian, sigmoid };

struct Kernel {
  KernelKind kind = KernelKind::linear;
  double gamma = 1.0;
  double coef0 = 0.0;
  int degree = 1;
  double shift = 0.0;
};

// Values that are to be the same bits wherever they stand come from whole blocks: the last numbers
// of an odd length may be rounded otherwise, as they do not fill a register.
constexpr std::int64_t kFinishBlock = 64;
constexpr std::int64_t whole_blocks(std::int64_t n) {
  return (n + kFinishBlock - 1) / kFinishBlock * kFinishBlock;
}

// Replaces the n dot products of a row with others by kernel values; `norm` and `norms` are the
// squared norms of the row and of the others, read by the gaussian kernel only.
void finish_kernel(const Kernel& kernel, float norm, const float* norms, float* dots,
                   std::int64_t n);
void finish_kernel(const Kernel& kernel, double norm, const double* norms, double* dots,
                   std::int64_t n);

}  // namespace linnet
