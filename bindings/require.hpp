// What a binding checks before the core follows an index: the lengths of its arrays, where their
// parts begin, and whether ids lie below what they count. A caller of the module is told which
// array is wrong, by a ValueError.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "bounds.hpp"

namespace linnet::bindings {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

template <class A>
std::int64_t length_of(const A& array) {
  return static_cast<std::int64_t>(array.shape(0));
}

template <class A>
void require_length(const A& array, std::int64_t n, const char* name) {
  if (length_of(array) == n) return;
  throw std::invalid_argument(std::string(name) + " has " + std::to_string(length_of(array)) +
                              " values, " + std::to_string(n) + " are needed");
}

template <class A>
void require_length(const std::optional<A>& array, std::int64_t n, const char* name) {
  if (array) require_length(*array, n, name);
}

template <class T>
void require_shape(const T& table, std::int64_t rows, std::int64_t columns, const char* name) {
  const auto r = static_cast<std::int64_t>(table.shape(0));
  const auto c = static_cast<std::int64_t>(table.shape(1));
  if (r == rows && c == columns) return;
  throw std::invalid_argument(std::string(name) + " has the shape (" + std::to_string(r) + ", " +
                              std::to_string(c) + "), (" + std::to_string(rows) + ", " +
                              std::to_string(columns) + ") is needed");
}

template <class T>
void require_shape(const std::optional<T>& table, std::int64_t rows, std::int64_t columns,
                   const char* name) {
  if (table) require_shape(*table, rows, columns, name);
}

template <class T>
void require_below(const T* values, std::int64_t n, std::int64_t low, std::int64_t high,
                   const char* name) {
  if (within(values, n, low, high)) return;
  throw std::invalid_argument(std::string(name) + " holds a number outside " + std::to_string(low) +
                              " to " + std::to_string(high - 1));
}

// Numbers of things of which there are `count`.
template <class A>
void require_numbers(const A& array, std::int64_t count, const char* name) {
  require_below(array.data(), static_cast<std::int64_t>(array.size()), 0, count, name);
}

// A label below `classes` for each of n examples.
template <class A>
void require_labels(const A& gold, std::int64_t n, std::int64_t classes, const char* name) {
  require_length(gold, n, name);
  require_numbers(gold, classes, name);
}

// Where consecutive parts begin; the last ends with the `items`.
template <class A>
void require_offsets(const A& start, std::int64_t items, const char* name) {
  const std::int64_t n = length_of(start);
  if (n >= 1 && start.data()[0] == 0 && start.data()[n - 1] == items && ascends(start.data(), n)) {
    return;
  }
  throw std::invalid_argument(std::string(name) + " does not ascend from 0 to " +
                              std::to_string(items));
}

}  // namespace linnet::bindings
