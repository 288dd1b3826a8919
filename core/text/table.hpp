// The vocabulary at work: from the fingerprint of a feature to its column.
//
// An open-addressing table, made once, stored in the model file as it is and read there without
// being unpacked. A slot is one word: above, half of a fingerprint; below, the column. So a feature
// that is not in the vocabulary, as most n-grams are, costs one look at memory; one that is there
// is confirmed by its whole fingerprint.
#pragma once

#include <cstdint>
#include <string_view>

#include "../numeric.hpp"
#include "../parallel.hpp"
#include "analysis.hpp"
#include "fingerprint.hpp"

namespace linnet::text {

struct Table {
  static constexpr std::uint32_t kEmpty = UINT32_MAX;

  const std::uint64_t* slot;  // [capacity]
  std::uint64_t capacity;
  const std::uint64_t* print;  // [features] whole fingerprints
  std::uint64_t features = 0;

  static std::uint64_t slot_of(std::uint64_t print, std::int32_t column) {
    return print << 32 | static_cast<std::uint32_t>(column);
  }

  void prefetch(std::uint64_t wanted) const { LINNET_PREFETCH(slot + place(wanted, capacity)); }

  // The first column whose half fingerprint is right, or -1; what confirms it is asked for.
  std::int32_t candidate(std::uint64_t wanted) const {
    std::uint64_t at = place(wanted, capacity);
    for (std::uint64_t step = 0; step < capacity; ++step) {
      const auto column = static_cast<std::uint32_t>(slot[at]);
      if (column >= features) return -1;  // empty, or made by nobody who may be followed
      if (slot[at] >> 32 == static_cast<std::uint32_t>(wanted)) {
        LINNET_PREFETCH(print + column);
        return static_cast<std::int32_t>(column);
      }
      if (++at == capacity) at = 0;
    }
    return -1;
  }

  // The column of a feature, or -1, given its candidate.
  std::int32_t confirm(std::uint64_t wanted, std::int32_t column) const {
    return column < 0 || print[column] == wanted ? column : find(wanted);
  }

  // The column of a feature, or -1.
  std::int32_t find(std::uint64_t wanted) const {
    std::uint64_t at = place(wanted, capacity);
    for (std::uint64_t step = 0; step < capacity; ++step) {
      const auto column = static_cast<std::uint32_t>(slot[at]);
      if (column >= features) return -1;  // empty, or made by nobody who may be followed
      if (slot[at] >> 32 == static_cast<std::uint32_t>(wanted) && print[column] == wanted) {
        return static_cast<std::int32_t>(column);
      }
      if (++at == capacity) at = 0;
    }
    return -1;
  }
};

// The number of slots for so many features.
inline std::int64_t table_capacity(std::int64_t features) { return 2 * features + 4; }

// Fills slot[capacity] for print[features]. Returns -1, or the column whose fingerprint another one
// has already.
std::int64_t fill_table(std::int64_t features, const std::uint64_t* print, std::int64_t capacity,
                        std::uint64_t* slot);

// The fingerprint of a feature from its name.
std::uint64_t print_of_name(std::string_view name, const Analysis& analysis);

// The same for the names bytes[offset[j] .. offset[j + 1]), whose fingerprints it writes.
std::int64_t build_table(const char* bytes, const std::int64_t* offset, std::int64_t features,
                         const Analysis& analysis, std::int64_t capacity, std::uint64_t* slot,
                         std::uint64_t* print, ThreadPool& pool);

}  // namespace linnet::text
