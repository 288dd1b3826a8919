#include "table.hpp"

#include <algorithm>

#include "unicode.hpp"

namespace linnet::text {

std::uint64_t print_of_name(std::string_view name, const Analysis& analysis) {
  if (analysis.longest == 1 && !analysis.joined()) return fingerprint(name, analysis.seed);
  std::uint64_t print = 0;
  const char* const end = name.data() + name.size();
  bool first = true;
  for (const char* p = name.data(); p < end;) {
    const char* stop = p;
    if (analysis.joined()) {
      decode(stop, end);
    } else {
      stop = std::find(p, end, ' ');
    }
    const std::uint64_t token = fingerprint({p, static_cast<std::size_t>(stop - p)}, analysis.seed);
    print = first ? token : extend(print, token);
    first = false;
    p = stop + (analysis.joined() ? 0 : 1);
  }
  return print;
}

std::int64_t build_table(const char* bytes, const std::int64_t* offset, std::int64_t features,
                         const Analysis& analysis, std::int64_t capacity, std::uint64_t* print,
                         std::int32_t* column) {
  std::fill(print, print + capacity, 0);
  std::fill(column, column + capacity, -1);
  const auto size = static_cast<std::uint64_t>(capacity);
  for (std::int64_t j = 0; j < features; ++j) {
    const std::string_view name(bytes + offset[j],
                                static_cast<std::size_t>(offset[j + 1] - offset[j]));
    const std::uint64_t own = print_of_name(name, analysis);
    std::uint64_t at = place(own, size);
    while (column[at] >= 0) {
      if (print[at] == own) return j;
      if (++at == size) at = 0;
    }
    print[at] = own;
    column[at] = static_cast<std::int32_t>(j);
  }
  return -1;
}

}  // namespace linnet::text
