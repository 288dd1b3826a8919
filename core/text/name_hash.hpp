// A fingerprint of names that are put together from parts.
//
// The bytes b_1 .. b_n have the hash sum_i (b_i + 1) B^(n - i) modulo the prime 2^61 - 1, B being
// drawn by a seed. So the hash of two strings end to end follows from their hashes and lengths, and
// "w[-1]|w[0]=the|cat" is never spelled to be found: literal and values have been hashed before.
// Two given names of n bytes share a hash with probability n / 2^61.
#pragma once

#include <cstdint>
#include <string_view>

namespace linnet::text {

inline constexpr std::uint64_t kPrime61 = (std::uint64_t{1} << 61) - 1;

// a b modulo the prime, both below it.
inline std::uint64_t times61(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const auto low = static_cast<std::uint64_t>(product) & kPrime61;
  const auto high = static_cast<std::uint64_t>(product >> 61);
#else
  const std::uint64_t a0 = a & 0xffffffffU, a1 = a >> 32, b0 = b & 0xffffffffU, b1 = b >> 32;
  const std::uint64_t first = a0 * b0, cross = a1 * b0 + (first >> 32);
  const std::uint64_t middle = a0 * b1 + (cross & 0xffffffffU);
  const std::uint64_t bottom = (middle << 32) | (first & 0xffffffffU);
  const std::uint64_t top = a1 * b1 + (cross >> 32) + (middle >> 32);
  const std::uint64_t low = bottom & kPrime61;
  const std::uint64_t high = top << 3 | bottom >> 61;
#endif
  const std::uint64_t sum = low + high;
  return sum >= kPrime61 ? sum - kPrime61 : sum;
}

// What is known of a string: its hash, and B to the power of its length. That of the empty string
// by default.
struct Chunk {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;
};

// The hash of a string with another behind it.
inline std::uint64_t joined(std::uint64_t hash, const Chunk& behind) {
  const std::uint64_t sum = times61(hash, behind.power) + behind.hash;
  return sum >= kPrime61 ? sum - kPrime61 : sum;
}

// All 64 bits of a fingerprint depend on the hash; different hashes stay different.
inline std::uint64_t print_of(std::uint64_t hash) {
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93U;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93U;
  return hash ^ hash >> 32;
}

class NameHash {
 public:
  explicit NameHash(std::uint64_t seed)
      : base_(print_of(seed + 0x9e3779b97f4a7c15U) % (kPrime61 - 1024) + 512) {}

  Chunk operator()(std::string_view bytes) const {
    Chunk chunk;
    for (const char byte : bytes) {
      chunk.hash = behind(chunk.hash, byte);
      chunk.power = times61(chunk.power, base_);
    }
    return chunk;
  }

  // The hash of a string with one byte more.
  std::uint64_t behind(std::uint64_t hash, char byte) const {
    return joined(hash, {std::uint64_t{static_cast<unsigned char>(byte)} + 1, base_});
  }

 private:
  std::uint64_t base_;
};

}  // namespace linnet::text
