// What users pass as lists of lists: looked at once, in the order in which it lies in memory.
// Whatever is not of the plain kind is left to Python, which says what is wrong with it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/vector.h>

#include "common.hpp"

namespace linnet::bindings {
namespace {

// The entries of a list or tuple, which own them.
struct Entries {
  explicit Entries(PyObject* of) : of_(of), list_(PyList_Check(of)) {
    size = list_ ? PyList_Size(of) : PyTuple_Check(of) ? PyTuple_Size(of) : -1;
  }
  PyObject* operator[](Py_ssize_t k) const {
    return list_ ? PyList_GetItem(of_, k) : PyTuple_GetItem(of_, k);
  }

  Py_ssize_t size;  // -1 when it is neither

 private:
  PyObject* of_;
  bool list_;
};

// Cells one after the other; cell k is bytes[bound[k] .. bound[k + 1]).
struct Cells {
  std::string bytes;
  std::vector<std::int64_t> bound{0};

  // Appends a str; false when it has no UTF-8 form.
  bool add(PyObject* cell) {
    Py_ssize_t n = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(cell, &n);
    if (data == nullptr) {
      PyErr_Clear();
      return false;
    }
    bytes.append(data, static_cast<std::size_t>(n));
    bound.push_back(static_cast<std::int64_t>(bytes.size()));
    return true;
  }

  // All are of visible ASCII characters, at least one each.
  bool visible() const {
    char least = 0x7f, most = 0;  // as signed: what is not ASCII is below all
    for (const char c : bytes) {
      least = std::min(least, c);
      most = std::max(most, c);
    }
    return least > ' ' && most < 0x7f &&
           std::adjacent_find(bound.begin(), bound.end()) == bound.end();
  }
};

// Their bytes are copied: to hold on to as many objects, and to let go of them, takes longer.
struct TokenColumns {
  std::vector<std::int64_t> offset{0};  // where sentences begin
  std::vector<Cells> columns;
  bool visible = true;  // all words of the first column
};

// The columns of sentences whose tokens are all str, or all tuples of equally many; else nothing.
std::optional<TokenColumns> token_columns(nb::handle sentences) {
  const Entries all(sentences.ptr());
  if (all.size < 0) return std::nullopt;
  TokenColumns out;
  std::vector<Cells>& columns = out.columns;
  Py_ssize_t width = -1;  // of tuples; 0 when tokens are words
  for (Py_ssize_t s = 0; s < all.size; ++s) {
    const Entries sentence(all[s]);
    if (sentence.size < 0) return std::nullopt;
    for (Py_ssize_t t = 0; t < sentence.size; ++t) {
      PyObject* const token = sentence[t];
      const bool word = PyUnicode_CheckExact(token);
      if (!word && !PyTuple_CheckExact(token)) return std::nullopt;
      const Py_ssize_t own = word ? 0 : PyTuple_Size(token);
      if (width < 0) {
        width = own;
        columns.resize(static_cast<std::size_t>(word ? 1 : own));
      }
      if (own != width || columns.empty()) return std::nullopt;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        PyObject* const cell = word ? token : PyTuple_GetItem(token, static_cast<Py_ssize_t>(c));
        if (!PyUnicode_CheckExact(cell) || !columns[c].add(cell)) return std::nullopt;
      }
    }
    out.offset.push_back(out.offset.back() + sentence.size);
  }
  if (columns.empty()) columns.emplace_back();
  out.visible = columns.front().visible();
  return out;
}

using NamedSentences = nb::typed<nb::list, nb::typed<nb::list, nb::any>>;

// The names of labels, a list for each sentence. A list of all of them would be looked through by
// the garbage collector while the others are made.
NamedSentences named_labels(Array<const std::int32_t> labels, Array<const std::int64_t> sentence,
                            nb::typed<nb::list, nb::any> names) {
  require_offsets(sentence, length_of(labels), "sentence");
  const auto known = static_cast<std::int32_t>(nb::len(names));
  require(std::all_of(labels.data(), labels.data() + labels.size(),
                      [=](std::int32_t label) { return label >= 0 && label < known; }),
          "labels must have names");
  std::vector<PyObject*> name;
  for (std::int32_t k = 0; k < known; ++k) name.push_back(PyList_GetItem(names.ptr(), k));
  const auto sentences = static_cast<Py_ssize_t>(sentence.size()) - 1;
  nb::object all = nb::steal(PyList_New(sentences));
  if (!all.is_valid()) throw nb::python_error();
  for (Py_ssize_t s = 0; s < sentences; ++s) {
    const std::int64_t first = sentence.data()[s], n = sentence.data()[s + 1] - first;
    PyObject* const list = PyList_New(static_cast<Py_ssize_t>(n));
    if (list == nullptr) throw nb::python_error();
    for (std::int64_t t = 0; t < n; ++t) {
      PyObject* const one = name[static_cast<std::size_t>(labels.data()[first + t])];
      Py_INCREF(one);
      PyList_SetItem(list, static_cast<Py_ssize_t>(t), one);
    }
    PyList_SetItem(all.ptr(), s, list);
  }
  return nb::borrow<NamedSentences>(all);
}

// Tokens as sparse rows of a vocabulary.
struct FeatureRows {
  std::vector<std::int64_t> start{0}, sentence{0};
  std::vector<std::int32_t> index;
  std::vector<double> value;
  bool ones = true;  // all values
};

// Adds one feature; false where Python should have a closer look.
bool add_feature(PyObject* name, double value, PyObject* vocabulary,
                 std::vector<std::pair<std::int32_t, double>>& row) {
  if (!PyUnicode_CheckExact(name)) return false;  // its hash may be anything
  PyObject* const column = PyDict_GetItemWithError(vocabulary, name);
  if (column != nullptr) {
    row.emplace_back(static_cast<std::int32_t>(PyLong_AsLong(column)), value);
  }
  return PyErr_Occurred() == nullptr;
}

bool add_token(PyObject* token, PyObject* vocabulary,
               std::vector<std::pair<std::int32_t, double>>& row) {
  if (PyDict_CheckExact(token)) {
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(token, &at, &name, &value);) {
      if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value) && !PyBool_Check(value))
        return false;
      if (!add_feature(name, PyFloat_AsDouble(value), vocabulary, row)) return false;
    }
    return true;
  }
  const Entries names(token);
  for (Py_ssize_t k = 0; k < names.size; ++k) {
    if (!add_feature(names[k], 1.0, vocabulary, row)) return false;
  }
  return names.size >= 0;
}

