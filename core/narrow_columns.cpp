#include "narrow_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numeric.hpp"

namespace linnet {

namespace {

// No branch: how many rows have a column cannot be foreseen.
std::size_t tier_of(std::int32_t rows) {
  return std::size_t{rows < 64} + (rows < 8) + (rows < 2) + (rows < 1);
}

// A value of a row above the number of its column: one word, that is written in one go.
using Cell = std::uint64_t;
Cell cell(std::int32_t number, float value) {
  return Cell{std::bit_cast<std::uint32_t>(value)} << 32 | static_cast<std::uint32_t>(number);
}

}  // namespace

NarrowColumns::NarrowColumns(const Csr<float>& x, ThreadPool& pool)
    : number_(static_cast<std::size_t>(x.cols)) {
  // Each thread reads all ids and counts those of its own range of columns, then how many columns
  // of each tier it has: so it knows where its numbers begin. They take the places of the counts.
  const std::int64_t parts = std::clamp(pool.threads(), 1, 8), step = x.cols / parts + 1;
  using Places = std::array<std::int32_t, kTiers + 1>;  // the last for columns that nobody has
  std::vector<Places> next(static_cast<std::size_t>(parts));
  const auto last = [&](std::int64_t part) {
    return std::min<std::int64_t>(x.cols, (part + 1) * step);
  };
  pool.run(parts, [&](std::int64_t part) {
    const std::int64_t first = std::min<std::int64_t>(x.cols, part * step);
    const auto width = static_cast<std::uint32_t>(last(part) - first);
    std::int32_t* const count = number_.data() + first;
    std::fill_n(count, width, 0);
    for (std::int64_t k = 0; k < x.stored(); ++k) {
      const auto column = static_cast<std::uint32_t>(x.index[k] - first);
      if (column < width) ++count[column];
    }
    Places own{};  // not in place: others write beside it
    for (std::uint32_t j = 0; j < width; ++j) ++own[tier_of(count[j])];
    next[part] = own;
  });
  std::int32_t total = 0;
  for (std::size_t t = 0; t < kTiers; ++t) {
    edge_[t] = total;
    for (auto& own : next) total += std::exchange(own[t], total);
  }
  edge_[kTiers] = total;
  pool.run(parts, [&](std::int64_t part) {
    Places own = next[part];
    for (std::int64_t j = part * step; j < last(part); ++j) {
      const std::int32_t rows = number_[j], number = own[tier_of(rows)]++;
      number_[j] = rows == 0 ? -1 : number;
    }
  });
}

// The values of a row are written into a list for each tier, and only one list moves on: nothing
// waits for anything. The columns of the last tier are numbered when it is known how many of them
// the rows before have; until then they keep their old numbers.
void NarrowColumns::rows(const Csr<float>& x, std::int32_t* index, float* value,
                         std::int32_t* columns, ThreadPool& pool) const {
  constexpr std::int64_t kAhead = 32, kRows = 256;
  const std::int32_t* const number_of = number_.data();
  const auto [first_of_1, first_of_2, first_single] = std::array{edge_[1], edge_[2], edge_[3]};
  std::vector<std::int32_t> singles(static_cast<std::size_t>(x.rows));  // of each row
  pool.ranges(x.rows, kRows, [&](std::int64_t first, std::int64_t last) {
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < last; ++row) {
      longest = std::max(longest, x.start[row + 1] - x.start[row]);
    }
    std::array<std::vector<Cell>, kTiers> lists;
    for (auto& list : lists) list.resize(static_cast<std::size_t>(longest) + 1);
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t begin = x.start[row], n = x.start[row + 1] - begin;
      const std::int32_t* const old = x.index + begin;
      Cell *a = lists[0].data(), *b = lists[1].data(), *c = lists[2].data(), *d = lists[3].data();
      for (std::int64_t k = 0; k < n; ++k) {
        if (k + kAhead < n) LINNET_PREFETCH(number_of + old[k + kAhead]);
        const std::int32_t number = number_of[old[k]];
        const float v = x.value[begin + k];
        *a = *b = *c = cell(number, v);
        *d = cell(old[k], v);
        const bool in_1 = number >= first_of_1, in_2 = number >= first_of_2;
        const bool in_3 = number >= first_single;
        a += !in_1;
        b += in_1 & !in_2;
        c += in_2 & !in_3;
        d += in_3;
      }
      std::int64_t to = begin;
      const std::array<const Cell*, kTiers> end{a, b, c, d};
      for (std::size_t tier = 0; tier < kTiers; ++tier) {
        for (const Cell* from = lists[tier].data(); from < end[tier]; ++from, ++to) {
          index[to] = static_cast<std::int32_t>(*from);
          value[to] = std::bit_cast<float>(static_cast<std::uint32_t>(*from >> 32));
        }
      }
      singles[row] = static_cast<std::int32_t>(d - lists[kSingle].data());
    }
  });
  std::int64_t total = first_single;
  for (std::int32_t& row : singles) {
    total += std::exchange(row, static_cast<std::int32_t>(total));  // now the first of each row
  }
  if (total != used()) throw std::invalid_argument("x is another matrix");
  pool.ranges(x.rows, kRows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int32_t next = row + 1 < x.rows ? singles[row + 1] : used();
      std::int32_t* own = index + x.start[row + 1] - (next - singles[row]);
      for (std::int32_t number = singles[row]; number < next; ++number) {
        columns[number] = std::exchange(*own++, number);
      }
    }
  });
  pool.ranges(cols(), 1 << 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      const std::int32_t number = number_of[j];
      if (number >= 0 && number < first_single) columns[number] = static_cast<std::int32_t>(j);
    }
  });
}

}  // namespace linnet
