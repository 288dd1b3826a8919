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

// ln x = k ln 2 + ln(1 + f) with sqrt(1/2) <= 1 + f < sqrt(2). With s = f / (2 + f),
//   ln(1 + f) = 2 artanh s = 2 s + s r,  r = 2 (s^2/3 + s^4/5 + ..),  |s| < 0.172,
// and since s f = f^2/2 - s f^2/2, 2 s = f - f^2/2 + s f^2/2, whose first term is exact.
template <class V, class Bits>
LINNET_INLINE V logarithm(const V& v) {
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  constexpr double kRound = 0x1.8p52;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdU, kOne = std::uint64_t{1023} << 52;
  const Bits bits = std::bit_cast<Bits>(v);
  const Bits biased = (bits - kRootHalf + kOne) >> 52;  // k + 1023
  const V f = std::bit_cast<V>(bits - (biased << 52) + kOne) - 1.0;
  const V k = std::bit_cast<V>(biased + std::bit_cast<std::uint64_t>(kRound)) - (kRound + 1023.0);
  const V s = f / (f + 2.0), z = s * s, half = 0.5 * f * f;
  V p = V{} + 2.0 / 23.0;
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  return k * kLn2High - ((half - (s * (half + p * z) + k * kLn2Low)) - f);
}

}  // namespace

// Compilers take the loop over single numbers for one with branches, three times slower without
// AVX-512; eight at a time, then four, they cannot.
LINNET_CLONES
void exp_in_place(double* x, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__GNUC__)
  using Eight = Lanes<double, 8>;
  for (; i + 8 <= n; i += 8) {
    store_lanes(exponential<Eight, Lanes<std::uint64_t, 8>>(load_lanes<Eight>(x + i)), x + i);
  }
  using Four = Lanes<double, 4>;
  for (; i + 4 <= n; i += 4) {
    store_lanes(exponential<Four, Lanes<std::uint64_t, 4>>(load_lanes<Four>(x + i)), x + i);
  }
#endif
  for (; i < n; ++i) x[i] = exponential<double, std::uint64_t>(x[i]);
}

LINNET_CLONES
void log_in_place(double* x, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__GNUC__)
  using Eight = Lanes<double, 8>;
  for (; i + 8 <= n; i += 8) {
    store_lanes(logarithm<Eight, Lanes<std::uint64_t, 8>>(load_lanes<Eight>(x + i)), x + i);
  }
#endif
  for (; i < n; ++i) x[i] = logarithm<double, std::uint64_t>(x[i]);
}

}  // namespace linnet
