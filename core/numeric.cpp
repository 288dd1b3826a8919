#include "numeric.hpp"

#include <bit>

namespace linnet {

// e^x = 2^k e^r with k the integer nearest to x / ln 2 and |r| <= ln 2 / 2, where a polynomial
// does. Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the lowest bits.
LINNET_CLONES
void exp_in_place(double* x, std::int64_t n) {
  constexpr double kRound = 0x1.8p52, kLog2e = 1.4426950408889634074;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = x[i];
    const double c = std::min(std::max(v, -708.0), 709.0);
    const double shifted = c * kLog2e + kRound;
    const double k = shifted - kRound;
    const double r = (c - k * kLn2High) - k * kLn2Low;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52;
    const double e = p * std::bit_cast<double>(power);
    x[i] = v < -708.0 ? 0.0 : e;
  }
}

}  // namespace linnet
