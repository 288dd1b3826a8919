#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/vector.h>

#include "attributes_handle.hpp"
#include "foreign/pair_chain.hpp"
#include "foreign/wapiti_cells.hpp"
#include "foreign/wapiti_text.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using foreign::WapitiPart;
using foreign::WapitiPattern;
using Ints = Array<const std::int32_t>;
using Places = Array<const std::int64_t>;
using Mask = std::optional<Array<const bool>>;

constexpr std::int64_t kSentences = 16;                    // of a block of work
constexpr std::int64_t kFarthest = std::int64_t{1} << 62;  // a cell from a token, or a column

std::string_view view_of(const Array<const std::uint8_t>& data) {
  return {reinterpret_cast<const char*>(data.data()), static_cast<std::size_t>(length_of(data))};
}

std::string bytes_of(nb::handle of) {
  const nb::bytes raw = nb::cast<nb::bytes>(of);
  return {raw.c_str(), raw.size()};
}

// (kind, lower, absolute, offset, column, expression or None), an expression being
// (first, last, [(bytes, how often)]).
WapitiPart part_of(nb::handle of) {
  WapitiPart part;
  if (nb::isinstance<nb::bytes>(of)) {
    part.literal = bytes_of(of);
    return part;
  }
  const nb::tuple fields = nb::cast<nb::tuple>(of);
  require(fields.size() == 6, "a command has six fields");
  const auto kind = nb::cast<std::string>(fields[0]);
  require(kind == "x" || kind == "t" || kind == "m", "unknown command");
  part.kind = kind[0];
  part.lower = nb::cast<bool>(fields[1]);
  part.absolute = nb::cast<bool>(fields[2]);
  part.offset = nb::cast<std::int64_t>(fields[3]);
  part.column = nb::cast<std::size_t>(fields[4]);
  require(-kFarthest < part.offset && part.offset < kFarthest &&
              part.column < static_cast<std::size_t>(kFarthest),
          "a command looks too far away");
  require(fields[5].is_none() == (kind == "x"), "an expression is missing");
  if (kind == "x") return part;
  const nb::tuple expression = nb::cast<nb::tuple>(fields[5]);
  require(expression.size() == 3, "an expression has three fields");
  part.expression.first = nb::cast<bool>(expression[0]);
  part.expression.last = nb::cast<bool>(expression[1]);
  for (nb::handle atom : nb::cast<nb::tuple>(expression[2])) {
    const nb::tuple pair = nb::cast<nb::tuple>(atom);
    require(pair.size() == 2, "an atom has two fields");
    const auto often = nb::cast<std::string>(pair[1]);
    require(often.empty() || often == "*" || often == "?", "unknown repetition");
    foreign::WapitiAtom made{{}, often.empty() ? '1' : often[0]};
    for (const char c : bytes_of(pair[0])) made.bytes.set(static_cast<unsigned char>(c));
    part.expression.atoms.push_back(made);
  }
  return part;
}

struct PatternsHandle {
  std::vector<WapitiPattern> patterns;
  std::size_t columns = 0;
};

void make_patterns(PatternsHandle* self, nb::object patterns) {
  PatternsHandle made;
  for (nb::handle pattern : nb::cast<nb::list>(patterns)) {
    std::vector<WapitiPart> parts;
    for (nb::handle part : nb::cast<nb::tuple>(pattern)) parts.push_back(part_of(part));
    made.patterns.emplace_back(std::move(parts));
    made.columns = std::max(made.columns, made.patterns.back().columns());
  }
  new (self) PatternsHandle(std::move(made));
}

// White space that is not ASCII, in UTF-8.
bool holds_wide_space(std::string_view text) {
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    const auto a = static_cast<unsigned char>(text[k]), b = static_cast<unsigned char>(text[k + 1]);
    if (a == 0xC2 && (b == 0x85 || b == 0xA0)) return true;
    if (k + 2 >= text.size()) continue;
    const auto c = static_cast<unsigned char>(text[k + 2]);
    if (a == 0xE1 && b == 0x9A && c == 0x80) return true;
    if (a == 0xE2 && b == 0x80 && (c <= 0x8A || c == 0xA8 || c == 0xA9 || c == 0xAF)) return true;
    if ((a == 0xE2 && b == 0x81 && c == 0x9F) || (a == 0xE3 && b == 0x80 && c == 0x80)) return true;
  }
  return false;
}

bool is_word(std::string_view text) {
  const auto visible = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  return !text.empty() && std::all_of(text.begin(), text.end(), visible) && !holds_wide_space(text);
}

