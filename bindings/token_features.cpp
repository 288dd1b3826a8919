#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "common.hpp"
#include "text/front_coding.hpp"
#include "text/token_features.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using text::Template;
using text::Templates;
using text::Tokens;

// Literal text and the part behind it: text, column (-1: none), offset, transform, low, high.
using Piece = std::tuple<std::string, int, int, std::string, int, int>;
// Where ("everywhere", "first", "last"), whether there are markers, and the pieces.
using Plan = std::tuple<std::string, bool, std::vector<Piece>>;

struct TemplatesHandle {
  std::optional<Array<const std::uint64_t>> slot, print, mask;  // what the gazetteers look at
  Templates templates;
};

text::Transform transform_named(const std::string& name) {
  using text::Transform;
  if (name == "identity") return Transform::identity;
  if (name == "lower") return Transform::lower;
  if (name == "shape") return Transform::shape;
  if (name == "short_shape") return Transform::short_shape;
  if (name == "prefix") return Transform::prefix;
  if (name == "suffix") return Transform::suffix;
  if (name == "ngrams") return Transform::ngrams;
  if (name == "flag") return Transform::flag;
  if (name == "gazetteer") return Transform::gazetteer;
  throw nb::value_error("unknown transform");
}

Template template_of(const Plan& plan) {
  const auto& [where, markers, pieces] = plan;
  Template t;
  t.markers = markers;
  t.where = where == "first"  ? Template::Where::first
            : where == "last" ? Template::Where::last
                              : Template::Where::everywhere;
  for (const auto& [literal, column, offset, transform, low, high] : pieces) {
    t.behind += literal;
    if (column < 0) continue;
    t.parts.push_back({t.behind, {column, transform_named(transform), low, high}, offset});
    t.behind.clear();
  }
  return t;
}

void make_templates(TemplatesHandle* self, const std::vector<Plan>& plans, int columns,
                    std::uint64_t seed, const std::vector<std::string>& gazetteers,
                    std::optional<Array<const std::uint64_t>> slot,
                    std::optional<Array<const std::uint64_t>> print,
                    std::optional<Array<const std::uint64_t>> mask, int longest) {
  std::vector<Template> templates;
  for (const Plan& plan : plans) templates.push_back(template_of(plan));
  text::Gazetteers lists{gazetteers, {}, nullptr, 0};
  if (slot && print && mask) {
    require_length(mask, length_of(*print), "mask");
    lists.table = table_of(*slot, *print);
    lists.mask = mask->data();
    lists.longest = longest;
  }
  Templates ready(std::move(templates), columns, std::move(lists), seed);
  new (self) TemplatesHandle{slot, print, mask, std::move(ready)};
}

// The tokens of columns and sentences, checked.
Tokens tokens_of(const std::vector<const TextViews*>& columns,
                 const Array<const std::int64_t>& sentence, const Templates& templates) {
  const std::int64_t* const first = sentence.data();
  const std::int64_t* const last = first + sentence.size();
  require(first != last && *first == 0 && ascends(first, last - first),
          "sentence must ascend from 0");
  require(columns.size() == static_cast<std::size_t>(templates.columns()),
          "another number of columns than the templates have");
  Tokens tokens{{}, first, static_cast<std::int64_t>(sentence.size()) - 1};
  for (const TextViews* column : columns) {
    require(column != nullptr, "a column is missing");
    require(std::ssize(column->views) == last[-1], "sentence does not end with the last token");
    tokens.columns.emplace_back(column->views);
  }
  return tokens;
}

// Threads are not worth their start for few tokens.
int threads_for(const std::vector<const TextViews*>& columns, int wanted) {
  std::size_t bytes = 0;
  for (const TextViews* column : columns) bytes += column->bytes + 4 * column->views.size();
  return bytes < (1U << 17) ? 1 : wanted;
}

}  // namespace

