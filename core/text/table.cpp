#include "table.hpp"

#include <algorithm>

#include "unicode.hpp"

namespace linnet::text {

std::uint64_t print_of_name(std::string_view name, const Analysis& analysis) {
  const bool single = analysis.longest == 1 && !analysis.joined();
  if (single || name.empty()) return fingerprint(name, analysis.seed);
  std::uint64_t print = 0;
  const char* const end = name.data() + name.size();
  for (const char* p = name.data();;) {
    const char* stop = p;
    if (analysis.joined()) {
      decode(stop, end);
    } else {
      stop = std::find(p, end, ' ');
    }
    const std::uint64_t token = fingerprint({p, static_cast<std::size_t>(stop - p)}, analysis.seed);
    print = p == name.data() ? token : extend(print, token);
    if (stop == end) return print;
    p = stop + (analysis.joined() ? 0 : 1);  // a space at the end is followed by an empty token
  }
}

std::int64_t fill_table(std::int64_t features, const std::uint64_t* print, std::int64_t capacity,
                        std::uint64_t* slot) {
  constexpr std::int64_t kAhead = 24;
  std::fill(slot, slot + capacity, std::uint64_t{Table::kEmpty});
  const Table table{slot, static_cast<std::uint64_t>(capacity), print,
                    static_cast<std::uint64_t>(features)};
  for (std::int64_t j = 0; j < features; ++j) {
    if (j + kAhead < features) table.prefetch(print[j + kAhead]);
    std::uint64_t at = place(print[j], table.capacity);
    while (static_cast<std::uint32_t>(slot[at]) != Table::kEmpty) {
      const bool alike = slot[at] >> 32 == static_cast<std::uint32_t>(print[j]);
      if (alike && print[static_cast<std::uint32_t>(slot[at])] == print[j]) return j;
      if (++at == table.capacity) at = 0;
    }
    slot[at] = Table::slot_of(print[j], static_cast<std::int32_t>(j));
  }
  return -1;
}

std::int64_t build_table(const char* bytes, const std::int64_t* offset, std::int64_t features,
                         const Analysis& analysis, std::int64_t capacity, std::uint64_t* slot,
                         std::uint64_t* print, ThreadPool& pool) {
  pool.ranges(features, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      const auto length = static_cast<std::size_t>(offset[j + 1] - offset[j]);
      print[j] = print_of_name({bytes + offset[j], length}, analysis);
    }
  });
  return fill_table(features, print, capacity, slot);
}

}  // namespace linnet::text
