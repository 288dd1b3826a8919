// Taggers from left to right: their weights, from Python's dictionaries or JSON, and their answers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/stl/vector.h>

#include "attributes_handle.hpp"
#include "foreign/greedy_tags.hpp"
#include "foreign/tagger_json.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using foreign::TaggerJson;
using foreign::TagWeights;
using Ints = Array<const std::int32_t>;
using Places = Array<const std::int64_t>;

constexpr std::int64_t kSentences = 16;  // of a block of work

// Adds the weights {tag: number} of a feature; false for what needs a closer look.
bool add_feature(TagWeights& to, PyObject* feature, PyObject* of_tags, PyObject* numbers) {
  std::string_view name;
  if (!text_of(feature, name) || !PyDict_CheckExact(of_tags)) return false;
  to.names.append(name);
  to.offset.push_back(std::ssize(to.names));
  const std::ptrdiff_t first = std::ssize(to.pair);
  PyObject *tag = nullptr, *weight = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(of_tags, &at, &tag, &weight);) {
    if (!PyUnicode_CheckExact(tag) || !PyFloat_CheckExact(weight)) return false;
    PyObject* const number = PyDict_GetItemWithError(numbers, tag);
    if (number == nullptr || !PyLong_CheckExact(number)) return false;
    const double value = PyFloat_AsDouble(weight);
    if (!(std::abs(value) < 1e100)) return false;
    to.pair.emplace_back(static_cast<std::int32_t>(PyLong_AsLong(number)), value);
  }
  std::sort(to.pair.begin() + first, to.pair.end());
  to.start.push_back(std::ssize(to.pair));
  return true;
}

using Dict = nb::typed<nb::dict, nb::object, nb::object>;

std::optional<TagWeights> tag_weights(Dict weights, nb::typed<nb::dict, nb::str, int> numbers) {
  TagWeights made;
  PyObject *feature = nullptr, *of_tags = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(weights.ptr(), &at, &feature, &of_tags);) {
    if (!add_feature(made, feature, of_tags, numbers.ptr())) {
      PyErr_Clear();
      return std::nullopt;
    }
  }
  return made;
}

void copy_tag_weights(const TagWeights& self, Array<std::int64_t> start, Array<std::int32_t> label,
                      Array<double> weight, Array<std::uint8_t> names, Array<std::int64_t> offset) {
  const auto stored = std::ssize(self.pair);
  require_length(start, std::ssize(self.start), "start");
  require_length(label, stored, "label");
  require_length(weight, stored, "weight");
  require_length(names, std::ssize(self.names), "names");
  require_length(offset, std::ssize(self.offset), "offset");
  std::copy(self.start.begin(), self.start.end(), start.data());
  std::copy(self.offset.begin(), self.offset.end(), offset.data());
  std::copy(self.names.begin(), self.names.end(), names.data());
  for (std::ptrdiff_t k = 0; k < stored; ++k) {
    std::tie(label.data()[k], weight.data()[k]) = self.pair[static_cast<std::size_t>(k)];
  }
}

// The words of the dictionary and the numbers of their tags.
void copy_words(const TaggerJson& self, Array<std::uint8_t> names, Array<std::int64_t> offset,
                Array<std::int32_t> tag) {
  require_length(names, std::ssize(self.words), "names");
  require_length(offset, std::ssize(self.word_offset), "offset");
  require_length(tag, std::ssize(self.word_tag), "tag");
  std::copy(self.words.begin(), self.words.end(), names.data());
  std::copy(self.word_offset.begin(), self.word_offset.end(), offset.data());
  std::copy(self.word_tag.begin(), self.word_tag.end(), tag.data());
}

struct KeyedArguments {
  Places start;
  Ints key, row;

  foreign::KeyedRows checked(std::int64_t owners, std::int32_t rows) const {
    require_length(start, owners + 1, "start of keys");
    require(start.data()[0] >= 0 && ascends(start.data(), owners + 1) &&
                start.data()[owners] <= length_of(key),
            "start of keys is broken");
    require_length(row, length_of(key), "rows of keys");
    require_below(row.data(), length_of(row), 0, rows, "rows of keys");
    return {start.data(), key.data(), row.data()};
  }
};

