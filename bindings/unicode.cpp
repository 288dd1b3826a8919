#include "text/unicode.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "common.hpp"
#include "text/normalise.hpp"
#include "text/word_break.hpp"

namespace linnet::bindings {
namespace {

using text::Normalisation;
using text::Normaliser;

Normalisation::Accents accents_of(std::string_view name) {
  if (name == "keep") return Normalisation::Accents::keep;
  if (name == "unicode") return Normalisation::Accents::unicode;
  if (name == "ascii") return Normalisation::Accents::ascii;
  throw nb::value_error("accents must be 'keep', 'unicode' or 'ascii'");
}

std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }
std::string_view view(std::string_view data) { return data; }

}  // namespace

void bind_unicode(nb::module_& m) {
  m.attr("unicode_version") = text::kUnicodeVersion;

  m.def(
      "unicode_properties",
      [](std::uint32_t code) { return static_cast<int>(text::properties(code)); }, nb::arg("code"),
      "The bits of Property (core/text/unicode.hpp) of one code point.");

  m.def(
      "invalid_utf8",
      [](const nb::bytes& data) {
        return static_cast<std::int64_t>(text::invalid_at(view(data)));  // npos is -1
      },
      nb::arg("data"), "Position of the first byte sequence that is not UTF-8; -1 if none.");

  m.def(
      "normalise",
      [](const std::variant<std::string_view, nb::bytes>& raw, bool lowercase,
         std::string_view accents, bool digits, bool html) {
        const Normaliser normaliser({lowercase, accents_of(accents), digits, html});
        std::string out;
        std::vector<std::uint32_t> origin;
        std::visit([&](const auto& text) { normaliser(view(text), out, &origin); }, raw);
        return std::pair(nb::bytes(out.data(), out.size()), std::move(origin));
      },
      nb::arg("raw"), nb::arg("lowercase") = false, nb::arg("accents") = "keep",
      nb::arg("digits") = false, nb::arg("html") = false,
      "One text normalised, and for each byte of it (and for the end) the offset in raw.");

  m.def(
      "word_breaks",
      [](std::string_view text) {
        std::vector<std::size_t> found;
        for (std::size_t at = 0; at < text.size();) {
          found.push_back(at = text::next_word_boundary(text, at));
        }
        return found;
      },
      nb::arg("text"), "Byte offsets where the segments of UAX #29 end.");
}

}  // namespace linnet::bindings
