// The vocabulary at work: from the fingerprint of a feature to its column.
//
// An open-addressing table in two arrays, made once, stored in the model file as it is and read
// there without being unpacked.
#pragma once

#include <cstdint>
#include <string_view>

#include "../numeric.hpp"
#include "../parallel.hpp"
#include "analysis.hpp"
#include "fingerprint.hpp"

namespace linnet::text {

struct Table {
  const std::uint64_t* print;  // [capacity]
  const std::int32_t* column;  // [capacity], -1 where nothing is
  std::uint64_t capacity;

  void prefetch(std::uint64_t print_wanted) const {
    const std::uint64_t at = place(print_wanted, capacity);
    LINNET_PREFETCH(column + at);
    LINNET_PREFETCH(print + at);
  }

  // The column of a feature, or -1.
  std::int32_t find(std::uint64_t wanted) const {
    std::uint64_t at = place(wanted, capacity);
    for (std::uint64_t step = 0; step < capacity; ++step) {
      if (column[at] < 0) return -1;
      if (print[at] == wanted) return column[at];
      if (++at == capacity) at = 0;
    }
    return -1;
  }
};

// The number of slots for so many features.
inline std::int64_t table_capacity(std::int64_t features) { return features + features / 2 + 4; }

// The fingerprint of a feature from its name.
std::uint64_t print_of_name(std::string_view name, const Analysis& analysis);

// Fills print[capacity] and column[capacity] with the names bytes[offset[j] .. offset[j + 1]).
// Returns -1, or the column whose fingerprint another one has already.
std::int64_t build_table(const char* bytes, const std::int64_t* offset, std::int64_t features,
                         const Analysis& analysis, std::int64_t capacity, std::uint64_t* print,
                         std::int32_t* column, ThreadPool& pool);

}  // namespace linnet::text
