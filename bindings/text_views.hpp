// What the bindings of text share: columns of texts, and threads for a call.
#pragma once

#include <string_view>
#include <vector>

#include "common.hpp"
#include "text/table.hpp"

namespace linnet::bindings {

using Prints = Array<const std::uint64_t>;

// The table of a vocabulary as Python holds it; whatever its slots hold, it leads to no column that
// is not there.
inline text::Table table_of(const Prints& slot, const Prints& print) {
  require(length_of(slot) >= 1, "slot is empty");
  require(length_of(print) <= INT32_MAX, "print has more values than have numbers of 32 bits");
  return {slot.data(), slot.size(), print.data(), print.size()};
}

// Room for a table of features, with a slot to spare that ends every search.
template <class A>
void require_slots(const A& slot, std::int64_t features) {
  require(features <= INT32_MAX && length_of(slot) > features, "slot is too short");
}

// Names bytes[offset[j] .. offset[j + 1]).
template <class A>
void require_names(const A& bytes, const Array<const std::int64_t>& offset) {
  const std::int64_t n = length_of(offset);
  require(n >= 1 && offset.data()[0] >= 0 && ascends(offset.data(), n) &&
              offset.data()[n - 1] <= length_of(bytes),
          "offset points outside the bytes");
}

// A column of texts: views of bytes that `owner` and `kept` keep alive.
struct TextViews {
  nb::object owner;
  std::vector<std::string_view> views;
  std::size_t bytes = 0;
  Array<const std::uint8_t> kept{};

  void add(const char* data, std::size_t size) {
    views.emplace_back(data, size);
    bytes += size;
  }
  // Threads are not worth their start for little text.
  int threads(int wanted) const { return bytes < (1U << 17) ? 1 : wanted; }
};

template <class Make>
auto with_pool(int threads, Make&& make) {
  PythonProgress progress{nb::none()};
  nb::gil_scoped_release release;
  ThreadPool pool(threads, progress);
  return make(pool);
}

}  // namespace linnet::bindings
