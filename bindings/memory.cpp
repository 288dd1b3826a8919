#include "memory/instances.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "common.hpp"
#include "memory/search.hpp"

namespace linnet::bindings {
namespace {

using memory::Delta;

// The arrays of stored examples, checked once and kept alive for the length of the calls.
struct Instances {
  Array<const std::int32_t> delta, slot, levels;
  Array<const double> weight, scale;
  Table<const std::int32_t> code, value;
  Table<const double> number;
  Array<const double> probability;
  Array<const std::int64_t> start;
  Array<const std::int32_t> row, label;
  Array<const double> frequency;
  std::vector<memory::Feature> feature;
  memory::Instances view;

  void make() {
    const auto j = static_cast<std::int32_t>(delta.shape(0));
    const auto u = static_cast<std::int64_t>(start.shape(0)) - 1;
    const auto classes = static_cast<std::int32_t>(frequency.shape(0));
    require(slot.shape(0) == delta.shape(0) && levels.shape(0) == delta.shape(0) &&
                weight.shape(0) == delta.shape(0) && scale.shape(0) == delta.shape(0),
            "features differ in length");
    require(u >= 1 && j >= 1 && classes >= 1, "no examples");
    require(code.shape(0) == value.shape(0), "codes and values differ in length");
    for (const auto* table : {&code, &value}) {
      require(table->shape(0) == 0 || static_cast<std::int64_t>(table->shape(1)) == u, "codes");
    }
    require(number.shape(0) == 0 || static_cast<std::int64_t>(number.shape(1)) == u, "numbers");
    require(start.data()[0] == 0 && start.data()[u] == static_cast<std::int64_t>(row.shape(0)) &&
                row.shape(0) == label.shape(0),
            "rows");
    for (std::int64_t i = 0; i < u; ++i) require(start.data()[i] < start.data()[i + 1], "rows");
    require_below(label.data(), start.data()[u], 0, classes, "labels");
    std::size_t probabilities = 0;
    for (std::int32_t i = 0; i < j; ++i) {
      const auto kind = static_cast<Delta>(delta.data()[i]);
      const std::int32_t at = slot.data()[i], n = levels.data()[i];
      memory::Feature f{kind,    weight.data()[i], scale.data()[i], nullptr,
                        nullptr, nullptr,          nullptr,         n};
      require(delta.data()[i] >= 0 && delta.data()[i] <= 2 && at >= 0 && n >= 0, "kinds");
      if (kind == Delta::number) {
        require(at < static_cast<std::int32_t>(number.shape(0)), "numbers");
        f.number = number.data() + at * u;
      } else {
        require(at < static_cast<std::int32_t>(code.shape(0)), "codes");
        f.code = code.data() + at * u;
        f.value = value.data() + at * u;
        require_below(f.code, u, memory::kMissing, n, "codes");
      }
      if (kind == Delta::value_difference) {
        f.probability = probability.data() + probabilities;
        probabilities += static_cast<std::size_t>(n) * static_cast<std::size_t>(classes);
      }
      feature.push_back(f);
    }
    require(probabilities == probability.shape(0), "probabilities");
    view = {
        u, j, classes, feature.data(), start.data(), row.data(), label.data(), frequency.data()};
  }
};

memory::Queries queries(const Instances& to, const Table<const std::int32_t>& code,
                        const Table<const std::int32_t>& value, const Table<const double>& number) {
  const auto j = static_cast<std::size_t>(to.view.features);
  require(code.shape(1) == j && value.shape(1) == j && number.shape(1) == j, "features");
  require(code.shape(0) == value.shape(0) && code.shape(0) == number.shape(0), "queries");
  for (std::size_t i = 0; i < code.shape(0); ++i) {
    for (std::size_t f = 0; f < j; ++f) {
      const std::int32_t c = code.data()[i * j + f];
      require(c >= memory::kMissing && c < std::max(1, to.feature[f].levels), "query codes");
    }
  }
  return {static_cast<std::int64_t>(code.shape(0)), code.data(), value.data(), number.data()};
}

memory::Settings settings(int combine, double power, int vote, double alpha, double beta,
                          std::int64_t k, bool count_examples, int search, int depth) {
  require(combine >= 0 && combine <= 2 && vote >= 0 && vote <= 3 && search >= 0 && search <= 3 &&
              k >= 1 && k <= INT64_C(1) << 62,
          "settings");
  return {static_cast<memory::Combine>(combine),
          power,
          static_cast<memory::Vote>(vote),
          alpha,
          beta,
          k,
          count_examples,
          static_cast<memory::Search>(search),
          depth};
}

}  // namespace

void bind_memory(nb::module_& m) {
  nb::class_<Instances>(m, "Instances", "Stored examples of a memory-based learner.")
      .def(
          "__init__",
          [](Instances* self, Array<const std::int32_t> delta, Array<const std::int32_t> slot,
             Array<const std::int32_t> levels, Array<const double> weight,
             Array<const double> scale, Table<const std::int32_t> code,
             Table<const std::int32_t> value, Table<const double> number,
             Array<const double> probability, Array<const std::int64_t> start,
             Array<const std::int32_t> row, Array<const std::int32_t> label,
             Array<const double> frequency) {
            auto made = std::make_unique<Instances>(Instances{delta,
                                                              slot,
                                                              levels,
                                                              weight,
                                                              scale,
                                                              code,
                                                              value,
                                                              number,
                                                              probability,
                                                              start,
                                                              row,
                                                              label,
                                                              frequency,
                                                              {},
                                                              {}});
            made->make();
            new (self) Instances(*made);
            self->view.feature = self->feature.data();
          },
          nb::arg("delta").noconvert(), nb::arg("slot").noconvert(), nb::arg("levels").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("scale").noconvert(), nb::arg("code").noconvert(),
          nb::arg("value").noconvert(), nb::arg("number").noconvert(),
          nb::arg("probability").noconvert(), nb::arg("start").noconvert(),
          nb::arg("row").noconvert(), nb::arg("label").noconvert(),
          nb::arg("frequency").noconvert());

  nb::class_<memory::Settings>(m, "MemorySettings")
      .def(
          "__init__",
          [](memory::Settings* self, int combine, double power, int vote, double alpha, double beta,
             std::int64_t k, bool count_examples, int search, int depth) {
            new (self) memory::Settings(
                settings(combine, power, vote, alpha, beta, k, count_examples, search, depth));
          },
          nb::arg("combine"), nb::arg("power"), nb::arg("vote"), nb::arg("alpha"), nb::arg("beta"),
          nb::arg("k"), nb::arg("count_examples"), nb::arg("search"), nb::arg("depth"));

  m.def(
      "classify_by_memory",
      [](const Instances& memory, const Instances& trie, Table<const std::int32_t> code,
         Table<const std::int32_t> value, Table<const double> number,
         const memory::Settings& settings, Array<std::int32_t> winner, Table<double> votes,
         int threads) {
        const auto asked = queries(memory, code, value, number);
        require(trie.view.features == memory.view.features &&
                    trie.view.classes == memory.view.classes && settings.depth >= 0 &&
                    settings.depth <= memory.view.features,
                "trie");
        if (settings.search != memory::Search::exact) {
          for (const auto& f : trie.feature) require(f.value != nullptr, "trie");
          require(&trie == &memory, "trie");
        }
        require(winner.shape(0) == code.shape(0) && votes.shape(0) == code.shape(0) &&
                    static_cast<std::int32_t>(votes.shape(1)) == memory.view.classes,
                "outputs");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        memory::classify(memory.view, trie.view, asked, settings, winner.data(), votes.data(),
                         pool);
      },
      nb::arg("memory"), nb::arg("trie"), nb::arg("code").noconvert(), nb::arg("value").noconvert(),
      nb::arg("number").noconvert(), nb::arg("settings"), nb::arg("winner").noconvert(),
      nb::arg("votes").noconvert(), nb::arg("threads"),
      "The class of each query, elected by its nearest neighbours, and the votes.");

  m.def(
      "nearest_rows",
      [](const Instances& memory, Table<const std::int32_t> code, Table<const double> number,
         const memory::Settings& settings, Table<std::int32_t> row, Table<double> distance,
         int threads) {
        const auto asked = queries(memory, code, code, number);
        require(row.shape(0) == code.shape(0) && distance.shape(0) == code.shape(0) &&
                    static_cast<std::int64_t>(row.shape(1)) == settings.k &&
                    static_cast<std::int64_t>(distance.shape(1)) == settings.k,
                "outputs");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        memory::nearest_rows(memory.view, asked, settings, row.data(), distance.data(), pool);
      },
      nb::arg("memory"), nb::arg("code").noconvert(), nb::arg("number").noconvert(),
      nb::arg("settings"), nb::arg("row").noconvert(), nb::arg("distance").noconvert(),
      nb::arg("threads"), "The k nearest training rows of each query and their distances.");
}

}  // namespace linnet::bindings
