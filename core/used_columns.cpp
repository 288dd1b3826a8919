#include "used_columns.hpp"

#include <atomic>
#include <vector>

#include "numeric.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kBlock = 1 << 16;

LINNET_CLONES bool number_all(const ColumnNumbers& numbers, const std::int32_t* column,
                              std::int64_t count, std::int32_t* out) {
  std::uint32_t used = 1;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [known, number] = numbers[column[k]];
    used &= known;
    out[k] = number;
  }
  return used != 0;
}

}  // namespace

void UsedColumns::find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool) {
  const auto size = static_cast<std::size_t>(cols_ / 32 + 1);
  // Each thread marks the columns of its own part of the values.
  const std::int64_t parts = std::clamp(pool.threads(), 1, 8);
  std::vector<LargeVector<std::uint32_t>> marks(static_cast<std::size_t>(parts));
  pool.run(parts, [&](std::int64_t part) {
    marks[part].resize(size);
    std::uint32_t* const mark = marks[part].data();
    for (std::int64_t k = part * stored / parts; k < (part + 1) * stored / parts; ++k) {
      const auto j = static_cast<std::uint32_t>(index[k]);
      mark[j / 32] |= 1U << (j % 32);
    }
  });
  numbers_.set(cols_, [&](std::size_t w) {
    std::uint32_t bits = 0;
    for (const auto& mark : marks) bits |= mark[w];
    return bits;
  });
  used_ = numbers_.count();
}

bool UsedColumns::number(const std::int32_t* column, std::int64_t count, std::int32_t* out,
                         ThreadPool& pool) const {
  std::atomic<bool> known{true};
  pool.ranges(count, kBlock, [&](std::int64_t first, std::int64_t last) {
    if (!number_all(numbers_, column + first, last - first, out + first)) known = false;
  });
  return known;
}

}  // namespace linnet
