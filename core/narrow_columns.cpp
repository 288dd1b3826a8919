#include "narrow_columns.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numeric.hpp"

namespace linnet {

std::size_t NarrowColumns::tier_of(std::uint32_t rows) {
  return rows >= 64 ? 0 : rows >= 8 ? 1 : rows >= 2 ? 2 : 3;
}

NarrowColumns::NarrowColumns(const Csr<float>& x, ThreadPool& pool)
    : number_(static_cast<std::size_t>(x.cols)) {
  // Each thread reads all ids and counts those of its own range of columns, then how many columns
  // of each tier it has: so it knows where its numbers begin.
  const std::int64_t parts = std::clamp(pool.threads(), 1, 8), step = x.cols / parts + 1;
  LargeVector<std::uint32_t> count(static_cast<std::size_t>(x.cols));
  std::vector<std::array<std::int32_t, kTiers>> next(static_cast<std::size_t>(parts));
  const auto last = [&](std::int64_t part) {
    return std::min<std::int64_t>(x.cols, (part + 1) * step);
  };
  pool.run(parts, [&](std::int64_t part) {
    const std::int64_t first = part * step;
    const auto width = static_cast<std::uint32_t>(std::max<std::int64_t>(0, last(part) - first));
    for (std::int64_t k = 0; k < x.stored(); ++k) {
      const auto column = static_cast<std::uint32_t>(x.index[k] - first);
      if (column < width) ++count[first + column];
    }
    for (std::int64_t j = first; j < last(part); ++j) {
      if (count[j] > 0) ++next[part][tier_of(count[j])];
    }
  });
  std::int32_t total = 0;
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    edge_[tier] = total;
    for (auto& own : next) total += std::exchange(own[tier], total);
  }
  edge_[kTiers] = total;
  pool.run(parts, [&](std::int64_t part) {
    for (std::int64_t j = part * step; j < last(part); ++j) {
      number_[j] = count[j] > 0 ? next[part][tier_of(count[j])]++ : -1;
    }
  });
}

void NarrowColumns::columns(std::int32_t* out) const {
  for (std::size_t j = 0; j < number_.size(); ++j) {
    if (number_[j] >= 0) out[number_[j]] = static_cast<std::int32_t>(j);
  }
}

void NarrowColumns::rows(const Csr<float>& x, std::int32_t* index, float* value,
                         ThreadPool& pool) const {
  constexpr std::int64_t kAhead = 32;
  const auto tier = [&](std::int32_t number) {
    return std::size_t{number >= edge_[1]} + (number >= edge_[2]) + (number >= edge_[3]);
  };
  pool.ranges(x.rows, 256, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> numbers;  // of one row, and its values, which may be written over
    std::vector<float> values;
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t begin = x.start[row], n = x.start[row + 1] - begin;
      const std::int32_t* const old = x.index + begin;
      numbers.resize(static_cast<std::size_t>(n));
      values.assign(x.value + begin, x.value + begin + n);
      std::array<std::int64_t, kTiers + 1> at{};
      for (std::int64_t k = 0; k < n; ++k) {
        if (k + kAhead < n) LINNET_PREFETCH(number_.data() + old[k + kAhead]);
        numbers[k] = number_[old[k]];
        ++at[tier(numbers[k]) + 1];
      }
      at[0] = begin;
      for (std::size_t t = 1; t < kTiers; ++t) at[t] += at[t - 1];
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t to = at[tier(numbers[k])]++;
        index[to] = numbers[k];
        value[to] = values[k];
      }
    }
  });
}

}  // namespace linnet
