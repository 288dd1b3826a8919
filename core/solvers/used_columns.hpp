// The columns of a matrix that some row has, numbered anew in their order.
//
// Hashed features lie scattered over many more columns than occur: most of every cache line of
// weights that is fetched belongs to columns that nobody asks for, and every pass over all weights
// reads several times too many. A solver that leaves the weight of a column without values at 0 can
// work on the used columns alone. They keep their order, so every sum adds up the same numbers in
// the same order: the result is the same to the last bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

class UsedColumns {
 public:
  // Looks at the column ids of x, unless x has too few columns, or too many values for half of them
  // to be unused.
  template <class V>
  UsedColumns(const Csr<V>& x, ThreadPool& pool) : cols_(x.cols) {
    if (x.cols < kMany || x.stored() >= kValuesPerColumn * x.cols) return;
    number_.resize(static_cast<std::size_t>(x.cols));
    // Each thread reads all ids and marks those of its own range of columns.
    const std::int64_t parts = std::clamp(pool.threads(), 1, 8), step = x.cols / parts + 1;
    pool.run(parts, [&](std::int64_t part) {
      const auto first = static_cast<std::uint32_t>(part * step);
      const std::uint32_t width =
          static_cast<std::uint32_t>(std::clamp<std::int64_t>(x.cols - part * step, 0, step));
      for (std::int64_t k = 0; k < x.stored(); ++k) {
        const std::uint32_t column = static_cast<std::uint32_t>(x.index[k]) - first;
        if (column < width) number_[first + column] = 1;
      }
    });
    for (std::int32_t& number : number_) {
      const bool used = number != 0;
      number = used_;
      used_ += used;
    }
    if (used_ > x.cols / 2) return;
    index_.resize(static_cast<std::size_t>(x.stored()));
    pool.ranges(x.stored(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) index_[k] = number_[x.index[k]];
    });
  }

  bool few() const { return !index_.empty(); }  // at most half of the columns are used

  // The same rows over the used columns, where these are few.
  template <class V>
  Csr<V> of(const Csr<V>& x) const {
    return {x.rows, used_, x.start, index_.data(), x.value};
  }

  // Copies weights[used columns + rest][columns] to their places in out[cols + rest][columns], of
  // which those of other columns stay as they are. The rest is the row of the bias, if there is
  // one.
  void spread(const double* weights, std::int32_t columns, std::int64_t rest, double* out) const {
    const auto from = [&](std::int64_t row) { return weights + row * columns; };
    for (std::int32_t j = 0; j < cols_; ++j) {
      const std::int32_t next = j + 1 < cols_ ? number_[j + 1] : used_;
      if (next > number_[j])
        std::copy_n(from(number_[j]), columns, out + std::int64_t{j} * columns);
    }
    std::copy_n(from(used_), rest * columns, out + std::int64_t{cols_} * columns);
  }

 private:
  static constexpr std::int32_t kMany = 1 << 18;  // fewer fit a cache in any case
  static constexpr std::int64_t kValuesPerColumn = 4;

  const std::int32_t cols_;
  std::int32_t used_ = 0;
  LargeVector<std::int32_t> number_;  // [cols] how many used columns come before
  LargeVector<std::int32_t> index_;   // [stored] the new column ids, or empty
};

}  // namespace linnet
