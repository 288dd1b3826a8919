// Some of the columns of a matrix, numbered in their order.
//
// A bit for each column, and before each word of bits how many columns there are by then: a number
// is that and the bits before its own. For millions of columns this fits the cache next to a core,
// where a table of numbers does not.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "large_pages.hpp"
#include "numeric.hpp"
#include "parallel.hpp"

namespace linnet {

class ColumnNumbers {
 public:
  // bits(w) are those of the columns 32 w .. 32 w + 31.
  template <class Bits>
  void set(std::int32_t cols, Bits&& bits) {
    words_.resize(static_cast<std::size_t>(cols / 32 + 1));
    count_ = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      words_[w] = {bits(w), count_};
      count_ += std::popcount(words_[w].bits);
    }
  }

  std::int32_t count() const { return count_; }

  struct Place {
    std::uint32_t known;  // 1 if the column is one of them
    std::int32_t number;  // how many of them come before it
  };
  LINNET_INLINE Place operator[](std::int32_t column) const {
    const auto j = static_cast<std::uint32_t>(column);
    const auto [bits, before] = words_[j / 32];
    return {bits >> (j % 32) & 1U, before + std::popcount(bits & ((1U << (j % 32)) - 1))};
  }

  // Calls body(column, number) for all of them, in order.
  template <class Body>
  void for_each(Body&& body) const {
    for_each(0, words_.size(), body);
  }

  // The same on all threads.
  template <class Body>
  void for_each(ThreadPool& pool, Body&& body) const {
    pool.ranges(static_cast<std::int64_t>(words_.size()), kBlock,
                [&](std::int64_t first, std::int64_t last) {
                  for_each(static_cast<std::size_t>(first), static_cast<std::size_t>(last), body);
                });
  }

 private:
  static constexpr std::int64_t kBlock = 1 << 14;

  struct Word {
    std::uint32_t bits;   // of 32 columns
    std::int32_t before;  // how many there are before the first of them
  };

  template <class Body>
  void for_each(std::size_t first, std::size_t last, Body& body) const {
    for (std::size_t w = first; w < last; ++w) {
      std::int32_t number = words_[w].before;
      for (std::uint32_t bits = words_[w].bits; bits != 0; bits &= bits - 1) {
        body(static_cast<std::int32_t>(32 * w) + std::countr_zero(bits), number++);
      }
    }
  }

  LargeVector<Word> words_;
  std::int32_t count_ = 0;
};

}  // namespace linnet
