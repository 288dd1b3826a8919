// The most recently used rows of a Gram matrix.
//
// A row is known up to some length: that of the examples at work when it was computed. It is
// extended when more is asked for, and kept in step when the positions are rearranged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/rows.hpp"

namespace linnet {

template <class V>
class RowCache {
 public:
  // Room for as many rows of n values (n rounded up to `padded`) as fit, two at least.
  RowCache(KernelRows<V>& rows, std::int64_t n, std::int64_t padded, std::int64_t bytes)
      : rows_(rows), padded_(padded), slot_of_(static_cast<std::size_t>(n), kNone) {
    const std::int64_t room = bytes / (padded * static_cast<std::int64_t>(sizeof(V)));
    capacity_ =
        static_cast<std::size_t>(std::clamp<std::int64_t>(room, 2, std::max<std::int64_t>(n, 2)));
  }

  // The first `length` values of row p; valid until two other rows have been asked for.
  const V* row(std::int64_t p, std::int64_t length) {
    const std::int32_t known = slot_of_[static_cast<std::size_t>(p)];
    const std::int32_t slot = known != kNone ? known : take_slot(p);
    Slot& s = slots_[static_cast<std::size_t>(slot)];
    if (s.length < length) {
      rows_.fill(p, s.length, length, s.values.data());
      s.length = length;
    }
    use(slot);
    return s.values.data();
  }

  // Position p now holds what was at from[p]; only the first n positions have moved.
  void arrange(const std::vector<std::int32_t>& from, std::int64_t n) {
    std::vector<V> moved(static_cast<std::size_t>(n));
    for (Slot& s : slots_) {
      if (s.length < n) s.length = 0;
      if (s.length == 0) continue;
      for (std::int64_t p = 0; p < n; ++p) {
        moved[static_cast<std::size_t>(p)] =
            s.values[static_cast<std::size_t>(from[static_cast<std::size_t>(p)])];
      }
      std::copy(moved.begin(), moved.end(), s.values.begin());
    }
    const std::vector<std::int32_t> old = slot_of_;
    for (std::int64_t p = 0; p < n; ++p) {
      const std::int32_t slot = old[static_cast<std::size_t>(from[static_cast<std::size_t>(p)])];
      slot_of_[static_cast<std::size_t>(p)] = slot;
      if (slot != kNone)
        slots_[static_cast<std::size_t>(slot)].owner = static_cast<std::int32_t>(p);
    }
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Slot {
    std::vector<V> values;  // [padded], zero beyond what has been filled
    std::int64_t length = 0;
    std::int32_t owner = kNone;
    std::int32_t older = kNone, newer = kNone;
  };

  std::int32_t take_slot(std::int64_t p) {
    std::int32_t slot = oldest_;
    if (slots_.size() < capacity_) {
      slot = static_cast<std::int32_t>(slots_.size());
      slots_.emplace_back().values.resize(static_cast<std::size_t>(padded_));
      append(slot);
    } else {
      slot_of_[static_cast<std::size_t>(slots_[static_cast<std::size_t>(slot)].owner)] = kNone;
    }
    slots_[static_cast<std::size_t>(slot)].owner = static_cast<std::int32_t>(p);
    slots_[static_cast<std::size_t>(slot)].length = 0;
    slot_of_[static_cast<std::size_t>(p)] = slot;
    return slot;
  }

  void append(std::int32_t slot) {  // as the newest
    Slot& s = slots_[static_cast<std::size_t>(slot)];
    s.older = newest_;
    s.newer = kNone;
    (newest_ == kNone ? oldest_ : slots_[static_cast<std::size_t>(newest_)].newer) = slot;
    newest_ = slot;
  }

  void use(std::int32_t slot) {
    if (slot == newest_) return;
    Slot& s = slots_[static_cast<std::size_t>(slot)];
    slots_[static_cast<std::size_t>(s.newer)].older = s.older;
    (s.older == kNone ? oldest_ : slots_[static_cast<std::size_t>(s.older)].newer) = s.newer;
    append(slot);
  }

  KernelRows<V>& rows_;
  std::int64_t padded_;
  std::size_t capacity_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_of_;  // [n] by position
  std::int32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace linnet
