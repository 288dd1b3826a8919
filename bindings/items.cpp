// Items as python-crfsuite takes them, looked up in the attributes of a model: an item is a list of
// names, or a dictionary. A number is the value of its key; a text makes the attribute "key:text"
// of value 1; a list, set or dictionary is an item whose names have the prefix "key:". Names end at
// their first NUL, as C strings do.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "attributes_handle.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using foreign::AttributeNames;
using foreign::AttributeTable;

constexpr int kDepth = 64;  // of items within items

// Token i has the attributes index[start[i] .. start[i + 1]), sentence s the tokens
// sentence[s] .. sentence[s + 1] - 1.
struct ItemRows {
  std::vector<std::int64_t> sentence{0}, start{0};
  std::vector<std::int32_t> index;
  std::vector<double> value;
};

bool is_nested(PyObject* value) {
  return PyDict_Check(value) || PyList_Check(value) || PyAnySet_Check(value);
}

// Calls body(entry) for everything an iterable gives.
template <class Body>
void each(PyObject* iterable, Body&& body) {
  if (PyList_Check(iterable)) {
    for (Py_ssize_t k = 0; k < PyList_Size(iterable); ++k) body(PyList_GetItem(iterable, k));
    return;
  }
  const nb::object iterator = nb::steal(PyObject_GetIter(iterable));
  if (!iterator.is_valid()) throw nb::python_error();
  for (;;) {
    const nb::object entry = nb::steal(PyIter_Next(iterator.ptr()));
    if (!entry.is_valid()) break;
    body(entry.ptr());
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
}

class Walk {
 public:
  Walk(const AttributeNames& names, ItemRows& rows) : names_(names), rows_(rows) {}

  void item(PyObject* of, int depth) {
    if (depth > kDepth) throw nb::value_error("items lie too deep within items");
    if (!PyDict_Check(of)) {
      if (PyUnicode_Check(of) && depth == 0) {  // a token that is its only attribute
        attribute(text(of), 1.0);
        return;
      }
      each(of, [&](PyObject* name) { attribute(text(name), 1.0); });
      return;
    }
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(of, &at, &key, &value) != 0) {
      const std::string_view name = text(key);
      if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        const std::size_t before = enter(name);
        attribute(text(value), 1.0);
        name_.resize(before);
      } else if (is_nested(value)) {
        const std::size_t before = enter(name);
        item(value, depth + 1);
        name_.resize(before);
      } else {
        if (value == Py_False) continue;  // what counts 0 times need not be looked up
        const double number = value == Py_True ? 1.0 : PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
        if (!std::isfinite(number)) throw nb::value_error("a value is NaN or infinite");
        if (number != 0.0) attribute(name, number);
      }
    }
  }

 private:
  std::size_t enter(std::string_view name) {
    const std::size_t before = name_.size();
    name_.append(name).append(1, ':');
    return before;
  }

  static std::string_view text(PyObject* of) {
    Py_ssize_t size = 0;
    if (PyUnicode_Check(of)) {
      const char* const data = PyUnicode_AsUTF8AndSize(of, &size);
      if (data == nullptr) throw nb::python_error();
      return {data, static_cast<std::size_t>(size)};
    }
    char* data = nullptr;
    if (PyBytes_AsStringAndSize(of, &data, &size) < 0) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
  }

  void attribute(std::string_view name, double value) {
    const std::size_t before = name_.size();
    std::string_view whole = name;
    if (before > 0) whole = name_.append(name);
    const void* const stop = std::memchr(whole.data(), 0, whole.size());
    if (stop != nullptr) whole = {whole.data(), static_cast<const char*>(stop)};
    const std::int32_t number = names_.find(whole);
    name_.resize(before);
    if (number < 0) return;
    rows_.index.push_back(number);
    rows_.value.push_back(value);
  }

  const AttributeNames& names_;
  ItemRows& rows_;
  std::string name_;  // what all names begin with here
};

ItemRows read_items(const AttributeNames& names, nb::handle sentences) {
  ItemRows rows;
  Walk walk(names, rows);
  each(sentences.ptr(), [&](PyObject* sentence) {
    each(sentence, [&](PyObject* item) {
      walk.item(item, 0);
      rows.start.push_back(std::ssize(rows.index));
    });
    rows.sentence.push_back(std::ssize(rows.start) - 1);
  });
  return rows;
}

void find_names(const AttributesHandle& self, nb::typed<nb::list, nb::str> names,
                Array<std::int32_t> out) {
  require_length(out, static_cast<std::int64_t>(names.size()), "out");
  std::string_view name;
  for (std::int64_t i = 0; i < length_of(out); ++i) {
    PyObject* const each = PyList_GetItem(names.ptr(), i);
    out.data()[i] = text_of(each, name) ? self.table.find(name) : -1;
  }
}

}  // namespace

void bind_items(nb::module_& m) {
  nb::class_<AttributesHandle>(m, "Attributes", "The names of attributes, as a table.")
      .def(
          "__init__",
          [](AttributesHandle* self, Array<const std::uint8_t> bytes,
             Array<const std::int64_t> offset) {
            require_names(bytes, offset);
            require(length_of(offset) - 1 <= INT32_MAX / 4, "too many names");
            new (self) AttributesHandle{
                bytes, offset,
                AttributeTable(reinterpret_cast<const char*>(bytes.data()), offset.data(),
                               static_cast<std::int32_t>(length_of(offset) - 1))};
          },
          nb::arg("bytes").noconvert(), nb::arg("offset").noconvert())
      .def("find", &find_names, nb::arg("names"), nb::arg("out").noconvert(),
           "The number of each name, -1 for one that is not there.");

  nb::class_<ItemRows>(m, "ItemRows", "The attributes of items that a model knows.")
      .def_prop_ro("sentences", [](const ItemRows& self) { return self.sentence.size() - 1; })
      .def_prop_ro("tokens", [](const ItemRows& self) { return self.start.size() - 1; })
      .def_prop_ro("stored", [](const ItemRows& self) { return self.index.size(); })
      .def(
          "copy",
          [](const ItemRows& self, Array<std::int64_t> sentence, Array<std::int64_t> start,
             Array<std::int32_t> index, Array<double> value) {
            require_length(sentence, std::ssize(self.sentence), "sentence");
            require_length(start, std::ssize(self.start), "start");
            require_length(index, std::ssize(self.index), "index");
            require_length(value, std::ssize(self.value), "value");
            std::copy(self.sentence.begin(), self.sentence.end(), sentence.data());
            std::copy(self.start.begin(), self.start.end(), start.data());
            std::copy(self.index.begin(), self.index.end(), index.data());
            std::copy(self.value.begin(), self.value.end(), value.data());
          },
          nb::arg("sentence").noconvert(), nb::arg("start").noconvert(),
          nb::arg("index").noconvert(), nb::arg("value").noconvert());

  m.def(
      "read_items",
      [](const AttributesHandle& attributes, nb::handle sentences) {
        return read_items(attributes.table, sentences);
      },
      nb::arg("attributes"), nb::arg("sentences"), "The attributes of sentences of items.");
  m.def(
      "read_items",
      [](const CrfsuiteHandle& attributes, nb::handle sentences) {
        return read_items(attributes.file, sentences);
      },
      nb::arg("attributes"), nb::arg("sentences"), "The attributes of sentences of items.");
}

}  // namespace linnet::bindings
