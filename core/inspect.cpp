#include "inspect.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kRowsPerBlock = 512;
constexpr std::int64_t kValuesPerBlock = 1 << 17;

// Looks at all values without a branch. Each answer is gathered in an integer as wide as a value:
// compilers turn that into vectors, which they do not with a bool. A value is finite when its bits
// without the sign are below those of infinity.
template <class V>
LINNET_INLINE Inspection inspect_values(const V* value, float* narrow, std::int64_t n) {
  using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kOne = std::bit_cast<Bits>(V(1));
  constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<V>::infinity());
  Bits largest = 0, unlike_one = 0, inexact = 0, negative = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const V v = value[k];
    const Bits bits = std::bit_cast<Bits>(v), size = bits & ~(Bits{1} << (8 * sizeof(V) - 1));
    largest = largest > size ? largest : size;
    unlike_one |= bits ^ kOne;
    negative |= v < V(0) ? Bits{1} : Bits{0};
    if constexpr (sizeof(V) == 8) {
      const auto f = static_cast<float>(v);
      inexact |= static_cast<V>(f) != v ? Bits{1} : Bits{0};
      if (narrow != nullptr) narrow[k] = f;
    }
  }
  Inspection out;
  out.finite = largest < kInfinity;
  out.all_ones = unlike_one == 0;
  out.fits_float = inexact == 0;
  out.non_negative = negative == 0;
  return out;
}

LINNET_CLONES Inspection inspect_block(const float* value, float*, std::int64_t n) {
  return inspect_values(value, nullptr, n);
}
LINNET_CLONES Inspection inspect_block(const double* value, float* narrow, std::int64_t n) {
  return inspect_values(value, narrow, n);
}

LINNET_CLONES bool is_ascending(const std::int32_t* ids, std::int64_t size) {
  int falls = 0;
  for (std::int64_t k = 0; k + 1 < size; ++k) falls |= ids[k] >= ids[k + 1];
  return falls == 0;
}

void inspect_rows(const std::int64_t* start, const std::int32_t* index, std::int32_t cols,
                  std::int64_t first, std::int64_t last, Inspection& out) {
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t size = start[i + 1] - start[i];
    if (size == 0) continue;
    const std::int32_t* row = index + start[i];
    if (is_ascending(row, size)) {  // then the ends speak for all
      out.inside &= row[0] >= 0 && row[size - 1] < cols;
      continue;
    }
    out.ascending = false;
    for (std::int64_t k = 0; k < size; ++k) out.inside &= row[k] >= 0 && row[k] < cols;
  }
}

template <class V>
Inspection inspect_all(const Csr<V>& x, float* narrow, ThreadPool& pool) {
  Inspection total;
  for (std::int64_t i = 0; i < x.rows; ++i) total.inside &= x.start[i] <= x.start[i + 1];
  if (!total.inside) return total;
  const std::int64_t n = x.stored();
  std::vector<Inspection> parts(static_cast<std::size_t>(
      (n + kValuesPerBlock - 1) / kValuesPerBlock + (x.rows + kRowsPerBlock - 1) / kRowsPerBlock));
  const std::int64_t row_parts = (x.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  pool.ranges(x.rows, kRowsPerBlock, [&](std::int64_t first, std::int64_t last) {
    inspect_rows(x.start, x.index, x.cols, first, last,
                 parts[static_cast<std::size_t>(first / kRowsPerBlock)]);
  });
  pool.ranges(n, kValuesPerBlock, [&](std::int64_t first, std::int64_t last) {
    parts[static_cast<std::size_t>(row_parts + first / kValuesPerBlock)] =
        inspect_block(x.value + first, narrow == nullptr ? nullptr : narrow + first, last - first);
  });
  for (const Inspection& part : parts) {
    total.finite &= part.finite;
    total.all_ones &= part.all_ones;
    total.fits_float &= part.fits_float;
    total.ascending &= part.ascending;
    total.inside &= part.inside;
    total.non_negative &= part.non_negative;
  }
  return total;
}

// Sorts keys (column id in the upper half, position in the lower) by column id: by comparison when
// few, else by counting one digit after the other, the lowest first.
void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch,
               std::int32_t cols) {
  constexpr int kBits = 11;
  constexpr std::uint64_t kMask = (1U << kBits) - 1;
  if (keys.size() < 96) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  scratch.resize(keys.size());
  for (int shift = 32; shift < 64 && cols >> (shift - 32) != 0; shift += kBits) {
    std::uint32_t next[kMask + 1] = {};
    for (const std::uint64_t key : keys) ++next[(key >> shift) & kMask];
    std::uint32_t position = 0;
    for (std::uint32_t& count : next) position += std::exchange(count, position);
    for (const std::uint64_t key : keys) scratch[next[(key >> shift) & kMask]++] = key;
    keys.swap(scratch);
  }
}

template <class V>
void sort_all(const Csr<V>& x, std::int32_t* index, V* value, ThreadPool& pool) {
  pool.ranges(x.rows, kRowsPerBlock, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> keys, scratch;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t begin = x.start[i];
      keys.clear();
      for (std::int64_t k = begin; k < x.start[i + 1]; ++k) {
        keys.push_back(static_cast<std::uint64_t>(x.index[k]) << 32 |
                       static_cast<std::uint64_t>(k - begin));
      }
      sort_keys(keys, scratch, x.cols);
      for (std::size_t k = 0; k < keys.size(); ++k) {
        index[begin + static_cast<std::int64_t>(k)] = static_cast<std::int32_t>(keys[k] >> 32);
        value[begin + static_cast<std::int64_t>(k)] = x.value[begin + (keys[k] & 0xffffffffU)];
      }
    }
  });
}

}  // namespace

void sort_rows(const Csr<float>& x, std::int32_t* index, float* value, ThreadPool& pool) {
  sort_all(x, index, value, pool);
}
void sort_rows(const Csr<double>& x, std::int32_t* index, double* value, ThreadPool& pool) {
  sort_all(x, index, value, pool);
}

Inspection inspect(const Csr<float>& x, float*, ThreadPool& pool) {
  return inspect_all(x, nullptr, pool);
}
Inspection inspect(const Csr<double>& x, float* narrow, ThreadPool& pool) {
  return inspect_all(x, narrow, pool);
}

// Each thread reads all ids and counts those of its own range of columns, which then stays in its
// cache; nobody waits for anybody.
bool count_columns(const std::int32_t* index, std::int64_t n, std::uint32_t* out, std::int64_t cols,
                   ThreadPool& pool) {
  const std::int64_t parts = std::clamp(pool.threads(), 1, 8), step = cols / parts + 1;
  std::vector<std::int64_t> counted(static_cast<std::size_t>(parts));
  pool.run(parts, [&](std::int64_t part) {
    const std::int64_t first = std::min(cols, part * step), last = std::min(cols, first + step);
    std::fill(out + first, out + last, 0U);
    const auto width = static_cast<std::uint64_t>(last - first);
    std::int64_t own = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::uint64_t column = static_cast<std::uint64_t>(index[k] - first);
      if (column >= width) continue;
      ++out[first + static_cast<std::int64_t>(column)];
      ++own;
    }
    counted[part] = own;
  });
  return std::accumulate(counted.begin(), counted.end(), std::int64_t{0}) == n;
}

}  // namespace linnet