// The rows of sentences whose tokens are dictionaries or lists of names; else nothing.
std::optional<FeatureRows> feature_rows(nb::handle sentences, nb::handle vocabulary) {
  const Entries all(sentences.ptr());
  if (all.size < 0 || !PyDict_CheckExact(vocabulary.ptr())) return std::nullopt;
  FeatureRows out;
  std::vector<std::pair<std::int32_t, double>> row;
  for (Py_ssize_t s = 0; s < all.size; ++s) {
    const Entries sentence(all[s]);
    if (sentence.size < 0) return std::nullopt;
    for (Py_ssize_t t = 0; t < sentence.size; ++t) {
      row.clear();
      if (!add_token(sentence[t], vocabulary.ptr(), row)) {
        PyErr_Clear();
        return std::nullopt;
      }
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      for (const auto& [j, v] : row) {
        out.index.push_back(j);
        out.value.push_back(v);
        out.ones = out.ones && v == 1.0;
      }
      out.start.push_back(static_cast<std::int64_t>(out.index.size()));
    }
    out.sentence.push_back(static_cast<std::int64_t>(out.start.size()) - 1);
  }
  return out;
}

template <class T>
void copy(const std::vector<T>& from, Array<T> to) {
  require_length(to, std::ssize(from), "the array");
  std::copy(from.begin(), from.end(), to.data());
}

}  // namespace

void bind_lists(nb::module_& m) {
  nb::class_<TokenColumns>(m, "TokenColumns", "The tokens of sentences, column by column.")
      .def_prop_ro("sentences", [](const TokenColumns& self) { return self.offset.size() - 1; })
      .def_ro("visible", &TokenColumns::visible)
      .def_prop_ro(
          "sizes",
          [](const TokenColumns& self) {
            std::vector<std::int64_t> sizes;
            for (const Cells& column : self.columns) sizes.push_back(column.bound.back());
            return sizes;
          },
          "The bytes of each column.")
      .def(
          "copy",
          [](const TokenColumns& self, Array<std::int64_t> offset) { copy(self.offset, offset); },
          nb::arg("offset").noconvert())
      .def(
          "copy_column",
          [](const TokenColumns& self, std::size_t column, Array<std::uint8_t> bytes,
             Array<std::int64_t> bound) {
            require(column < self.columns.size(), "there is no such column");
            const Cells& cells = self.columns[column];
            require_length(bytes, cells.bound.back(), "bytes");
            std::copy(cells.bytes.begin(), cells.bytes.end(), bytes.data());
            copy(cells.bound, bound);
          },
          nb::arg("column"), nb::arg("bytes").noconvert(), nb::arg("bound").noconvert());
  m.def("token_columns", &token_columns, nb::arg("sentences").none(),
        "Columns of sentences of words or tuples of str; None for a closer look.");

  m.def("named_labels", &named_labels, nb::arg("labels").noconvert(),
        nb::arg("sentence").noconvert(), nb::arg("names"),
        "The names of the labels of tokens, a list for each sentence.");

  nb::class_<FeatureRows>(m, "FeatureRows", "Tokens as sparse rows of a vocabulary.")
      .def_prop_ro("tokens", [](const FeatureRows& self) { return self.start.size() - 1; })
      .def_prop_ro("sentences", [](const FeatureRows& self) { return self.sentence.size() - 1; })
      .def_prop_ro("stored", [](const FeatureRows& self) { return self.index.size(); })
      .def_ro("ones", &FeatureRows::ones)
      .def(
          "copy",
          [](const FeatureRows& self, Array<std::int64_t> start, Array<std::int32_t> index,
             Array<double> value, Array<std::int64_t> sentence) {
            copy(self.start, start);
            copy(self.index, index);
            copy(self.value, value);
            copy(self.sentence, sentence);
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("value").noconvert(),
          nb::arg("sentence").noconvert());
  m.def("feature_rows", &feature_rows, nb::arg("sentences").none(), nb::arg("vocabulary"),
        "Rows of sentences of dictionaries or lists of names; None for a closer look.");
}

}  // namespace linnet::bindings
