// CRFsuite's files, looked up where they lie, and the hashes of their tables.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "attributes_handle.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using foreign::CrfsuiteFile;
using foreign::LabelWeights;
using foreign::NameBytes;
using Numbers = Array<const std::int32_t>;

nb::list labels_of(const CrfsuiteHandle& self) {
  nb::list labels;
  for (std::int32_t k = 0; k < self.file.labels(); ++k) {
    const std::string_view label = self.file.label(k);
    labels.append(nb::bytes(label.data(), label.size()));
  }
  return labels;
}

LabelWeights weights_of(const CrfsuiteHandle& self, Numbers attributes) {
  require_below(attributes.data(), length_of(attributes), 0, self.file.attributes(), "attributes");
  return self.file.weights({attributes.data(), attributes.size()});
}

void copy_weights(const LabelWeights& self, Array<std::int64_t> start, Array<std::int32_t> label,
                  Array<double> weight) {
  require_length(start, std::ssize(self.start), "start");
  require_length(label, std::ssize(self.label), "label");
  require_length(weight, std::ssize(self.weight), "weight");
  std::copy(self.start.begin(), self.start.end(), start.data());
  std::copy(self.label.begin(), self.label.end(), label.data());
  std::copy(self.weight.begin(), self.weight.end(), weight.data());
}

void copy_names(const NameBytes& self, Array<std::uint8_t> bytes, Array<std::int64_t> offset) {
  require_length(bytes, std::ssize(self.bytes), "bytes");
  require_length(offset, std::ssize(self.offset), "offset");
  std::copy(self.bytes.begin(), self.bytes.end(), bytes.data());
  std::copy(self.offset.begin(), self.offset.end(), offset.data());
}

void hashes(Array<const std::uint8_t> bytes, Array<const std::int64_t> offset,
            Array<std::uint32_t> out) {
  require_names(bytes, offset);
  require_length(out, length_of(offset) - 1, "out");
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t first = offset.data()[i], last = offset.data()[i + 1];
    out.data()[i] = foreign::lookup3({text + first, static_cast<std::size_t>(last - first)});
  }
}

}  // namespace

void bind_crfsuite(nb::module_& m) {
  nb::exception<foreign::DamagedFile>(m, "DamagedFile");

  nb::class_<LabelWeights>(m, "LabelWeights", "The weights of attributes for labels.")
      .def_prop_ro("stored", [](const LabelWeights& self) { return self.label.size(); })
      .def("copy", &copy_weights, nb::arg("start").noconvert(), nb::arg("label").noconvert(),
           nb::arg("weight").noconvert());
  nb::class_<NameBytes>(m, "NameBytes", "Names, one after the other.")
      .def_prop_ro("size", [](const NameBytes& self) { return self.bytes.size(); })
      .def("copy", &copy_names, nb::arg("bytes").noconvert(), nb::arg("offset").noconvert());

  nb::class_<CrfsuiteHandle>(m, "CrfsuiteFile", "A CRFsuite model as it lies in its file.")
      .def(
          "__init__",
          [](CrfsuiteHandle* self, Array<const std::uint8_t> bytes) {
            new (self) CrfsuiteHandle{bytes, CrfsuiteFile({bytes.data(), bytes.size()})};
          },
          nb::arg("bytes").noconvert())
      .def_prop_ro("n_labels", [](const CrfsuiteHandle& self) { return self.file.labels(); })
      .def_prop_ro("n_attributes",
                   [](const CrfsuiteHandle& self) { return self.file.attributes(); })
      .def("labels", &labels_of, nb::sig("def labels(self) -> list[bytes]"),
           "The labels, by their numbers.")
      .def(
          "transitions",
          [](const CrfsuiteHandle& self, Table<double> out) {
            const auto labels = static_cast<std::size_t>(self.file.labels());
            require(out.shape(0) == labels && out.shape(1) == labels, "out has another shape");
            self.file.transitions(out.data());
          },
          nb::arg("out").noconvert(), "The weights of transitions, the earlier label first.")
      .def("weights", &weights_of, nb::arg("attributes").noconvert(), "Those of attributes.")
      .def(
          "names", [](const CrfsuiteHandle& self) { return self.file.names(); },
          "The names of all attributes.");

  m.def("lookup3", &hashes, nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(),
        nb::arg("out").noconvert(), "The hashes of names in CRFsuite's tables.");
}

}  // namespace linnet::bindings
