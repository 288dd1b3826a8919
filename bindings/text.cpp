#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "common.hpp"
#include "text/counting.hpp"
#include "text/documents.hpp"
#include "text/facets.hpp"
#include "text/features.hpp"
#include "text/originals.hpp"
#include "text/scoring.hpp"
#include "text/table.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using text::Analysis;
using text::Columns;
using text::Weighting;

// A str holds its UTF-8 form, or makes it once and keeps it.
void views_of_strings(TextViews* self, nb::object texts) {
  auto* views = new (self) TextViews{nb::steal(PySequence_Tuple(texts.ptr())), {}};
  if (!views->owner.is_valid()) {
    views->~TextViews();
    throw nb::python_error();
  }
  const Py_ssize_t size = PyTuple_Size(views->owner.ptr());
  views->views.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t k = 0; k < size; ++k) {
    PyObject* const item = PyTuple_GetItem(views->owner.ptr(), k);
    Py_ssize_t length = 0;
    const char* const data =
        PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &length) : nullptr;
    if (data == nullptr) {
      const bool text = PyUnicode_Check(item);
      PyErr_Clear();
      views->~TextViews();
      const std::string row = "text " + std::to_string(k);
      throw nb::type_error(
          (row + (text ? " holds half of a surrogate pair, which no UTF-8 file can hold"
                       : " is not a str"))
              .c_str());
    }
    views->add(data, static_cast<std::size_t>(length));
  }
}

void views_of_bytes(TextViews* self, Array<const std::uint8_t> bytes,
                    Array<const std::int64_t> start, Array<const std::int64_t> end,
                    nb::object owner) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  require_length(end, length_of(start), "end");
  for (std::size_t k = 0; k < start.size(); ++k) {
    require(start.data()[k] >= 0 && start.data()[k] <= end.data()[k] && end.data()[k] <= size,
            "a text lies outside the bytes");
  }
  auto* views = new (self) TextViews{std::move(owner), {}, 0, bytes};
  const auto* const data = reinterpret_cast<const char*>(bytes.data());
  views->views.reserve(start.size());
  for (std::size_t k = 0; k < start.size(); ++k) {
    views->add(data + start.data()[k], static_cast<std::size_t>(end.data()[k] - start.data()[k]));
  }
}

text::Tokenizer tokenizer_named(const std::string& name) {
  if (name == "word") return text::Tokenizer::word;
  if (name == "token") return text::Tokenizer::token;
  if (name == "whitespace") return text::Tokenizer::whitespace;
  if (name == "unicode") return text::Tokenizer::unicode;
  if (name == "split") return text::Tokenizer::split;
  if (name == "char") return text::Tokenizer::character;
  if (name == "char_wb") return text::Tokenizer::inside;
  throw nb::value_error("unknown tokenizer");
}

void make_analysis(Analysis* self, const std::string& tokenizer, int shortest, int longest,
                   int skip, bool lowercase, const std::string& accents, bool digits, bool html,
                   std::uint64_t seed, const std::vector<std::string>& stop_words) {
  require(shortest >= 1 && longest >= shortest && longest <= 1000 && skip >= 0 && skip <= 100,
          "n-gram lengths out of range");
  auto* a = new (self) Analysis();
  a->tokenizer = tokenizer_named(tokenizer);
  a->shortest = shortest;
  a->longest = longest;
  a->skip = skip;
  a->seed = seed;
  using Accents = text::Normalisation::Accents;
  a->normalisation.lowercase = lowercase;
  a->normalisation.accents = accents == "ascii"     ? Accents::ascii
                             : accents == "unicode" ? Accents::unicode
                                                    : Accents::keep;
  a->normalisation.digits = digits;
  a->normalisation.html = html;
  for (const std::string& word : stop_words) a->stop.push_back(text::fingerprint(word, seed));
  std::sort(a->stop.begin(), a->stop.end());
}

// Columns with the arrays that they look at.
struct ColumnsHandle {
  std::optional<Array<const std::uint64_t>> slot;
  std::optional<Array<const std::uint64_t>> print;
  Columns columns;