void bind_token_features(nb::module_& m) {
  nb::class_<TemplatesHandle>(m, "TokenTemplates", "Feature templates of a tagger, ready for use.")
      .def("__init__", &make_templates, nb::arg("templates"), nb::arg("columns"), nb::arg("seed"),
           nb::arg("gazetteers") = std::vector<std::string>{},
           nb::arg("slot").noconvert().none() = nb::none(),
           nb::arg("print").noconvert().none() = nb::none(),
           nb::arg("mask").noconvert().none() = nb::none(), nb::arg("longest") = 0);

  m.def(
      "token_flags",
      [] { return std::vector<std::string>(text::kFlags, text::kFlags + text::kFlagCount); },
      "The names of the flags of a word, in the order of their numbers.");

  nb::class_<text::TokenCounts>(m, "TokenCounts", "The features of a corpus, counted.")
      .def_prop_ro("collided", &text::TokenCounts::collided)
      .def_prop_ro("columns", &text::TokenCounts::columns)
      .def_prop_ro("spelled", &text::TokenCounts::spelled)
      .def(
          "write",
          [](const text::TokenCounts& self, Array<std::uint8_t> bytes, Array<std::int64_t> offset,
             Array<std::uint64_t> print, Array<std::int64_t> count) {
            require_length(bytes, self.spelled(), "bytes");
            require_length(offset, self.columns() + 1, "offset");
            require_length(print, self.columns(), "print");
            require_length(count, self.columns(), "count");
            nb::gil_scoped_release release;
            self.write(reinterpret_cast<char*>(bytes.data()), offset.data(), print.data(),
                       count.data());
          },
          nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(), nb::arg("print").noconvert(),
          nb::arg("count").noconvert());

  m.def(
      "count_token_features",
      [](const std::vector<const TextViews*>& columns, Array<const std::int64_t> sentence,
         const TemplatesHandle& templates, std::int64_t min_count, int threads) {
        const Tokens tokens = tokens_of(columns, sentence, templates.templates);
        return with_pool(threads_for(columns, threads), [&](ThreadPool& pool) {
          return text::TokenCounts(tokens, templates.templates, min_count, pool);
        });
      },
      nb::arg("columns"), nb::arg("sentence").noconvert(), nb::arg("templates"),
      nb::arg("min_count"), nb::arg("threads"),
      "Count the features of tokens; those of at least min_count tokens are kept.");

  nb::class_<text::TokenRows>(m, "TokenRows", "Tokens as rows of features.")
      .def_prop_ro("stored", &text::TokenRows::stored)
      .def(
          "matrix",
          [](const text::TokenRows& self, Array<std::int64_t> start, Array<std::int32_t> index,
             int threads) {
            require_length(start, self.tokens() + 1, "start");
            require_length(index, self.stored(), "index");
            with_pool(threads,
                      [&](ThreadPool& pool) { self.matrix(start.data(), index.data(), pool); });
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("threads"));

  m.def(
      "read_token_rows",
      [](const std::vector<const TextViews*>& columns, Array<const std::int64_t> sentence,
         const TemplatesHandle& templates, Array<const std::uint64_t> slot,
         Array<const std::uint64_t> print, int threads) {
        const Tokens tokens = tokens_of(columns, sentence, templates.templates);
        const text::Table table = table_of(slot, print);
        return with_pool(threads_for(columns, threads), [&](ThreadPool& pool) {
          return text::TokenRows(tokens, templates.templates, table, pool);
        });
      },
      nb::arg("columns"), nb::arg("sentence").noconvert(), nb::arg("templates"),
      nb::arg("slot").noconvert(), nb::arg("print").noconvert(), nb::arg("threads"),
      "Look the features of tokens up in the table of a vocabulary.");

  m.def(
      "name_prints",
      [](const TextViews& names, std::uint64_t seed, Array<std::uint64_t> out) {
        require_length(out, std::ssize(names.views), "out");
        const text::NameHash hash(seed);
        nb::gil_scoped_release release;
        std::transform(names.views.begin(), names.views.end(), out.data(),
                       [&](std::string_view name) { return text::print_of(hash(name).hash); });
      },
      nb::arg("names"), nb::arg("seed"), nb::arg("out").noconvert(),
      "The fingerprints of names as the templates of this seed make them.");

  m.def(
      "fill_table",
      [](Array<const std::uint64_t> print, Array<std::uint64_t> slot) {
        require_slots(slot, length_of(print));
        nb::gil_scoped_release release;
        return text::fill_table(static_cast<std::int64_t>(print.size()), print.data(),
                                static_cast<std::int64_t>(slot.size()), slot.data());
      },
      nb::arg("print").noconvert(), nb::arg("slot").noconvert(),
      "Fill the table of fingerprints; returns -1, or a row whose fingerprint is taken.");

  m.def(
      "front_coded",
      [](Array<const std::uint8_t> bytes, Array<const std::int64_t> offset) {
        require_offsets(offset, length_of(bytes), "offset");
        const std::string code = text::front_coded(reinterpret_cast<const char*>(bytes.data()),
                                                   offset.data(), length_of(offset) - 1);
        return nb::bytes(code.data(), code.size());
      },
      nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(),
      "Names as what each has that the one before it has not.");

  m.def(
      "measure_front_coded",
      [](Array<const std::uint8_t> code) {
        const auto sum = text::measure_front_coded(code.data(), length_of(code));
        require(sum.has_value(), "code is not front-coded");
        return std::make_tuple(sum->names, sum->bytes);
      },
      nb::arg("code").noconvert(), "How many names are front-coded, and how long they are.");

  m.def(
      "spell_front_coded",
      [](Array<const std::uint8_t> code, std::uint64_t seed, Array<std::uint8_t> bytes,
         Array<std::int64_t> offset, std::optional<Array<std::uint64_t>> print) {
        nb::gil_scoped_release release;
        const auto sum = text::measure_front_coded(code.data(), length_of(code));
        require(sum.has_value(), "code is not front-coded");
        require_length(bytes, sum->bytes, "bytes");
        require_length(offset, sum->names + 1, "offset");
        if (print) require_length(*print, sum->names, "print");
        text::spell_front_coded(code.data(), length_of(code), seed,
                                reinterpret_cast<char*>(bytes.data()), offset.data(),
                                print ? print->data() : nullptr);
      },
      nb::arg("code").noconvert(), nb::arg("seed"), nb::arg("bytes").noconvert(),
      nb::arg("offset").noconvert(), nb::arg("print").noconvert().none(),
      "Spell front-coded names, with the fingerprints that templates of this seed give them.");
}

}  // namespace linnet::bindings
