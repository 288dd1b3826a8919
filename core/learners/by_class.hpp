// Sums over the examples of each class, in parallel and in a fixed order.
//
//   table[k][j] = sum over i of class k of f(weight_i, x_ij, k, j), over the stored x_ij
//
// Examples are put in order of class and each class is cut into parts of about equal size; how
// depends on the data alone. The first part of a class adds to the table itself, every further
// part to a row of its own, and those rows are added in order: the same bits at any thread count.
// Who adds to a row clears it first: what another core has written is slow to reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "../numeric.hpp"
#include "../row_lines.hpp"
#include "counting.hpp"

namespace linnet {

struct ClassPart {
  std::int32_t label;
  std::int64_t first, last;  // positions in the order by class
  std::int64_t spare;        // the row of scratch it adds to; -1 = the table
};

class ByClass {
 public:
  // start: [rows + 1], the row pointers.
  ByClass(const std::int64_t* start, std::int64_t rows, std::int32_t cols, const Labelled& labels);

  template <class V, class F>
  void sum(const Csr<V>& x, double* table, ThreadPool& pool, F&& f) const {
    const auto scratch =
        std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(spares_ * cols_));
    pool.run(static_cast<std::int64_t>(parts_.size()), [&](std::int64_t p) {
      const ClassPart& part = parts_[static_cast<std::size_t>(p)];
      double* out =
          part.spare < 0 ? table + part.label * cols_ : scratch.get() + part.spare * cols_;
      std::fill(out, out + cols_, 0.0);
      for (std::int64_t at = part.first; at < part.last; ++at) {
        const std::int64_t i = order_[at], next = order_[std::min(at + kRowsAhead, part.last - 1)];
        add_row(x.row(i), out, RowLines<V>(x.row(next)),
                [&, weight = labels_.weight[i]](double value, std::int32_t j) {
                  return f(weight, value, part.label, j);
                });
      }
    });
    add_spares(scratch.get(), table, pool);
  }

 private:
  static constexpr std::int64_t kRowsAhead = 1;  // rows between a prefetch and its use

  // out[j] += amount(x_j, j). The ids of a row differ, so four additions may be in flight. Rows of
  // one class lie scattered: the lines of the next are asked for meanwhile.
  template <class V, class Amount>
  static LINNET_INLINE void add_row(const Row<V>& row, double* out, const RowLines<V>& next,
                                    Amount&& amount) {
    const std::int32_t* j = row.index;
    std::int64_t s = in_steps<4>(row.size, next, [&](std::int64_t at) LINNET_INLINE_LAMBDA {
      double sum[4];
      for (int u = 0; u < 4; ++u) {
        sum[u] = out[j[at + u]] + amount(value_at(row.value, at + u), j[at + u]);
      }
      for (int u = 0; u < 4; ++u) out[j[at + u]] = sum[u];
    });
    for (; s < row.size; ++s) out[j[s]] += amount(value_at(row.value, s), j[s]);
  }

  void add_spares(const double* scratch, double* table, ThreadPool& pool) const;

  Labelled labels_;
  std::int64_t cols_;
  std::vector<std::int64_t> order_;  // [rows], by class, then as given
  std::vector<ClassPart> parts_;     // by class, then by position
  std::int64_t spares_ = 0;
};

}  // namespace linnet
