#include "transposed.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace linnet {
namespace {

constexpr std::int64_t kParts = 4;  // row parts that count and fill independently

template <class V>
Columns<V> transpose_rows(const Csr<V>& x, ThreadPool& pool) {
  const std::int64_t cols = x.cols;
  const std::int64_t part_rows = std::max<std::int64_t>(1, (x.rows + kParts - 1) / kParts);
  std::vector<std::int64_t> next(static_cast<std::size_t>(kParts * cols));  // [part][feature]
  auto each_part = [&](auto&& body) {
    pool.run(kParts, [&](std::int64_t part) {
      const std::int64_t last = std::min(x.rows, (part + 1) * part_rows);
      for (std::int64_t i = part * part_rows; i < last; ++i) body(i, next.data() + part * cols);
    });
  };
  each_part([&](std::int64_t i, std::int64_t* count) {
    for (std::int64_t k = x.start[i]; k < x.start[i + 1]; ++k) ++count[x.index[k]];
  });

  const auto stored = static_cast<std::size_t>(x.stored());
  Columns<V> out;
  out.start = std::make_unique_for_overwrite<std::int64_t[]>(static_cast<std::size_t>(cols + 1));
  out.row = std::make_unique_for_overwrite<std::int32_t[]>(stored);
  if constexpr (!std::is_same_v<V, Unit>) out.value = std::make_unique_for_overwrite<V[]>(stored);
  out.grain = std::clamp<std::int64_t>(cols / 64, 1, 4096);
  std::int64_t position = 0;
  for (std::int64_t j = 0; j < cols; ++j) {
    out.start[j] = position;
    for (std::int64_t part = 0; part < kParts; ++part) {
      const std::int64_t count = next[static_cast<std::size_t>(part * cols + j)];
      next[static_cast<std::size_t>(part * cols + j)] = position;
      position += count;
    }
  }
  out.start[cols] = position;

  each_part([&](std::int64_t i, std::int64_t* at) {
    for (std::int64_t k = x.start[i]; k < x.start[i + 1]; ++k) {
      const std::int64_t to = at[x.index[k]]++;
      out.row[to] = static_cast<std::int32_t>(i);
      if constexpr (!std::is_same_v<V, Unit>) out.value[to] = x.value[k];
    }
  });
  return out;
}

}  // namespace

Columns<Unit> transpose(const Csr<Unit>& x, ThreadPool& pool) { return transpose_rows(x, pool); }
Columns<float> transpose(const Csr<float>& x, ThreadPool& pool) { return transpose_rows(x, pool); }
Columns<double> transpose(const Csr<double>& x, ThreadPool& pool) {
  return transpose_rows(x, pool);
}

AnyColumns transpose(const AnyCsr& any, ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) -> AnyColumns {
        return std::make_shared<const Columns<V>>(transpose_rows(x, pool));
      },
      any);
}

}  // namespace linnet