  // Columns are below it.
  std::int64_t width() const {
    const std::int64_t known = print ? length_of(*print) : columns.buckets;
    return std::max(known, std::int64_t{columns.unknown} + 1);
  }
};

Weighting weighting_named(const std::string& count, const std::string& norm,
                          const std::optional<Array<const float>>& scale) {
  Weighting w;
  w.count = count == "binary"      ? Weighting::Count::binary
            : count == "logarithm" ? Weighting::Count::logarithm
                                   : Weighting::Count::plain;
  w.norm = norm == "l1"   ? Weighting::Norm::l1
           : norm == "l2" ? Weighting::Norm::l2
                          : Weighting::Norm::none;
  w.scale = scale ? scale->data() : nullptr;
  return w;
}

// Facets with what they look at.
struct FacetsHandle {
  std::deque<Analysis> analyses;  // stay where they are while more are added
  std::deque<ColumnsHandle> columns;
  std::vector<std::optional<Array<const float>>> scales;
  std::vector<text::Facet> facets;

  std::int64_t width() const {
    return facets.empty() ? 0 : std::int64_t{facets.back().first} + facets.back().width;
  }

  void add(const Analysis& analysis, const ColumnsHandle& handle, const std::string& count,
           const std::string& norm, std::optional<Array<const float>> scale, std::int32_t n) {
    require(n >= handle.width(), "width is less than the columns");
    require(!scale || length_of(*scale) >= n, "scale is too short");
    const std::int64_t first = width();
    require(first + n <= INT32_MAX, "too many columns");
    analyses.push_back(analysis);
    columns.push_back(handle);
    scales.push_back(scale);
    facets.push_back({&analyses.back(), &columns.back().columns,
                      weighting_named(count, norm, scale), static_cast<std::int32_t>(first), n});
  }
};

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<TextViews>(m, "Texts", "Texts as the core reads them: views of UTF-8 bytes.")
      .def("__init__", &views_of_strings, nb::arg("texts"))
      .def("__init__", &views_of_bytes, nb::arg("bytes").noconvert(), nb::arg("start").noconvert(),
           nb::arg("end").noconvert(), nb::arg("owner"))
      .def("__len__", [](const TextViews& self) { return self.views.size(); })
      .def_ro("nbytes", &TextViews::bytes)
      .def(
          "originals",
          [](const TextViews& self, Array<std::int64_t> out, int threads) {
            require_length(out, static_cast<std::int64_t>(self.views.size()), "out");
            with_pool(self.threads(threads), [&](ThreadPool& pool) {
              text::find_originals(self.views, out.data(), pool);
            });
          },
          nb::arg("out").noconvert(), nb::arg("threads"),
          "For each text the number of the first that equals it.");

  nb::class_<Analysis>(m, "Analysis", "What to look at in a text.")
      .def("__init__", &make_analysis, nb::arg("tokenizer"), nb::arg("shortest"),
           nb::arg("longest"), nb::arg("skip"), nb::arg("lowercase"), nb::arg("accents"),
           nb::arg("digits"), nb::arg("html"), nb::arg("seed"), nb::arg("stop_words"));

  nb::class_<text::Counts>(m, "Counts", "The n-grams of a corpus, counted.")
      .def_prop_ro("rows", &text::Counts::rows)
      .def_prop_ro("columns", &text::Counts::columns)
      .def_prop_ro("stored", &text::Counts::stored)
      .def_prop_ro("spelled", &text::Counts::spelled)
      .def(
          "matrix",
          [](const text::Counts& self, Array<std::int64_t> start, Array<std::int32_t> index,
             Array<float> value, int threads) {
            require_length(start, self.rows() + 1, "start");
            require_length(index, self.stored(), "index");
            require_length(value, self.stored(), "value");
            with_pool(threads, [&](ThreadPool& pool) {
              self.matrix(start.data(), index.data(), value.data(), pool);
            });
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("value").noconvert(),
          nb::arg("threads"))
      .def(
          "names",
          [](const text::Counts& self, Array<std::uint8_t> bytes, Array<std::int64_t> offset,
             int threads) {
            require_length(bytes, self.spelled(), "bytes");
            require_length(offset, self.columns() + 1, "offset");
            with_pool(threads, [&](ThreadPool& pool) {
              self.names(reinterpret_cast<char*>(bytes.data()), offset.data(), pool);
            });
          },
          nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(), nb::arg("threads"))
      .def(
          "documents",
          [](const text::Counts& self, Array<std::int64_t> out) {
            require_length(out, self.columns(), "out");
            self.documents(out.data());
          },
          nb::arg("out").noconvert());

  m.def(
      "count_features",
      [](const TextViews& texts, const Analysis& analysis, std::int64_t min_documents,
         std::int64_t max_documents, std::int64_t max_features, int threads) {
        const text::Limits limits{min_documents, max_documents, max_features};
        return with_pool(texts.threads(threads), [&](ThreadPool& pool) {
          return text::Counts(texts.views, analysis, limits, pool);
        });
      },
      nb::arg("texts"), nb::arg("analysis"), nb::arg("min_documents"), nb::arg("max_documents"),
      nb::arg("max_features"), nb::arg("threads"),
      "Count the n-grams of texts; what is kept becomes the vocabulary.");

  m.def("table_capacity", &text::table_capacity, nb::arg("features"));
  m.def(
      "build_table",
      [](Array<const std::uint8_t> bytes, Array<const std::int64_t> offset,
         const Analysis& analysis, Array<std::uint64_t> slot, Array<std::uint64_t> print,
         int threads) {
        require_names(bytes, offset);
        const std::int64_t features = length_of(offset) - 1;
        require(length_of(print) >= features, "print is too short");
        require_slots(slot, features);
        return with_pool(features < 10'000 ? 1 : threads, [&](ThreadPool& pool) {
          return text::build_table(reinterpret_cast<const char*>(bytes.data()), offset.data(),
                                   features, analysis, static_cast<std::int64_t>(slot.size()),
                                   slot.data(), print.data(), pool);
        });
      },
      nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(), nb::arg("analysis"),
      nb::arg("slot").noconvert(), nb::arg("print").noconvert(), nb::arg("threads"),
      "Fill the table of a vocabulary; returns -1, or a column whose fingerprint is taken.");

  m.def(
      "hash_names",
      [](Array<const std::uint8_t> bytes, Array<const std::int64_t> offset, std::uint32_t buckets) {
        require_names(bytes, offset);
        require(buckets >= 1 && buckets <= INT32_MAX, "buckets must be 1 to 2**31 - 1");
        const auto* const data = reinterpret_cast<const char*>(bytes.data());
        std::vector<std::int32_t> out;
        for (std::size_t j = 0; j + 1 < offset.size(); ++j) {
          const std::int64_t first = offset.data()[j], last = offset.data()[j + 1];
          const std::string_view name(data + first, static_cast<std::size_t>(last - first));
          out.push_back(text::bucket(name, buckets).column);
        }
        return out;
      },
      nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(), nb::arg("buckets"),
      "The hash bucket of each name.");

  nb::class_<ColumnsHandle>(m, "Columns", "From n-grams to columns: a vocabulary, or buckets.")
      .def(
          "__init__",
          [](ColumnsHandle* self, Prints slot, Prints print, std::int32_t unknown) {
            const text::Table table = table_of(slot, print);
            new (self) ColumnsHandle{slot, print, {table, 0, false, false, unknown}};
          },
          nb::arg("slot").noconvert(), nb::arg("print").noconvert(), nb::arg("unknown") = -1)
      .def(
          "__init__",
          [](ColumnsHandle* self, std::uint32_t buckets, bool signs, bool by_print) {
            require(buckets >= 1 && buckets <= INT32_MAX, "buckets must be 1 to 2**31 - 1");
            new (self)
                ColumnsHandle{std::nullopt, std::nullopt, {{}, buckets, signs, by_print, -1}};
          },
          nb::arg("buckets"), nb::arg("signs"), nb::arg("by_print") = false);

  nb::class_<text::Rows>(m, "Rows", "Texts as rows of counts.")
      .def_prop_ro("stored", &text::Rows::stored)
      .def(
          "matrix",
          [](const text::Rows& self, Array<std::int64_t> start, Array<std::int32_t> index,
             Array<float> value, int threads) {
            require_length(start, self.rows() + 1, "start");
            require_length(index, self.stored(), "index");
            require_length(value, self.stored(), "value");
            with_pool(threads, [&](ThreadPool& pool) {
              self.matrix(start.data(), index.data(), value.data(), pool);
            });
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("value").noconvert(),
          nb::arg("threads"));

  nb::class_<FacetsHandle>(m, "Facets", "Ways to look at texts, side by side.")
      .def(nb::init<>())
      .def("add", &FacetsHandle::add, nb::arg("analysis"), nb::arg("columns"), nb::arg("count"),
           nb::arg("norm"), nb::arg("scale").noconvert().none(), nb::arg("width"),
           "Look at texts in one more way; its columns are behind the others.");

  m.def(
      "read_rows",
      [](const TextViews& texts, const FacetsHandle& facets, int threads, bool ordered,
         bool weighed) {
        return with_pool(texts.threads(threads), [&](ThreadPool& pool) {
          return text::Rows(texts.views, facets.facets, ordered, weighed, pool);
        });
      },
      nb::arg("texts"), nb::arg("facets"), nb::arg("threads"), nb::arg("ordered") = true,
      nb::arg("weighed") = false,
      "The texts as rows of counts, or of what weigh_rows makes of them; columns ascend unless "
      "ordered is False.");

  m.def(
      "weigh_rows",
      [](Array<const std::int64_t> start, Array<const std::int32_t> index, Array<float> value,
         const FacetsHandle& facets, int threads) {
        require_offsets(start, length_of(index), "start");
        require_length(value, length_of(index), "value");
        with_pool(threads, [&](ThreadPool& pool) {
          text::weigh_rows(facets.facets, static_cast<std::int64_t>(start.size()) - 1, start.data(),
                           index.data(), value.data(), pool);
        });
      },
      nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("value").noconvert(),
      nb::arg("facets"), nb::arg("threads"),
      "Turn counts into values: f(count) * scale, divided by the norm of the row's part.");

  m.def(
      "join_rows",
      [](const std::vector<std::tuple<Array<const std::int64_t>, Array<const std::int32_t>,
                                      Array<const float>, std::int32_t>>& parts,
         Array<std::int64_t> start, Array<std::int32_t> index, Array<float> value, int threads) {
        std::vector<text::RowsView> views;
        std::vector<std::int32_t> first;
        std::int64_t stored = 0, width = 0;
        for (const auto& [begin, column, amount, columns] : parts) {
          require_length(begin, length_of(start), "start");
          require_offsets(begin, length_of(column), "start");
          require_length(amount, length_of(column), "value");
          require_numbers(column, columns, "index");
          views.push_back({begin.data(), column.data(), amount.data()});
          first.push_back(static_cast<std::int32_t>(width));
          stored += length_of(column);
          width += columns;
          require(width <= INT32_MAX, "too many columns");
        }
        require_length(index, stored, "index");
        require_length(value, stored, "value");
        with_pool(threads, [&](ThreadPool& pool) {
          text::join_rows(views, first.data(), length_of(start) - 1, start.data(), index.data(),
                          value.data(), pool);
        });
      },
      nb::arg("parts"), nb::arg("start").noconvert(), nb::arg("index").noconvert(),
      nb::arg("value").noconvert(), nb::arg("threads"),
      "Put rows side by side; a part is start, index, value and its number of columns.");

  m.def(
      "score_texts",
      [](const TextViews& texts, const FacetsHandle& facets, Table<const float> weights,
         Array<const double> intercept, Table<double> out, int threads) {
        const auto classes = static_cast<std::int64_t>(weights.shape(1));
        require(length_of(weights) >= facets.width(), "weights has fewer rows than columns");
        require_length(intercept, classes, "intercept");
        require_shape(out, std::ssize(texts.views), classes, "out");
        const text::Linear model{weights.data(), intercept.data(),
                                 static_cast<std::int32_t>(weights.shape(1))};
        with_pool(texts.threads(threads), [&](ThreadPool& pool) {
          text::score(texts.views, facets.facets, model, out.data(), pool);
        });
      },
      nb::arg("texts"), nb::arg("facets"), nb::arg("weights").noconvert(),
      nb::arg("intercept").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "out[i, k] = the score of text i for class k, without a matrix.");

  m.def(
      "spell_documents",
      [](Array<const double> cumulative, Array<const std::int32_t> guide,
         Array<const std::int64_t> steps, double signal, Array<const std::uint8_t> spelling,
         Array<const std::int64_t> offset, Array<const std::int64_t> classes,
         Array<const std::int64_t> lengths, Array<const double> chances, Array<const double> about,
         Array<std::uint8_t> out) {
        require(length_of(cumulative) > 0, "a law needs words");
        require(std::has_single_bit(guide.size()), "the size of guide must be a power of two");
        require_numbers(guide, length_of(cumulative), "guide");
        require_numbers(steps, length_of(cumulative), "steps");
        require_length(offset, length_of(cumulative) + length_of(steps) + 1, "offset");
        require_offsets(offset, length_of(spelling), "offset");
        for (std::size_t k = 1; k < offset.size(); ++k) {
          const std::int64_t size = offset.data()[k] - offset.data()[k - 1];
          require(size > 0 && size <= text::kLongestSpelling, "a spelling is too long");
        }
        require_numbers(classes, length_of(steps), "classes");
        require_length(lengths, length_of(classes), "lengths");
        std::int64_t words = 0;
        for (std::size_t k = 0; k < lengths.size(); ++k) {
          require(lengths.data()[k] >= 0, "lengths must not be negative");
          require(lengths.data()[k] <= length_of(chances) - words, "chances is too short");
          words += lengths.data()[k];
        }
        require_length(chances, words, "chances");
        require_length(about, words, "about");
        require(std::all_of(chances.data(), chances.data() + chances.size(),
                            [](double chance) { return chance >= 0.0 && chance < 1.0; }),
                "chances must be from 0 to below 1");
        require_length(out, (words + length_of(classes)) * text::kLongestSpelling, "out");
        const auto view = [](const auto& array) { return std::span(array.data(), array.size()); };
        const text::Law law{view(cumulative), view(guide),    view(steps),
                            signal,           view(spelling), view(offset)};
        nb::gil_scoped_release released;
        return text::spell_documents(law, view(classes), lengths.data(), chances.data(),
                                     about.data(), out.data());
      },
      nb::arg("cumulative").noconvert(), nb::arg("guide").noconvert(), nb::arg("steps").noconvert(),
      nb::arg("signal"), nb::arg("spelling").noconvert(), nb::arg("offset").noconvert(),
      nb::arg("classes").noconvert(), nb::arg("lengths").noconvert(),
      nb::arg("chances").noconvert(), nb::arg("about").noconvert(), nb::arg("out").noconvert(),
      "Lines of documents drawn by a law (core/text/documents.hpp), and how many bytes they have.");

  m.def(
      "trace_text",
      [](const TextViews& texts, const Analysis& analysis, const ColumnsHandle& columns) {
        std::vector<text::Reader::Trace> found;
        text::Reader reader(analysis, columns.columns);
        for (const std::string_view view : texts.views) reader.trace(view, found);
        std::vector<std::tuple<std::int32_t, std::uint32_t, std::uint32_t>> out;
        for (const auto& t : found) out.emplace_back(t.column, t.begin, t.end);
        return out;
      },
      nb::arg("texts"), nb::arg("analysis"), nb::arg("columns"),
      "Every occurrence of a feature: column (~column where it counts negatively), begin, end.");
}

}  // namespace linnet::bindings
