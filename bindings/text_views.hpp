// What the bindings of text share: columns of texts, and threads for a call.
#pragma once

#include <string_view>
#include <vector>

#include "common.hpp"

namespace linnet::bindings {

// A column of texts: views of bytes that `owner` keeps alive.
struct TextViews {
  nb::object owner;
  std::vector<std::string_view> views;
  std::size_t bytes = 0;

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
