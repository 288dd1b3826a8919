#include "structures/second_order.hpp"

#include "common.hpp"

namespace linnet::bindings {
namespace {

using Longs = Array<const std::int64_t>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Scores of one, two and three neighbouring labels as Python holds them.
struct SecondOrderHandle {
  Array<const double> start;
  Table<const double> transition;
  Cube second;
  Array<const double> stop;

  chain::SecondOrder view() const {
    return {static_cast<std::int32_t>(start.size()), start.data(), transition.data(), second.data(),
            stop.data()};
  }
};

// State scores of the labels for the tokens of sentences.
void require_sentences(const Table<const double>& state, const Longs& sentence,
                       const SecondOrderHandle& scores) {
  require_shape(state, length_of(state), length_of(scores.start), "state");
  require_offsets(sentence, length_of(state), "sentence");
}

}  // namespace

void bind_second_order(nb::module_& m) {
  nb::class_<SecondOrderHandle>(m, "SecondOrder", "Scores of starts, pairs, triples and stops.")
      .def(
          "__init__",
          [](SecondOrderHandle* self, Array<const double> start, Table<const double> transition,
             Cube second, Array<const double> stop) {
            const std::int64_t L = length_of(start);
            require(L >= 1 && L <= std::int64_t{chain::SecondOrder::kMostLabels},
                    "start has no labels, or too many");
            require_length(stop, L, "stop");
            require_shape(transition, L, L, "transition");
            require_shape(second, L, L, "second");
            require(static_cast<std::int64_t>(second.shape(2)) == L, "second is of other labels");
            new (self) SecondOrderHandle{start, transition, second, stop};
          },
          nb::arg("start").noconvert(), nb::arg("transition").noconvert(),
          nb::arg("second").noconvert(), nb::arg("stop").noconvert());

  m.def(
      "decode_second",
      [](Table<const double> state, Longs sentence, const SecondOrderHandle& scores,
         Array<std::int32_t> labels, Array<double> best, int threads) {
        require_sentences(state, sentence, scores);
        require_length(labels, length_of(state), "labels");
        require_length(best, length_of(sentence) - 1, "best");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::decode_second(state.data(), sentence.data(),
                             static_cast<std::int64_t>(sentence.size()) - 1, scores.view(),
                             labels.data(), best.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("scores"),
      nb::arg("labels").noconvert(), nb::arg("best").noconvert(), nb::arg("threads"),
      "The best labels of a second-order chain for given state scores [tokens, labels].");

  m.def(
      "marginals_second",
      [](Table<const double> state, Longs sentence, const SecondOrderHandle& scores,
         Table<double> out, Array<double> log_z, int threads) {
        require_sentences(state, sentence, scores);
        require_shape(out, length_of(state), length_of(scores.start), "out");
        require_length(log_z, length_of(sentence) - 1, "log_z");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::marginals_second(state.data(), sentence.data(),
                                static_cast<std::int64_t>(sentence.size()) - 1, scores.view(),
                                out.data(), log_z.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("scores"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "Marginals of a second-order chain for given state scores [tokens, labels].");
}

}  // namespace linnet::bindings
