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

// Counts of columns, in the order of their first occurrence.
//
// What is exploited: the table of a text is kept so empty that hardly any place is taken by another
// column. A column that is new and one that is known are then handled by the same instructions
// without a branch, which nobody could foresee.
class Tally {
 public:
  void reset(std::size_t expected);
  void add(std::int32_t column, std::int64_t amount);
  void take(std::vector<Entry>& out) const;

 private:
  // A column in the lower half, its count in the upper: both are read and written in one go.
  static constexpr std::uint64_t kNobody = 0xffffffffU, kCount = ~kNobody;
  void add_behind(std::size_t at, std::uint32_t column, std::int64_t amount);

  std::vector<std::uint64_t> counted_;  // from 1
  std::vector<std::uint32_t> slots_;    // place in counted_, 0 where nothing is
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::uint32_t used_ = 0;
};

inline void Tally::reset(std::size_t expected) {
  constexpr std::size_t kRoom = 4;  // places for each column
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(16, kRoom * expected));
  mask_ = places - 1;
  shift_ = 64 - std::countr_zero(places);
  slots_.assign(places, 0);
  counted_.resize(expected + 1);
  counted_[0] = kNobody;
  used_ = 0;
}

LINNET_INLINE void Tally::add(std::int32_t number, std::int64_t amount) {
  const auto column = static_cast<std::uint32_t>(number);
  const std::size_t at = (column * kPrint1) >> shift_;
  const std::uint32_t there = slots_[at];
  const std::uint64_t known = counted_[there];  // kNobody where nothing is
  const std::uint32_t same = static_cast<std::uint32_t>(known) == column;
  if ((same | (there == 0)) == 0) [[unlikely]]
    return add_behind(at, column, amount);
  used_ += 1 - same;
  const std::uint32_t place = there | (used_ & (same - 1));  // `there` is 0 where it is new
  counted_[place] = (known & kCount) + (static_cast<std::uint64_t>(amount) << 32) + column;
  slots_[at] = place;
}

inline void Tally::add_behind(std::size_t at, std::uint32_t column, std::int64_t amount) {
  const std::uint64_t more = static_cast<std::uint64_t>(amount) << 32;
  for (at = (at + 1) & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
    std::uint64_t& known = counted_[slots_[at]];
    if (static_cast<std::uint32_t>(known) != column) continue;
    known += more;
    return;
  }
  counted_[++used_] = more + column;
  slots_[at] = used_;
}

inline void Tally::take(std::vector<Entry>& out) const {
  out.resize(used_);
  for (std::uint32_t k = 0; k < used_; ++k) {
    const std::uint64_t one = counted_[k + 1];
    out[k] = {static_cast<std::int32_t>(one),
              static_cast<float>(static_cast<std::int32_t>(one >> 32))};
  }
}

}  // namespace linnet::text
