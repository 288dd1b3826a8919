// Rows over fewer columns with the same products.
//
// A column that only one row has adds to the product of that row with itself and to no other. All
// columns that a row has to itself can therefore be one, whose value is the root of the sum of
// their squares: x_i x_k stays what it is for any two rows. A learner that knows rows by their
// products alone, as those with the penalty 1/2 |w|^2 do, finds the same coefficients a for them,
// and the weights are X^T a: those of the columns it left out are shares of the one it got.
//
// Of hashed n-grams more than half of the used columns are such. Each is a weight that no cache
// holds, fetched in every sweep for a single row.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "column_numbers.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

class OwnColumns {
 public:
  // Looks at the column ids of x, unless x has too few columns, or too many values for most of them
  // to be in one row.
  template <class V>
  OwnColumns(const Csr<V>& x, ThreadPool& pool) : cols_(x.cols), rows_(x.rows) {
    if (looks_at(x.cols, x.stored())) find(x.index, x.stored(), pool);
  }

  static bool looks_at(std::int32_t cols, std::int64_t stored) {
    return cols >= kMany && stored < kValuesPerColumn * cols;
  }
  // To leave them out pays: they are many more than what comes in their place.
  bool many() const { return own_ > 0 && own_ >= kOfEachRow * rows_; }
  std::int64_t rows() const { return rows_; }
  std::int32_t cols() const { return cols_; }
  std::int32_t shared() const { return shared_.count(); }
  std::int64_t own() const { return own_; }

  // Writes the rows of the same x over the shared columns, in their order, and behind them a column
  // for each row; index and value may be those of x itself, start may not. Returns how many values
  // they have now; -1 where a number of 32 bits cannot hold one of them: then index and value are
  // of no more use.
  std::int64_t fold(const Csr<float>& x, std::int64_t* start, std::int32_t* index, float* value,
                    ThreadPool& pool);

  // After that: writes weights[shared + rows][columns] to the places of all columns in
  // out[cols][columns], of which those of unused ones stay as they are.
  template <class W>
  void spread(const double* weights, std::int32_t columns, W* out, ThreadPool& pool) const {
    shared_.for_each(pool, [&](std::int32_t column, std::int32_t number) {
      share(weights + std::int64_t{number} * columns, 1.0, columns, column, out);
    });
    pool.run(static_cast<std::int64_t>(parts_.size()), [&](std::int64_t p) {
      const Part& part = parts_[p];
      for (std::size_t r = 0; r < part.root.size(); ++r) {
        const double* of_row =
            weights + (shared() + part.first + static_cast<std::int64_t>(r)) * columns;
        for (std::int64_t k = part.start[r]; k < part.start[r + 1] && part.root[r] > 0.0F; ++k) {
          share(of_row, double{part.own[k].value} / part.root[r], columns, part.own[k].column, out);
        }
      }
    });
  }

 private:
  static constexpr std::int32_t kMany = 1 << 18;  // fewer fit a cache in any case
  static constexpr std::int64_t kValuesPerColumn = 8;
  static constexpr std::int64_t kOfEachRow = 4;

  struct Own {
    std::int32_t column;
    float value;
  };
  struct Part {  // rows that follow each other
    std::int64_t first = 0;
    std::vector<std::int64_t> start{0};  // [rows + 1] into own
    std::vector<float> root;             // [rows] of the sum of squares of its own
    LargeVector<Own> own;
  };

  template <class W>
  static void share(const double* weights, double share, std::int32_t columns, std::int32_t column,
                    W* out) {
    W* const to = out + std::int64_t{column} * columns;
    for (std::int32_t c = 0; c < columns; ++c) to[c] = static_cast<W>(weights[c] * share);
  }

  void find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool);
  void fold_part(const Csr<float>& x, std::int64_t last, std::int64_t* end, std::int32_t* index,
                 float* value, Part& part) const;

  const std::int32_t cols_;
  const std::int64_t rows_;
  std::int64_t own_ = 0;
  ColumnNumbers shared_;
  std::vector<Part> parts_;
};

}  // namespace linnet