void greedy_tags(Places start, Ints label, Array<const double> weight, std::int32_t bias, Ints last,
                 Ints one_before, const KeyedArguments& both, Table<const std::int32_t> word,
                 Table<const std::int32_t> context, const KeyedArguments& tag_and_word,
                 Places sentence, Ints words, Ints contexts, Array<std::int32_t> out,
                 Array<double> totals, int threads) {
  const std::int64_t rows = length_of(start) - 1, tags = length_of(last) - 2;
  const std::int64_t n = length_of(sentence) - 1;
  require(rows >= 0 && rows < INT32_MAX && tags >= 1, "there are no weights or no tags");
  require(start.data()[0] >= 0 && ascends(start.data(), rows + 1) &&
              start.data()[rows] <= length_of(label),
          "start is broken");
  require_length(weight, length_of(label), "weight");
  require_length(one_before, tags + 2, "one_before");
  const auto all = static_cast<std::int32_t>(rows), of_tags = static_cast<std::int32_t>(tags);
  require_below(label.data(), length_of(label), 0, of_tags, "label");
  require(bias >= -1 && bias < all, "bias is out of range");
  for (const Ints& part : {last, one_before}) require_below(part.data(), tags + 2, -1, all, "rows");
  require(word.shape(1) == 3 && context.shape(1) == 7, "words have other fields");
  const auto n_words = static_cast<std::int64_t>(word.shape(0));
  const auto n_contexts = static_cast<std::int64_t>(context.shape(0));
  for (std::int64_t k = 0; k < n_words; ++k) {
    require_below(word.data() + 3 * k, 2, -1, all, "word");
    require_below(word.data() + 3 * k + 2, 1, -1, of_tags, "word");
  }
  require_below(context.data(), 7 * n_contexts, -1, all, "context");
  require(n >= 0 && sentence.data()[0] == 0 && ascends(sentence.data(), n + 1), "sentence");
  require_length(words, sentence.data()[n], "words");
  require_length(contexts, sentence.data()[n] + 4 * n, "contexts");
  require_below(words.data(), length_of(words), 0, static_cast<std::int32_t>(n_words), "words");
  require_below(contexts.data(), length_of(contexts), 0, static_cast<std::int32_t>(n_contexts),
                "contexts");
  require_length(out, length_of(words), "out");
  require_length(totals, n, "totals");
  static_assert(sizeof(foreign::GreedyWord) == 12 && sizeof(foreign::GreedyContext) == 28);
  const foreign::GreedyTagger tagger{
      of_tags,
      start.data(),
      label.data(),
      weight.data(),
      bias,
      last.data(),
      one_before.data(),
      both.checked(tags + 2, all),
      reinterpret_cast<const foreign::GreedyWord*>(word.data()),
      reinterpret_cast<const foreign::GreedyContext*>(context.data()),
      tag_and_word.checked(n_contexts, all)};
  with_pool(n < 8 ? 1 : threads, [&](ThreadPool& pool) {
    pool.ranges(n, kSentences, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> scores;
      for (std::int64_t s = begin; s < end; ++s) {
        const std::int64_t at = sentence.data()[s];
        totals.data()[s] = tagger.run(words.data() + at, contexts.data() + at + 4 * s,
                                      sentence.data()[s + 1] - at, scores, out.data() + at);
      }
    });
  });
}

}  // namespace

void bind_greedy(nb::module_& m) {
  nb::class_<KeyedArguments>(m, "KeyedRows", "Rows of weights by two numbers.")
      .def(
          "__init__",
          [](KeyedArguments* self, Places start, Ints key, Ints row) {
            new (self) KeyedArguments{start, key, row};
          },
          nb::arg("start").noconvert(), nb::arg("key").noconvert(), nb::arg("row").noconvert());

  nb::class_<TagWeights>(m, "TagWeights", "The weights of a tagger's features.")
      .def_prop_ro("stored", [](const TagWeights& self) { return self.pair.size(); })
      .def_prop_ro("features", [](const TagWeights& self) { return self.start.size() - 1; })
      .def_prop_ro("bytes", [](const TagWeights& self) { return self.names.size(); })
      .def("copy", &copy_tag_weights, nb::arg("start").noconvert(), nb::arg("label").noconvert(),
           nb::arg("weight").noconvert(), nb::arg("names").noconvert(),
           nb::arg("offset").noconvert());
  m.def("tag_weights", &tag_weights, nb::arg("weights"), nb::arg("numbers"),
        "The weights {feature: {tag: float}} by numbers of tags; None for what is otherwise.");

  nb::class_<TaggerJson>(m, "TaggerJson", "A tagger as its JSON has it.")
      .def_prop_ro("words", [](const TaggerJson& self) { return self.word_tag.size(); })
      .def_prop_ro("bytes", [](const TaggerJson& self) { return self.words.size(); })
      .def_ro("tags", &TaggerJson::tags, "The tags, in the order of their characters.")
      .def_ro("weights", &TaggerJson::weights)
      .def("copy", &copy_words, nb::arg("names").noconvert(), nb::arg("offset").noconvert(),
           nb::arg("tag").noconvert());
  m.def(
      "tagger_json",
      [](nb::bytes file) {
        const std::string_view view(file.c_str(), file.size());
        nb::gil_scoped_release release;
        return foreign::tagger_json(view);
      },
      nb::arg("file"), "The tagger of a JSON file; None for what needs a closer look.");

  m.def("greedy_tags", &greedy_tags, nb::arg("start").noconvert(), nb::arg("label").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("bias"), nb::arg("last").noconvert(),
        nb::arg("one_before").noconvert(), nb::arg("both"), nb::arg("word").noconvert(),
        nb::arg("context").noconvert(), nb::arg("tag_and_word"), nb::arg("sentence").noconvert(),
        nb::arg("words").noconvert(), nb::arg("contexts").noconvert(), nb::arg("out").noconvert(),
        nb::arg("totals").noconvert(), nb::arg("threads"), "Tags from left to right.");
}

}  // namespace linnet::bindings
