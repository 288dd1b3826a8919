// The names of attributes as Python holds them, with the arrays that the table looks at.
#pragma once

#include <string_view>

#include "common.hpp"
#include "foreign/attributes.hpp"
#include "foreign/crfsuite_file.hpp"

namespace linnet::bindings {

struct AttributesHandle {
  Array<const std::uint8_t> bytes;
  Array<const std::int64_t> offset;
  foreign::AttributeTable table;
};

// A CRFsuite file with its bytes.
struct CrfsuiteHandle {
  Array<const std::uint8_t> bytes;
  foreign::CrfsuiteFile file;
};

// The UTF-8 of a str, which keeps it; false for anything else, and for what has no UTF-8.
inline bool text_of(PyObject* value, std::string_view& out) {
  if (!PyUnicode_CheckExact(value)) return false;
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(value, &size);
  if (data == nullptr) PyErr_Clear();
  out = {data, static_cast<std::size_t>(size)};
  return data != nullptr;
}

void bind_crfsuite(nb::module_& m);

// Wapiti's patterns and chains.
void bind_taggers(nb::module_& m);

// Taggers from left to right.
void bind_greedy(nb::module_& m);

}  // namespace linnet::bindings
