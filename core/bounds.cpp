#include "bounds.hpp"

#include <algorithm>

#include "numeric.hpp"

namespace linnet {
namespace {

template <class T>
struct Range {
  T least, most;
};

template <class T>
LINNET_INLINE Range<T> range_of(const T* values, std::int64_t n) {
  Range<T> r{values[0], values[0]};
  for (std::int64_t i = 1; i < n; ++i) {
    r.least = std::min(r.least, values[i]);
    r.most = std::max(r.most, values[i]);
  }
  return r;
}

LINNET_CLONES Range<std::int32_t> range(const std::int32_t* values, std::int64_t n) {
  return range_of(values, n);
}
LINNET_CLONES Range<std::int64_t> range(const std::int64_t* values, std::int64_t n) {
  return range_of(values, n);
}

LINNET_CLONES std::int64_t falls(const std::int64_t* values, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i + 1 < n; ++i) count += values[i] > values[i + 1];
  return count;
}

}  // namespace

bool within(const std::int32_t* values, std::int64_t n, std::int64_t low, std::int64_t high) {
  if (n <= 0) return true;
  const auto [least, most] = range(values, n);
  return least >= low && most < high;
}

bool within(const std::int64_t* values, std::int64_t n, std::int64_t low, std::int64_t high) {
  if (n <= 0) return true;
  const auto [least, most] = range(values, n);
  return least >= low && most < high;
}

bool ascends(const std::int64_t* values, std::int64_t n) { return n < 2 || falls(values, n) == 0; }

}  // namespace linnet
