#include "packed.hpp"

#include <algorithm>
#include <atomic>

#include "weighing.hpp"

namespace linnet::text {

std::optional<Packed> Packed::of(const Facet& facet, const float* weights, std::int64_t bytes,
                                 ThreadPool& pool) {
  constexpr std::int64_t kWorth = 16;  // bytes of text for each feature
  const Table& table = facet.columns->table;
  const auto features = static_cast<std::int64_t>(table.features);
  const auto capacity = static_cast<std::int64_t>(table.capacity);
  if (facet.columns->buckets > 0 || facet.columns->unknown >= 0) return std::nullopt;
  if (bytes < kWorth * features || capacity <= features || capacity > INT32_MAX)
    return std::nullopt;
  Packed packed;
  packed.slots_.resize(table.capacity);
  std::atomic<bool> sound{true};
  std::atomic<std::int64_t> used{0};
  pool.ranges(capacity, 1 << 15, [&](std::int64_t first, std::int64_t last) {
    std::int64_t own = 0;
    for (std::int64_t at = first; at < last; ++at) {
      const auto column = static_cast<std::uint32_t>(table.slot[at]);
      if (column >= table.features) continue;
      const std::uint64_t print = table.print[column];
      if (print == 0 || table.slot[at] >> 32 != static_cast<std::uint32_t>(print)) sound = false;
      const float scale = facet.weighting.scale ? facet.weighting.scale[column] : 1.0F;
      packed.slots_[static_cast<std::size_t>(at)] = {print, scale, weights[column]};
      ++own;
    }
    used += own;
  });
  if (!sound || used > features) return std::nullopt;  // so that every search comes to an end
  return packed;
}

double PackedReader::score(std::string_view text) {
  constexpr std::size_t kAhead = 16;
  analyzer_.read(text);
  analyzer_.each_print(prints_);
  const std::size_t n = prints_.size();
  known_.resize(n);
  for (std::size_t k = 0; k < std::min(kAhead, n); ++k) packed_.prefetch(prints_[k]);
  std::size_t found = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) packed_.prefetch(prints_[k + kAhead]);
    const std::int32_t at = packed_.find(prints_[k]);
    known_[found] = at;
    found += at >= 0;
  }
  tally_.reset(found);
  for (std::size_t k = 0; k < found; ++k) tally_.add(known_[k], 1);
  tally_.take(entries_);
  const Raised raised(weighting_);
  Norm norm(weighting_.norm);
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const Packed::Slot& feature = packed_[entry.column];
    const double value = raised.of(entry.count) * static_cast<double>(feature.scale);
    norm.add(value);
    sum += value * static_cast<double>(feature.weight);
  }
  return sum / norm.divisor();
}

}  // namespace linnet::text
