// Hashes of tokens and n-grams.
//
// A fingerprint is 64 bits: the identity of a feature wherever its spelling would be too slow to
// compare. Fitting detects the (one in ten million) vocabulary in which two features share one and
// takes another seed; an unseen n-gram is taken for a known one with probability J / 2^64.
// Murmur3 is the hash of the hashing trick, bit for bit that of scikit-learn's HashingVectorizer.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../numeric.hpp"

namespace linnet::text {

// The high and low half of the product, folded together.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t a0 = a & 0xffffffffU, a1 = a >> 32, b0 = b & 0xffffffffU, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, m1 = a1 * b0 + (low >> 32), m2 = a0 * b1 + (m1 & 0xffffffffU);
  return ((m2 << 32) | (low & 0xffffffffU)) ^ (a1 * b1 + (m1 >> 32) + (m2 >> 32));
#endif
}

// floor(hash * n / 2^64): a place below n, from the high bits of the hash.
inline std::uint64_t place(std::uint64_t hash, std::uint64_t n) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(hash) * n) >> 64);
#else
  return ((hash >> 32) * n) >> 32;  // n < 2^32
#endif
}

// Bytes are read in little-endian order everywhere, so that a model file fits every machine.
template <class T>
T load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    T turned = 0;
    for (std::size_t k = 0; k < sizeof value; ++k) {
      turned = static_cast<T>(turned | static_cast<T>(static_cast<unsigned char>(p[k])) << (8 * k));
    }
    return turned;
  }
  return value;
}

inline constexpr std::uint64_t kPrint1 = 0x9e3779b97f4a7c15U, kPrint2 = 0xd1b54a32d192ed03U;

inline std::uint64_t fingerprint(std::string_view bytes, std::uint64_t seed) {
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  std::uint64_t h = fold(seed ^ kPrint1, n + kPrint2);
  for (; n > 8; p += 8, n -= 8) h = fold(h ^ load<std::uint64_t>(p), kPrint2);
  std::uint64_t tail = 0;
  if (n >= 4) {
    tail = load<std::uint32_t>(p) | std::uint64_t{load<std::uint32_t>(p + n - 4)} << 32;
  } else if (n > 0) {
    const auto byte = [&](std::size_t k) {
      return std::uint64_t{static_cast<unsigned char>(p[k])};
    };
    tail = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  return fold(h ^ tail, kPrint1);
}

// The same of one byte or more, behind which memory goes on for at least seven: how many they are
// cannot be foreseen in running text, so there is no branch that depends on it up to eight.
inline std::uint64_t running_fingerprint(const char* p, std::size_t n, std::uint64_t seed) {
  std::uint64_t h = fold(seed ^ kPrint1, n + kPrint2);
  for (; n > 8; p += 8, n -= 8) h = fold(h ^ load<std::uint64_t>(p), kPrint2);
  const auto word = load<std::uint64_t>(p);
  const std::uint64_t ends = (word & 0xffffffffU) | word >> ((8 * n - 32) & 63U) << 32;
  const std::uint64_t few =
      (word & 0xffU) | (word >> 8 * (n / 2) & 0xffU) << 8 | (word >> 8 * (n - 1) & 0xffU) << 16;
  const std::uint64_t is_few = std::uint64_t{0} - (n < 4);  // all bits or none
  return fold(h ^ ((few & is_few) | (ends & ~is_few)), kPrint1);
}

// The fingerprint of an n-gram from that of its first n - 1 tokens and of its last.
inline std::uint64_t extend(std::uint64_t prefix, std::uint64_t token) {
  return fold(prefix + 0x8cb92ba72f3d8dd7U, token ^ 0xa0761d6478bd642fU);
}

// Its parts: what becomes of four bytes, the state with them, and the end.
LINNET_INLINE std::uint32_t murmur3_block(std::uint32_t block) {
  return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}
LINNET_INLINE std::uint32_t murmur3_step(std::uint32_t h, std::uint32_t block) {
  return std::rotl(h ^ murmur3_block(block), 13) * 5 + 0xe6546b64U;
}
LINNET_INLINE std::uint32_t murmur3_end(std::uint32_t h, std::uint32_t tail, std::uint32_t size) {
  h ^= murmur3_block(tail) ^ size;  // a tail of 0 changes nothing
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

inline std::uint32_t murmur3(std::string_view bytes) {
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  std::uint32_t h = 0, tail = 0;
  for (; n >= 4; p += 4, n -= 4) h = murmur3_step(h, load<std::uint32_t>(p));
  for (; n > 0; --n) tail = tail << 8 | static_cast<unsigned char>(p[n - 1]);
  return murmur3_end(h, tail, static_cast<std::uint32_t>(bytes.size()));
}

// The bucket and sign of the hashing trick for n buckets.
struct Bucket {
  std::int32_t column;
  bool negative;
};
inline Bucket bucket_of_hash(std::uint32_t hash, std::uint32_t n) {
  const auto h = static_cast<std::int32_t>(hash);
  if (h == INT32_MIN) {  // scikit-learn's own way out of the one value without an opposite
    return {static_cast<std::int32_t>((2147483647U - (n - 1)) % n), true};
  }
  const auto size = static_cast<std::uint32_t>(h < 0 ? -h : h);
  const std::uint32_t column = (n & (n - 1)) == 0 ? size & (n - 1) : size % n;
  return {static_cast<std::int32_t>(column), h < 0};
}
inline Bucket bucket(std::string_view feature, std::uint32_t n) {
  return bucket_of_hash(murmur3(feature), n);
}

}  // namespace linnet::text
