// The columns of a CSR matrix: for each feature the rows that have it. With it X^T R is a loop over
// features, each written by one thread and summed in row order.
#pragma once

#include <memory>
#include <variant>

#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

template <class V>
struct Columns {
  std::unique_ptr<std::int64_t[]> start;  // [cols + 1]
  std::unique_ptr<std::int32_t[]> row;    // [stored]
  std::unique_ptr<V[]> value;             // [stored], or null for Unit
  std::int64_t grain;                     // features per block of parallel work

  Row<V> column(std::int64_t j) const {
    return {row.get() + start[j], advance(value.get(), start[j]), start[j + 1] - start[j]};
  }
};

Columns<Unit> transpose(const Csr<Unit>& x, ThreadPool& pool);
Columns<float> transpose(const Csr<float>& x, ThreadPool& pool);
Columns<double> transpose(const Csr<double>& x, ThreadPool& pool);

// The columns of a matrix for those who share them: its kind is that of the matrix.
template <class V>
using SharedColumns = std::shared_ptr<const Columns<V>>;
using AnyColumns = std::variant<SharedColumns<Unit>, SharedColumns<float>, SharedColumns<double>>;
AnyColumns transpose(const AnyCsr& x, ThreadPool& pool);

}  // namespace linnet
