// Rows in strips of a fixed width, so that the sums of a strip stay in registers.
#pragma once

#include <cstdint>

#include "numeric.hpp"

namespace linnet {

// Calls strip<W>(first) for stretches of the widths W, the widest first, that make up the columns.
// The last width must divide what the others leave.
template <std::int32_t... Widths, class Strip>
LINNET_INLINE void in_strips(std::int64_t columns, Strip&& strip) {
  std::int64_t first = 0;
  const auto all_of = [&]<std::int32_t W>() LINNET_INLINE_LAMBDA {
    for (; first + W <= columns; first += W) strip.template operator()<W>(first);
  };
  (all_of.template operator()<Widths>(), ...);
}

}  // namespace linnet
