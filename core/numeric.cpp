#include "numeric.hpp"

#include <bit>
#include <cstring>

#include "lanes.hpp"

namespace linnet {
namespace {

// e^x = 2^k e^r with k the integer nearest to x / ln 2 and |r| <= ln 2 / 2, where a polynomial
// does. Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the lowest bits. V is one
// number or several, with as many words of Bits; the same operations give the same bits.
template <class V, class Bits>
LINNET_INLINE V exponential(const V& v) {
  constexpr double kRound = 0x1.8p52, kLog2e = 1.4426950408889634074;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  const V zero{}, low = zero - 708.0, high = zero + 709.0;
  const V above = v < low ? low : v;
  const V c = high < above ? high : above;
  const V shifted = c * kLog2e + kRound;
  const V k = shifted - kRound;
  const V r = (c - k * kLn2High) - k * kLn2Low;
  V p = zero + 1.0 / 6227020800.0;
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
  const Bits power = (std::bit_cast<Bits>(shifted) + 1023U) << 52;
  const V e = p * std::bit_cast<V>(power);
  return v < low ? zero : e;
}

}  // namespace

// Compilers take the loop over single numbers for one with branches, three times slower without
// AVX-512; four at a time they cannot.
LINNET_CLONES
void exp_in_place(double* x, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__GNUC__)
  using Four = Lanes<double, 4>;
  for (; i + 4 <= n; i += 4) {
    store_lanes(exponential<Four, Lanes<std::uint64_t, 4>>(load_lanes<Four>(x + i)), x + i);
  }
#endif
  for (; i < n; ++i) x[i] = exponential<double, std::uint64_t>(x[i]);
}

}  // namespace linnet