// Adds the first columns of a token, a word or a tuple of `width` cells; false for anything else.
bool add_token(PyObject* token, Py_ssize_t width, foreign::WapitiCells& cells) {
  std::string_view text;
  if (width == 0) {
    if (!text_of(token, text) || !is_word(text)) return false;
    cells.add(text);
    return true;
  }
  if (!PyTuple_CheckExact(token) || PyTuple_Size(token) != width) return false;
  for (Py_ssize_t c = 0; c < width; ++c) {
    if (!text_of(PyTuple_GetItem(token, c), text) || (c == 0 && !is_word(text))) return false;
    if (c < static_cast<Py_ssize_t>(cells.columns())) cells.add(text);
  }
  return true;
}

// The cells of lists of words, or of tuples of equally many str; nothing for what needs a closer
// look.
std::optional<foreign::WapitiCells> cells_of_lists(nb::handle sentences, std::size_t columns) {
  if (!PyList_CheckExact(sentences.ptr()) || columns < 1) return std::nullopt;
  foreign::WapitiCells cells(columns);
  Py_ssize_t width = -1;  // of tuples; 0 when tokens are words
  for (Py_ssize_t s = 0; s < PyList_Size(sentences.ptr()); ++s) {
    PyObject* const sentence = PyList_GetItem(sentences.ptr(), s);
    if (!PyList_CheckExact(sentence)) return std::nullopt;
    for (Py_ssize_t t = 0; t < PyList_Size(sentence); ++t) {
      PyObject* const token = PyList_GetItem(sentence, t);
      if (width < 0) {
        width = PyTuple_CheckExact(token) ? PyTuple_Size(token) : 0;
        if (std::max<Py_ssize_t>(width, 1) < static_cast<Py_ssize_t>(columns)) return std::nullopt;
      }
      if (!add_token(token, width, cells)) return std::nullopt;
    }
    cells.end_sentence();
  }
  return cells;
}

foreign::WapitiCells cells_of_columns(const std::vector<const TextViews*>& columns,
                                      Places sentence) {
  const std::int64_t n = length_of(sentence);
  require(n >= 1 && sentence.data()[0] == 0 && ascends(sentence.data(), n), "sentence is broken");
  require(!columns.empty(), "there are no columns");
  for (const TextViews* column : columns) {
    require(column != nullptr && std::ssize(column->views) == sentence.data()[n - 1],
            "a column is missing or has another length");
  }
  foreign::WapitiCells cells(columns.size());
  for (std::int64_t s = 0; s + 1 < n; ++s) {
    for (std::int64_t t = sentence.data()[s]; t < sentence.data()[s + 1]; ++t) {
      for (const TextViews* column : columns) cells.add(column->views[static_cast<std::size_t>(t)]);
    }
    cells.end_sentence();
  }
  return cells;
}

// Token i has the observations index[start[i] .. start[i + 1]), in the order of the patterns.
struct ObservationRows {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index;
};

ObservationRows observations(const PatternsHandle& patterns, const AttributesHandle& names,
                             const foreign::WapitiCells& cells, int threads) {
  require(cells.columns() >= patterns.columns, "the patterns look at more columns");
  const std::int64_t n = cells.sentences(), parts = n < 8 ? 1 : std::max(threads, 1);
  std::vector<ObservationRows> made(static_cast<std::size_t>(parts));
  with_pool(static_cast<int>(parts), [&](ThreadPool& pool) {
    pool.run(parts, [&](std::int64_t part) {
      ObservationRows& rows = made[static_cast<std::size_t>(part)];
      foreign::WapitiObserver observer(patterns.patterns, names.table, cells);
      const auto tokens_before = [&](std::int64_t p) {
        return static_cast<std::size_t>(cells.sentence()[static_cast<std::size_t>(n * p / parts)]);
      };
      const std::size_t tokens = tokens_before(part + 1) - tokens_before(part);
      rows.start.reserve(tokens + 1);
      rows.index.reserve(tokens * patterns.patterns.size() / 2);
      for (std::int64_t s = n * part / parts; s < n * (part + 1) / parts; ++s) {
        pool.checkpoint();
        const auto at = static_cast<std::size_t>(s);
        const std::int64_t size = cells.sentence()[at + 1] - cells.sentence()[at];
        for (std::int64_t t = 0; t < size; ++t) {
          observer.observe(s, t, rows.index);
          rows.start.push_back(std::ssize(rows.index));
        }
      }
    });
  });
  ObservationRows& rows = made[0];
  for (std::size_t part = 1; part < made.size(); ++part) {
    const std::int64_t before = rows.start.back();
    for (std::size_t t = 1; t < made[part].start.size(); ++t) {
      rows.start.push_back(before + made[part].start[t]);
    }
    rows.index.insert(rows.index.end(), made[part].index.begin(), made[part].index.end());
  }
  return std::move(rows);
}

