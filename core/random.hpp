// Counter-based random numbers: value n of stream (seed, stream) is a hash of the three, so any
// part of any stream can be made anywhere, in any order, with the same result.
#pragma once

#include <cstdint>
#include <utility>

namespace linnet {

inline std::uint64_t mix(std::uint64_t z) {  // the finaliser of SplitMix64 (Steele et al. 2014)
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : key_(mix(mix(seed) ^ stream)) {}

  std::uint64_t next() { return mix(key_ ^ counter_++); }

  // Uniform on 0..n-1, n > 0, without bias: numbers in the incomplete last cycle are redrawn.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    std::uint64_t r = next();
    while (r >= limit) r = next();
    return r % n;
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

// Fisher-Yates (SPEC A-66).
template <class T>
void shuffle(T* items, std::int64_t n, Random& random) {
  for (std::int64_t i = n; i > 1; --i) {
    std::swap(items[i - 1], items[random.below(static_cast<std::uint64_t>(i))]);
  }
}

// The order of the examples in one round: 0..n-1 shuffled by stream (seed, round).
inline void permutation(std::int64_t* out, std::int64_t n, std::uint64_t seed,
                        std::uint64_t round) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = i;
  Random random(seed, round);
  shuffle(out, n, random);
}

}  // namespace linnet
