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

#include "column_numbers.hpp"
#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

class UsedColumns {
 public:
  // Looks at the column ids of x, unless x has too few columns, or too many values for half of them
  // to be unused.
  template <class V>
  UsedColumns(const Csr<V>& x, ThreadPool& pool) : cols_(x.cols), used_(x.cols) {
    if (looks_at(x.cols, x.stored())) find(x.index, x.stored(), pool);
  }
  static bool looks_at(std::int32_t cols, std::int64_t stored) {
    return cols >= kMany && stored < kValuesPerColumn * cols;
  }

  bool few() const { return used_ <= cols_ / 2; }
  std::int32_t cols() const { return cols_; }
  std::int32_t used() const { return used_; }

  // The rest is for few columns. Writes the numbers of columns, which may be out itself; false
  // when some of them is none of those used.
  bool number(const std::int32_t* column, std::int64_t count, std::int32_t* out,
              ThreadPool& pool) const;
  // Writes columns[used], the old number of each.
  void columns(std::int32_t* out, ThreadPool& pool) const {
    numbers_.for_each(pool, [&](std::int32_t column, std::int32_t n) { out[n] = column; });
  }

  // Copies weights[used + rest][columns] to their places in out[cols + rest][columns], of which
  // those of other columns stay as they are. The rest is the row of the bias, if there is one.
  void spread(const double* weights, std::int32_t columns, std::int64_t rest, double* out) const {
    const double* from = weights;
    numbers_.for_each([&](std::int32_t column, std::int32_t) {
      std::copy_n(from, columns, out + std::int64_t{column} * columns);
      from += columns;
    });
    std::copy_n(from, rest * columns, out + std::int64_t{cols_} * columns);
  }

 private:
  static constexpr std::int32_t kMany = 1 << 18;  // fewer fit a cache in any case
  static constexpr std::int64_t kValuesPerColumn = 4;

  void find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool);

  const std::int32_t cols_;
  std::int32_t used_;
  ColumnNumbers numbers_;
};

}  // namespace linnet