nb::bytes observation(const PatternsHandle& patterns, std::size_t pattern,
                      const foreign::WapitiCells& cells, std::int64_t token) {
  require(cells.columns() >= patterns.columns, "the patterns look at more columns");
  require(pattern < patterns.patterns.size() && cells.sentences() == 1 && token >= 0 &&
              token < cells.tokens(),
          "there is no such pattern or token");
  std::string out;
  patterns.patterns[pattern].write(cells, 0, token, out);
  return nb::bytes(out.data(), out.size());
}

// Weights of label pairs with the arrays they lie in, and tokens to score.
struct PairArguments {
  bool local;
  Places start;
  Ints place;
  Array<const double> weight;
  Places row;
  Ints index;
  Table<const double> single;
  Mask first;
  std::optional<Table<const bool>> between;
  Mask last;

  foreign::PairChain checked() const {
    const auto labels = static_cast<std::int64_t>(single.shape(1));
    const std::int64_t features = length_of(start) - 1, tokens = length_of(row) - 1;
    require(labels >= 1 && labels <= 46340, "single has no labels");
    require(features >= 0 && tokens >= 0, "start or row is empty");
    require(start.data()[0] >= 0 && ascends(start.data(), features + 1), "start is broken");
    require(row.data()[0] >= 0 && ascends(row.data(), tokens + 1), "row is broken");
    require_length(place, length_of(weight), "place");
    require(start.data()[features] <= length_of(place), "start points outside");
    require(row.data()[tokens] <= length_of(index), "row points outside");
    require_below(place.data(), length_of(place), 0, static_cast<std::int32_t>(labels * labels),
                  "place");
    require_below(index.data(), length_of(index), 0, static_cast<std::int32_t>(features), "index");
    require_shape(single, tokens, labels, "single");
    require_length(first, labels, "first");
    require_length(last, labels, "last");
    if (between) require_shape(*between, labels, labels, "between");
    return {static_cast<std::int32_t>(labels),
            local,
            start.data(),
            place.data(),
            weight.data(),
            row.data(),
            index.data(),
            single.data(),
            first ? first->data() : nullptr,
            between ? between->data() : nullptr,
            last ? last->data() : nullptr};
  }
};

// body(search, begin, end) for every sentence.
template <class Body>
void each_sentence(const PairArguments& arguments, const Places& sentence, int threads,
                   Body&& body) {
  const foreign::PairChain chain = arguments.checked();
  const std::int64_t n = length_of(sentence) - 1;
  require(n >= 0 && sentence.data()[0] == 0 && ascends(sentence.data(), n + 1) &&
              sentence.data()[n] == length_of(arguments.row) - 1,
          "sentence is broken");
  with_pool(n < 8 ? 1 : threads, [&](ThreadPool& pool) {
    pool.ranges(n, kSentences, [&](std::int64_t begin, std::int64_t end) {
      foreign::PairSearch search(chain);
      for (std::int64_t s = begin; s < end; ++s) {
        body(search, sentence.data()[s], sentence.data()[s + 1]);
      }
    });
  });
}

void make_arguments(PairArguments* self, bool local, Places start, Ints place,
                    Array<const double> weight, Places row, Ints index, Table<const double> single,
                    Mask first, std::optional<Table<const bool>> between, Mask last) {
  new (self) PairArguments{local, start, place, weight, row, index, single, first, between, last};
}

}  // namespace

