// How often each column occurs in one text.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "../numeric.hpp"
#include "fingerprint.hpp"

namespace linnet::text {

// One feature of one text: its column and how often it occurs.
struct Entry {
  std::int32_t column;
  float count;
};

// One occurrence of a column, which counts as much as `amount`.
struct Occurrence {
  std::int32_t column;
  std::int32_t amount;
};

// Counts of columns, in the order of their first occurrence.
//
// What is exploited: the table of a text is kept so empty that hardly any place is taken by another
// column. A column that is new and one that is known are then handled by the same instructions
// without a branch, which nobody could foresee.
class Tally {
 public:
  // Counts occurrence(0) .. occurrence(n - 1).
  template <class Get>
  void count(std::size_t n, Get occurrence, std::vector<Entry>& out);

 private:
  std::vector<std::uint64_t> counted_;  // from 1: a column below, its count in the upper half
  std::vector<std::uint32_t> slots_;    // place in counted_, 0 where nothing is
};

template <class Get>
void Tally::count(std::size_t n, Get occurrence, std::vector<Entry>& out) {
  constexpr std::size_t kRoom = 4;  // places for each column
  constexpr std::uint64_t kNobody = 0xffffffffU;
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(16, kRoom * n));
  const int shift = 64 - std::countr_zero(places);
  slots_.assign(places, 0);
  counted_.resize(std::max(counted_.size(), n + 1));
  std::uint32_t* const slots = slots_.data();
  std::uint64_t* const counted = counted_.data();
  counted[0] = kNobody;
  std::uint32_t used = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Occurrence one = occurrence(k);
    const auto column = static_cast<std::uint32_t>(one.column);
    std::size_t at = (column * kPrint1) >> shift;
    std::uint32_t there = slots[at];
    std::uint64_t known = counted[there];
    // Somebody else is there: a minimum, since compilers make branches of a conjunction.
    while (std::min(there, static_cast<std::uint32_t>(known) ^ column) != 0) [[unlikely]] {
      at = (at + 1) & (places - 1);
      there = slots[at];
      known = counted[there];
    }
    const std::uint32_t fresh = static_cast<std::uint32_t>(known) != column;
    used += fresh;
    const std::uint32_t place = there | (used & (0U - fresh));  // `there` is 0 where it is new
    const std::uint64_t more = static_cast<std::uint64_t>(one.amount) << 32;
    counted[place] = (known & ~kNobody) + more + column;
    slots[at] = place;
  }
  out.resize(used);
  for (std::uint32_t k = 0; k < used; ++k) {
    const std::uint64_t one = counted[k + 1];
    out[k] = {static_cast<std::int32_t>(one),
              static_cast<float>(static_cast<std::int32_t>(one >> 32))};
  }
}

}  // namespace linnet::text
