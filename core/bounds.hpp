// What is asked of arrays before anything follows them: whether numbers stay within their bounds.
// One vectorised pass each, so that asking costs little beside the work that follows.
#pragma once

#include <cstdint>

namespace linnet {

// Whether low <= values[i] < high for all i.
bool within(const std::int32_t* values, std::int64_t n, std::int64_t low, std::int64_t high);
bool within(const std::int64_t* values, std::int64_t n, std::int64_t low, std::int64_t high);

// Whether values[i] <= values[i + 1] for all i.
bool ascends(const std::int64_t* values, std::int64_t n);

}  // namespace linnet
