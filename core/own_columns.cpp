#include "own_columns.hpp"

#include <cmath>
#include <cstring>

#include "numeric.hpp"

namespace linnet {
namespace {

struct Met {  // bits of 32 columns, side by side in the cache
  std::uint32_t once, again;
};

struct Moved {
  std::int64_t shared, own;  // how many values of a row are now where
};

// Moves the values of shared columns to index and value, which may be where they come from, and
// the others to own. All are written to both places, which then moves on or does not: which
// column is whose nobody could foresee.
template <class Own>
LINNET_CLONES Moved move_row(const ColumnNumbers& numbers, const Row<float>& row,
                             std::int32_t* index, float* value, Own* own) {
  Moved moved{0, 0};
  for (std::int64_t k = 0; k < row.size; ++k) {
    const std::int32_t column = row.index[k];
    const float v = row.value[k];
    const auto [known, number] = numbers[column];
    index[moved.shared] = number;
    value[moved.shared] = v;
    own[moved.own] = {column, v};
    moved.shared += known;
    moved.own += 1 - known;
  }
  return moved;
}

}  // namespace

void OwnColumns::find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool) {
  const auto size = static_cast<std::size_t>(cols_ / 32 + 1);
  // Each thread marks the columns of its own part of the values.
  const std::int64_t count = std::clamp(pool.threads(), 1, 8);
  std::vector<LargeVector<Met>> parts(static_cast<std::size_t>(count));
  pool.run(count, [&](std::int64_t part) {
    parts[part].resize(size);
    Met* const met = parts[part].data();
    for (std::int64_t k = part * stored / count; k < (part + 1) * stored / count; ++k) {
      const auto j = static_cast<std::uint32_t>(index[k]);
      const std::uint32_t bit = 1U << (j % 32);
      met[j / 32].again |= met[j / 32].once & bit;
      met[j / 32].once |= bit;
    }
  });
  shared_.set(cols_, [&](std::size_t w) {
    std::uint32_t once = 0, again = 0;
    for (const auto& met : parts) {
      again |= met[w].again | (once & met[w].once);
      once |= met[w].once;
    }
    own_ += std::popcount(once & ~again);
    return again;
  });
}

void OwnColumns::fold_part(const Csr<float>& x, std::int64_t last, std::int64_t* end,
                           std::int32_t* index, float* value, Part& part) const {
  std::int64_t to = x.start[part.first];
  const double share = static_cast<double>(x.start[last] - to) / static_cast<double>(x.stored());
  part.own.resize(static_cast<std::size_t>(1.1 * share * static_cast<double>(own_)) + 1024);
  for (std::int64_t i = part.first; i < last; ++i) {
    const Row<float> row = x.row(i);
    const auto before = static_cast<std::size_t>(part.start.back());
    if (part.own.size() < before + row.size + 1) part.own.resize(2 * before + row.size + 1);
    const Moved moved = move_row(shared_, row, index + to, value + to, part.own.data() + before);
    to += moved.shared;
    part.start.push_back(part.start.back() + moved.own);
    double square = 0.0;
    for (std::int64_t k = part.start[part.start.size() - 2]; k < part.start.back(); ++k) {
      square += double{part.own[k].value} * part.own[k].value;
    }
    part.root.push_back(static_cast<float>(std::sqrt(square)));
    if (part.root.back() > 0.0F) {  // one of those that made room
      index[to] = shared() + static_cast<std::int32_t>(i);
      value[to++] = part.root.back();
    }
    end[i] = to;
  }
}

std::int64_t OwnColumns::fold(const Csr<float>& x, std::int64_t* start, std::int32_t* index,
                              float* value, ThreadPool& pool) {
  const std::int64_t count = std::clamp(pool.threads(), 1, 8);
  std::vector<std::int64_t> edge(static_cast<std::size_t>(count) + 1, rows_);
  for (std::int64_t p = 0; p < count; ++p) {  // parts of equal volume
    edge[p] = std::lower_bound(x.start, x.start + rows_, p * x.stored() / count) - x.start;
  }
  parts_.assign(static_cast<std::size_t>(count), Part{});
  pool.run(count, [&](std::int64_t p) {
    parts_[p].first = edge[p];
    fold_part(x, edge[p + 1], start + 1, index, value, parts_[p]);
  });
  // Each part has moved to where it began; now they follow each other.
  std::vector<std::int64_t> from(static_cast<std::size_t>(count)), size(from), to(from);
  std::int64_t total = 0;
  bool finite = true;
  start[0] = 0;
  for (std::int64_t p = 0; p < count; ++p) {
    from[p] = x.start[edge[p]];
    to[p] = total;
    if (edge[p] < edge[p + 1]) size[p] = start[edge[p + 1]] - from[p];
    for (std::int64_t i = edge[p]; i < edge[p + 1]; ++i) start[i + 1] += to[p] - from[p];
    for (const float root : parts_[p].root) finite &= std::isfinite(root);
    total += size[p];
  }
  pool.run(2, [&](std::int64_t array) {
    for (std::int64_t p = 1; p < count; ++p) {
      if (array == 0) {
        std::memmove(index + to[p], index + from[p], size[p] * sizeof(*index));
      } else {
        std::memmove(value + to[p], value + from[p], size[p] * sizeof(*value));
      }
    }
  });
  return finite ? total : -1;
}

}  // namespace linnet