void bind_taggers(nb::module_& m) {
  nb::class_<PatternsHandle>(m, "WapitiPatterns", "Wapiti's patterns, taken apart.")
      .def("__init__", &make_patterns, nb::arg("patterns"))
      .def("observation", &observation, nb::arg("pattern"), nb::arg("cells"), nb::arg("token"),
           "What a pattern makes of a token of one sentence.");

  nb::class_<foreign::WapitiCells>(m, "WapitiCells", "The cells of tokens by numbers.")
      .def_prop_ro("sentences", &foreign::WapitiCells::sentences)
      .def_prop_ro("tokens", &foreign::WapitiCells::tokens)
      .def(
          "copy",
          [](const foreign::WapitiCells& self, Array<std::int64_t> sentence) {
            require_length(sentence, std::ssize(self.sentence()), "sentence");
            std::copy(self.sentence().begin(), self.sentence().end(), sentence.data());
          },
          nb::arg("sentence").noconvert(), "Where sentences begin.");

  m.def(
      "wapiti_netstrings",
      [](Array<const std::uint8_t> data, std::int64_t at, Array<std::uint8_t> out,
         Array<std::int64_t> offset) {
        require(at >= 0 && at <= length_of(data), "at is outside the data");
        require_length(out, length_of(data) - at, "out");
        require(length_of(offset) >= 1, "offset is empty");
        return foreign::read_netstrings(view_of(data), at, length_of(offset) - 1,
                                        reinterpret_cast<char*>(out.data()), offset.data());
      },
      nb::arg("data").noconvert(), nb::arg("at"), nb::arg("out").noconvert(),
      nb::arg("offset").noconvert(),
      "Copy texts LENGTH:BYTES; where they end, -1 if they are written otherwise.");
  m.def(
      "wapiti_weights",
      [](Array<const std::uint8_t> data, Array<std::int64_t> place, Array<double> value) {
        require_length(value, length_of(place), "value");
        return foreign::read_weights(view_of(data), length_of(place), place.data(), value.data());
      },
      nb::arg("data").noconvert(), nb::arg("place").noconvert(), nb::arg("value").noconvert(),
      "Read lines INDEX=VALUE; false if they are written otherwise.");
  m.def(
      "read_numbers",
      [](nb::bytes data, std::int64_t at, Array<double> value) {
        require(at >= 0 && at <= static_cast<std::int64_t>(data.size()), "at is outside the data");
        const std::string_view all(data.c_str(), data.size());
        return foreign::read_numbers(all.substr(static_cast<std::size_t>(at)), length_of(value),
                                     value.data());
      },
      nb::arg("data"), nb::arg("at"), nb::arg("value").noconvert(),
      "Read numbers with white space between them; false if they are written otherwise.");
  m.def("wapiti_cells_of_lists", &cells_of_lists, nb::arg("sentences"), nb::arg("columns"),
        "The cells of plain lists of words or tuples; None for what needs a closer look.");
  m.def("wapiti_cells", &cells_of_columns, nb::arg("columns"), nb::arg("sentence").noconvert(),
        "The cells of columns of tokens.");

  nb::class_<ObservationRows>(m, "ObservationRows", "The observations of tokens.")
      .def_prop_ro("stored", [](const ObservationRows& self) { return self.index.size(); })
      .def(
          "copy",
          [](const ObservationRows& self, Array<std::int64_t> start, Array<std::int32_t> index) {
            require_length(start, std::ssize(self.start), "start");
            require_length(index, std::ssize(self.index), "index");
            std::copy(self.start.begin(), self.start.end(), start.data());
            std::copy(self.index.begin(), self.index.end(), index.data());
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert());

  m.def("wapiti_observations", &observations, nb::arg("patterns"), nb::arg("names"),
        nb::arg("cells"), nb::arg("threads"), "The observations of tokens that have numbers.");

  nb::class_<PairArguments>(m, "PairScores", "Weights of label pairs, and tokens to score.")
      .def("__init__", &make_arguments, nb::arg("local"), nb::arg("start").noconvert(),
           nb::arg("place").noconvert(), nb::arg("weight").noconvert(), nb::arg("row").noconvert(),
           nb::arg("index").noconvert(), nb::arg("single").noconvert(),
           nb::arg("first").noconvert().none(), nb::arg("between").noconvert().none(),
           nb::arg("last").noconvert().none())
      .def(
          "decode",
          [](const PairArguments& self, Places sentence, Array<std::int32_t> labels, int threads) {
            require_length(labels, length_of(self.row) - 1, "labels");
            each_sentence(self, sentence, threads,
                          [&](foreign::PairSearch& search, std::int64_t begin, std::int64_t end) {
                            search.decode(begin, end, labels.data() + begin);
                          });
          },
          nb::arg("sentence").noconvert(), nb::arg("labels").noconvert(), nb::arg("threads"),
          "The labels of the best labellings.")
      .def(
          "marginals",
          [](const PairArguments& self, Places sentence, Table<double> out, int threads) {
            const auto labels = static_cast<std::int64_t>(self.single.shape(1));
            require_shape(out, length_of(self.row) - 1, labels, "out");
            each_sentence(self, sentence, threads,
                          [&](foreign::PairSearch& search, std::int64_t begin, std::int64_t end) {
                            search.marginals(begin, end, out.data() + begin * labels);
                          });
          },
          nb::arg("sentence").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
          "P(label | sentence) of each token.");
}

}  // namespace linnet::bindings
