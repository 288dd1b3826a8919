// The vocabulary of a vectoriser within a Python pickle, as Python holds it.
#pragma once

#include <string_view>

#include "common.hpp"
#include "foreign/pickled_words.hpp"

namespace linnet::bindings {

// A vocabulary that stays in its pickle.
struct Vocabulary {
  nb::bytes data;
  foreign::PickledWords found;
  Py_ssize_t first;  // place of the first text in the memory

  std::string_view pickle() const { return {data.c_str(), data.size()}; }

  // The text in a place of the memory, which holds the vocabulary in its stead; null if that place
  // is none of a text.
  PyObject* text(Py_ssize_t place) const {
    if (place < first || place - first >= std::ssize(found.words)) return nullptr;
    const auto& word = found.words[static_cast<std::size_t>(place - first)];
    return PyUnicode_FromStringAndSize(pickle().data() + word.begin, word.size);
  }
};

void bind_vocabulary(nb::module_& m);

}  // namespace linnet::bindings
