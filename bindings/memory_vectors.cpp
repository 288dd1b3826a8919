#include <memory>

#include "common.hpp"
#include "memory/vectors.hpp"

namespace linnet::bindings {
namespace {

// Rows of numbers with their lengths, checked once.
struct VectorArrays {
  Array<const std::int64_t> start;
  Array<const std::int32_t> index;
  Array<const double> value, norm;

  memory::Vectors view(std::int32_t cols) const {
    const auto n = static_cast<std::int64_t>(start.shape(0)) - 1;
    require(n >= 0 && norm.shape(0) + 1 == start.shape(0) && start.data()[0] == 0 &&
                start.data()[n] == static_cast<std::int64_t>(index.shape(0)) &&
                index.shape(0) == value.shape(0),
            "vectors");
    require(ascends(start.data(), n + 1), "vectors");
    require_below(index.data(), start.data()[n], 0, cols, "vectors");
    return {n, cols, start.data(), index.data(), value.data(), norm.data()};
  }
};

struct VectorMemory {
  VectorArrays stored;
  Array<const std::int64_t> first;
  Array<const std::int32_t> row;
  Array<const float> value;
  Array<const std::int32_t> label;
  Array<const double> frequency;
  std::shared_ptr<const memory::Common> common;
  memory::VectorMemory view;

  void make(bool cosine) {
    const auto cols = static_cast<std::int64_t>(first.shape(0)) - 1;
    const auto classes = static_cast<std::int32_t>(frequency.shape(0));
    require(cols >= 1 && cols < INT32_MAX && classes >= 1, "columns");
    const memory::Vectors vectors = stored.view(static_cast<std::int32_t>(cols));
    require(vectors.rows >= 1 && label.shape(0) == stored.norm.shape(0), "labels");
    require_below(label.data(), vectors.rows, 0, classes, "labels");
    require(first.data()[0] == 0 && row.shape(0) == value.shape(0) &&
                first.data()[cols] == static_cast<std::int64_t>(row.shape(0)),
            "postings");
    for (std::int64_t c = 0; c < cols; ++c) {
      require(first.data()[c] <= first.data()[c + 1], "postings");
      for (auto p = first.data()[c]; p < first.data()[c + 1]; ++p) {
        const bool ordered = p == first.data()[c] || row.data()[p - 1] < row.data()[p];
        require(ordered && row.data()[p] >= 0 && row.data()[p] < vectors.rows, "postings");
      }
    }
    view = {vectors,
            {first.data(), row.data(), value.data()},
            {},
            cosine,
            classes,
            label.data(),
            frequency.data()};
    common = std::make_shared<const memory::Common>(vectors, view.postings);
    view.tiles = common->tiles();
  }
};

}  // namespace

void bind_memory_vectors(nb::module_& m) {
  nb::class_<VectorArrays>(m, "Vectors", "Rows of numbers and their lengths.")
      .def(
          "__init__",
          [](VectorArrays* self, Array<const std::int64_t> start, Array<const std::int32_t> index,
             Array<const double> value,
             Array<const double> norm) { new (self) VectorArrays{start, index, value, norm}; },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(), nb::arg("value").noconvert(),
          nb::arg("norm").noconvert());

  nb::class_<VectorMemory>(m, "VectorMemory", "Stored vectors of a memory-based learner.")
      .def(
          "__init__",
          [](VectorMemory* self, const VectorArrays& stored, Array<const std::int64_t> first,
             Array<const std::int32_t> row, Array<const float> value,
             Array<const std::int32_t> label, Array<const double> frequency, bool cosine) {
            VectorMemory made{stored, first, row, value, label, frequency, {}, {}};
            made.make(cosine);
            new (self) VectorMemory(made);
          },
          nb::arg("stored"), nb::arg("first").noconvert(), nb::arg("row").noconvert(),
          nb::arg("value").noconvert(), nb::arg("label").noconvert(),
          nb::arg("frequency").noconvert(), nb::arg("cosine"));

  m.def(
      "classify_by_vectors",
      [](const VectorMemory& memory, const VectorArrays& asked, const memory::Settings& settings,
         Array<std::int32_t> winner, Table<double> votes, int threads) {
        const memory::Vectors queries = asked.view(memory.view.stored.cols);
        require(winner.shape(0) == asked.norm.shape(0) && votes.shape(0) == winner.shape(0) &&
                    static_cast<std::int32_t>(votes.shape(1)) == memory.view.classes,
                "outputs");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        memory::classify(memory.view, queries, settings, winner.data(), votes.data(), pool);
      },
      nb::arg("memory"), nb::arg("queries"), nb::arg("settings"), nb::arg("winner").noconvert(),
      nb::arg("votes").noconvert(), nb::arg("threads"),
      "The class of each vector, elected by its nearest neighbours, and the votes.");

  m.def(
      "nearest_vectors",
      [](const VectorMemory& memory, const VectorArrays& asked, Table<std::int32_t> row,
         Table<double> distance, int threads) {
        const memory::Vectors queries = asked.view(memory.view.stored.cols);
        require(row.shape(0) == asked.norm.shape(0) && distance.shape(0) == row.shape(0) &&
                    row.shape(1) == distance.shape(1) && row.shape(1) >= 1,
                "outputs");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        memory::nearest_rows(memory.view, queries, static_cast<std::int64_t>(row.shape(1)),
                             row.data(), distance.data(), pool);
      },
      nb::arg("memory"), nb::arg("queries"), nb::arg("row").noconvert(),
      nb::arg("distance").noconvert(), nb::arg("threads"),
      "The k nearest stored vectors of each vector and their distances.");
}

}  // namespace linnet::bindings
