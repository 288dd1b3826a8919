// How alike rows are: the mean of x_i x_k over pairs of different rows among some. It says how far
// a step for one row moves the scores of the others.
#pragma once

#include <cstdint>

#include "../views.hpp"

namespace linnet {

// The rows are row(0) .. row(count - 1), at least two. `zeros` are [cols], and 0 again afterwards.
template <class V, class W, class RowNumber>
double mean_product(const Csr<V>& x, std::int64_t count, RowNumber&& row, W* zeros) {
  const auto each = [&](auto&& visit) {  // visit(value, the sum of its column)
    for (std::int64_t n = 0; n < count; ++n) {
      const Row<V> one = x.row(row(n));
      for (std::int64_t k = 0; k < one.size; ++k) {
        visit(static_cast<W>(value_at(one.value, k)), zeros[one.index[k]]);
      }
    }
  };
  double products = 0.0;
  each([](W value, W& sum) { sum += value; });
  each([&](W value, W& sum) { products += double{value} * (double{sum} - value); });
  each([](W, W& sum) { sum = 0; });
  return products / (static_cast<double>(count) * static_cast<double>(count - 1));
}

}  // namespace linnet
