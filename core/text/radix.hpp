// A stable radix sort of 64-bit words by some of their bits, on all threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../parallel.hpp"

namespace linnet::text {

// Sorts `words` by the `bits` bits above the lowest `shift` ones. `key(word)` gives the number
// that holds them. `spare` has the same size; which of the two holds the result is returned.
template <class Word, class Key>
Word* radix_sort(Word* words, Word* spare, std::int64_t n, int shift, int bits, Key key,
                 ThreadPool& pool) {
  constexpr int kDigit = 10;  // 1,024 places written to at once: within reach of the caches
  const int passes = std::max(1, (bits + kDigit - 1) / kDigit);
  const int width = (bits + passes - 1) / passes;
  const std::int64_t buckets = std::int64_t{1} << width;
  const std::int64_t chunks = std::clamp<std::int64_t>(n >> 14, 1, pool.threads());
  const std::int64_t grain = (n + chunks - 1) / chunks;
  std::vector<std::int64_t> places(static_cast<std::size_t>(chunks * buckets));
  for (int pass = 0; pass < passes; ++pass, shift += width) {
    const auto digit = [&](const Word& word) {
      return static_cast<std::int64_t>((key(word) >> shift) &
                                       static_cast<std::uint64_t>(buckets - 1));
    };
    std::fill(places.begin(), places.end(), 0);
    pool.run(chunks, [&](std::int64_t c) {
      std::int64_t* const own = places.data() + c * buckets;
      const std::int64_t last = std::min(n, (c + 1) * grain);
      for (std::int64_t i = c * grain; i < last; ++i) ++own[digit(words[i])];
    });
    std::int64_t total = 0;
    for (std::int64_t b = 0; b < buckets; ++b) {
      for (std::int64_t c = 0; c < chunks; ++c) {
        total += std::exchange(places[static_cast<std::size_t>(c * buckets + b)], total);
      }
    }
    pool.run(chunks, [&](std::int64_t c) {
      std::int64_t* const own = places.data() + c * buckets;
      const std::int64_t last = std::min(n, (c + 1) * grain);
      for (std::int64_t i = c * grain; i < last; ++i) spare[own[digit(words[i])]++] = words[i];
    });
    std::swap(words, spare);
  }
  return words;
}

}  // namespace linnet::text
