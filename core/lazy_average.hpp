// Decay and averaging that cost nothing where nothing is added (SPEC C-23).
//
//   decay     W = scale * V: shrinking W shrinks `scale`; adding d to W adds d / scale to V
//   average   with sum_t = scale_1 + .. + scale_t, adding d to V at step t adds d sum_{t-1} to A;
//             then W_1 + .. + W_n = sum_n V - A
//
// V and A belong to the caller, who tells when a step is counted.
#pragma once

#include <cmath>
#include <cstdint>

namespace linnet {

struct LazyAverage {
  double scale = 1.0;
  double sum = 0.0;  // of the scales of the counted steps

  double inside(double amount) const { return amount / scale; }  // what it adds to V
  double later(double inside) const { return inside * sum; }     // and that to A

  void count() { sum += scale; }

  // sum V - A loses as many digits as the scale has zeros.
  static double least_scale(bool averages) { return averages ? 1e-4 : 1e-9; }
  bool is_far_from(double least) const {
    const double size = std::abs(scale);
    return size < least || size > 1.0 / least;
  }

  // Makes the scale 1 and the sum 0 in n weights and their sums (null = no average), without
  // changing W or the sum over past steps; the state itself is for `restart`.
  void fold(double* weights, double* sums, std::int64_t n) const {
    for (std::int64_t k = 0; k < n; ++k) {
      if (sums != nullptr) sums[k] -= sum * weights[k];
      weights[k] *= scale;
    }
  }
  void restart() { *this = {}; }

  double current(double v) const { return scale * v; }
  double mean(double v, double a, double count) const { return (sum * v - a) / count; }
};

}  // namespace linnet
