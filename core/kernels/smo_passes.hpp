// The three sweeps of one SMO step over the examples at work (SPEC M-81).
//
// `up[t]` is F_t = y_t - sum_s beta_s K(t, s) where beta_t may still grow, else -inf; `low[t]` is
// F_t where beta_t may shrink, else +inf. All arrays are padded to a multiple of kSweep with
// examples that may do neither, so no sweep has a tail.
#pragma once

#include <cstdint>

namespace linnet {

constexpr std::int64_t kSweep = 64;

struct Extremes {
  double up;           // the largest of up
  double low;          // the smallest of low
  std::int64_t up_at;  // and where they are: the first of equals
  std::int64_t low_at;
};

Extremes extremes(const double* up, const double* low, std::int64_t n);

// Subtracts step (row_i - row_j) from up and low; row_j may be null. Returns the new extremes.
Extremes subtract_rows(const float* row_i, const float* row_j, double step, double* up, double* low,
                       std::int64_t n);
Extremes subtract_rows(const double* row_i, const double* row_j, double step, double* up,
                       double* low, std::int64_t n);

// The partner j for i that promises the largest decrease, (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij)
// over all j that may shrink with F_j < F_i; -1 when there is none.
std::int64_t best_partner(const float* row_i, const float* diagonal, float own, double f_i,
                          const double* low, std::int64_t n);
std::int64_t best_partner(const double* row_i, const double* diagonal, double own, double f_i,
                          const double* low, std::int64_t n);

}  // namespace linnet
