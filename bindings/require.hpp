// What a binding checks before the core follows an index.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace linnet::bindings {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline void require_below(const std::int32_t* values, std::int64_t n, std::int32_t low,
                          std::int64_t high, const char* what) {
  for (std::int64_t i = 0; i < n; ++i) require(values[i] >= low && values[i] < high, what);
}

}  // namespace linnet::bindings
