// The lines of memory that a row lies in, to be asked for before it is its turn.
//
// Rows that are visited in no order are not foreseen by the hardware. A core waits for some twenty
// lines at a time: a long row asked for at once holds up the loads behind it, so whoever works on a
// row asks for the lines of a later one in between, as many as he has read himself.
#pragma once

#include <cstdint>
#include <type_traits>

#include "numeric.hpp"
#include "views.hpp"

namespace linnet {

constexpr std::int64_t kPerLine = 16;  // 4-byte values in a line of memory

// Always inlined, and so what calls it for nothing else: GCC takes a function that only prefetches
// for one without effect and leaves out its calls.
template <class V>
class RowLines {
 public:
  LINNET_INLINE explicit RowLines(const Row<V>& row) : row_(row) {}

  // The lines of 16 values from the k-th, a multiple of 16; past the end, what follows the row.
  LINNET_INLINE void ask(std::int64_t k) const {
    LINNET_PREFETCH(row_.index + k);
    if constexpr (!std::is_same_v<V, Unit>) LINNET_PREFETCH(row_.value + k);
    if constexpr (sizeof(V) > 4) LINNET_PREFETCH(row_.value + k + kPerLine / 2);
  }
  // Those from the k-th value on.
  LINNET_INLINE void rest(std::int64_t k) const {
    for (k = k / kPerLine * kPerLine; k < row_.size; k += kPerLine) ask(k);
  }
  LINNET_INLINE void all() const { rest(0); }

 private:
  const Row<V> row_;
};

// Where nothing is to come.
struct NoLines {
  LINNET_INLINE void ask(std::int64_t) const {}
  LINNET_INLINE void rest(std::int64_t) const {}
};

// Calls take(k) for every whole `Step` values of a row of `size`, and asks for a line of the one to
// come where it begins one itself. Returns how many values that were.
template <int Step, class Lines, class Take>
LINNET_INLINE std::int64_t in_steps(std::int64_t size, const Lines& lines, Take&& take) {
  std::int64_t k = 0;
  for (; k + kPerLine <= size; k += kPerLine) {
    lines.ask(k);
    for (std::int64_t step = 0; step < kPerLine; step += Step) take(k + step);
  }
  for (; k + Step <= size; k += Step) take(k);
  lines.rest(k);
  return k;
}

}  // namespace linnet
