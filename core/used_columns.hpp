// The columns of a matrix that some row has, numbered anew in their order.
//
// Hashed features lie scattered over many more columns than occur: most of every cache line of
// weights that is fetched belongs to columns that nobody asks for, and every pass over all weights
// reads several times too many. A solver that leaves the weight of a column without values at 0 can
// work on the used columns alone. They keep their order, so every sum adds up the same numbers in
// the same order: the result is the same to the last bit.
//
// A bit for each column, and before each word of bits how many columns are used by then: a number
// is that and the bits before its own. For millions of columns this fits the cache next to a core,
// where a table of numbers does not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "large_pages.hpp"
#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

class UsedColumns {
 public:
  // Looks at the column ids of x, unless x has too few columns, or too many values for half of them
  // to be unused.
  template <class V>
  UsedColumns(const Csr<V>& x, ThreadPool& pool) : cols_(x.cols), used_(x.cols) {
    if (x.cols >= kMany && x.stored() < kValuesPerColumn * x.cols) find(x.index, x.stored(), pool);
  }

  bool few() const { return used_ <= cols_ / 2; }
  std::int32_t cols() const { return cols_; }
  std::int32_t used() const { return used_; }

  // The rest is for few columns. Writes the numbers of columns, which may be out itself; false
  // when some of them is none of those used.
  bool number(const std::int32_t* column, std::int64_t count, std::int32_t* out,
              ThreadPool& pool) const;
  // Writes columns[used], the old number of each.
  void columns(std::int32_t* out, ThreadPool& pool) const;

  // Copies weights[used + rest][columns] to their places in out[cols + rest][columns], of which
  // those of other columns stay as they are. The rest is the row of the bias, if there is one.
  void spread(const double* weights, std::int32_t columns, std::int64_t rest, double* out) const {
    const double* from = weights;
    for_each(0, words_.size(), [&](std::int32_t column, std::int32_t) {
      std::copy_n(from, columns, out + std::int64_t{column} * columns);
      from += columns;
    });
    std::copy_n(from, rest * columns, out + std::int64_t{cols_} * columns);
  }

  struct Word {
    std::uint32_t bits;   // of 32 columns
    std::int32_t before;  // how many columns are used before the first of them
  };

 private:
  static constexpr std::int32_t kMany = 1 << 18;  // fewer fit a cache in any case
  static constexpr std::int64_t kValuesPerColumn = 4;

  void find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool);

  // Calls body(column, number) for the used columns of some words, in order.
  template <class Body>
  void for_each(std::size_t first, std::size_t last, Body&& body) const {
    for (std::size_t w = first; w < last; ++w) {
      std::int32_t number = words_[w].before;
      for (std::uint32_t bits = words_[w].bits; bits != 0; bits &= bits - 1) {
        body(static_cast<std::int32_t>(32 * w) + std::countr_zero(bits), number++);
      }
    }
  }

  const std::int32_t cols_;
  std::int32_t used_;
  LargeVector<Word> words_;
};

}  // namespace linnet
