// The smallest different values of an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "instances.hpp"

namespace linnet::memory {

// Writes the `wanted` smallest of the n distances, ascending, those closer than kSame taken as one.
inline void smallest(const double* distance, std::int64_t n, std::int64_t wanted,
                     std::vector<double>& found) {
  found.clear();
  if (wanted > 64) {  // too many to keep in order one by one
    std::vector<double> sorted(distance, distance + n);
    std::sort(sorted.begin(), sorted.end());
    for (double d : sorted) {
      if (static_cast<std::int64_t>(found.size()) == wanted) break;
      if (found.empty() || d - found.back() >= kSame) found.push_back(d);
    }
    return;
  }
  double bound = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = distance[i];
    if (!(d < bound)) continue;
    auto at = std::lower_bound(found.begin(), found.end(), d);
    if (at != found.end() && *at - d < kSame) continue;
    if (at != found.begin() && d - *(at - 1) < kSame) continue;
    if (static_cast<std::int64_t>(found.size()) == wanted) found.pop_back();
    found.insert(at, d);
    if (static_cast<std::int64_t>(found.size()) == wanted) bound = found.back();
  }
}

// The index of the value that d belongs to, or -1 when d is beyond the last.
inline std::int64_t group_of(double d, const std::vector<double>& found) {
  if (d > found.back() && d - found.back() >= kSame) return -1;
  const auto at = std::upper_bound(found.begin(), found.end(), d) - found.begin();
  if (at < static_cast<std::int64_t>(found.size()) && found[at] - d < kSame) return at;
  return at - 1;
}

}  // namespace linnet::memory
