#include "vocabulary.hpp"

#include <cstdint>
#include <optional>

namespace linnet::bindings {

void bind_vocabulary(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary", "A dictionary {text: column} that stays in its pickle.")
      .def("__len__", [](const Vocabulary& self) { return self.found.words.size(); })
      .def(
          "text",
          [](const Vocabulary& self, Py_ssize_t place) -> std::optional<nb::str> {
            PyObject* const text = self.text(place);
            if (text == nullptr) return std::nullopt;
            return nb::steal<nb::str>(text);
          },
          nb::arg("place"), "The text in a place of the memory, if it is one of these.")
      .def(
          "dict",
          [](const Vocabulary& self) {
            nb::dict made;
            for (const auto& [begin, size, column] : self.found.words) {
              made[nb::str(self.pickle().data() + begin, size)] = column;
            }
            return made;
          },
          nb::sig("def dict(self) -> dict[str, int]"), "The dictionary itself.")
      .def(
          "names",
          [](const Vocabulary& self, Array<std::int64_t> offset) -> std::optional<nb::bytes> {
            require_length(offset, std::ssize(self.found.words) + 1, "offset");
            const auto all = foreign::by_column(self.pickle(), self.found, offset.data());
            if (!all) return std::nullopt;
            return nb::bytes(all->data(), all->size());
          },
          nb::arg("offset").noconvert(), "The texts by their columns, in one, if these are all.");
}

}  // namespace linnet::bindings
