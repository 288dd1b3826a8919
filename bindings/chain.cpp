#include "structures/chain.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "chain_handle.hpp"
#include "common.hpp"
#include "solvers/batch.hpp"
#include "structures/pairs.hpp"
#include "structures/sentences.hpp"

namespace linnet::bindings {
namespace {

// The scores of label pairs, starts and stops as Python holds them.
struct PotentialsHandle {
  Table<const double> transition;
  Array<const double> start, stop;

  chain::Potentials view() const {
    return {static_cast<std::int32_t>(start.size()), transition.data(), start.data(), stop.data()};
  }
};

// State scores from weights.
chain::Source source_of(const ChainHandle& c, const Array<const double>& weights) {
  return {nullptr, &c.tokens.view, c.pairs(), weights.data()};
}

}  // namespace

void bind_chain(nb::module_& m) {
  nb::class_<ChainHandle>(m, "Chain",
                          "Sentences of tokens, and which features go with which labels.")
      .def(
          "__init__",
          [](ChainHandle* self, const Matrix& tokens, Longs sentence, Longs pair_start,
             Ints pair_label, std::int32_t labels, std::optional<Longs> following_start,
             std::optional<Ints> following_next) {
            new (self) ChainHandle{tokens, sentence,        pair_start,    pair_label,
                                   labels, following_start, following_next};
          },
          nb::arg("tokens"), nb::arg("sentence").noconvert(), nb::arg("pair_start").noconvert(),
          nb::arg("pair_label").noconvert(), nb::arg("labels"),
          nb::arg("following_start").noconvert().none() = nb::none(),
          nb::arg("following_next").noconvert().none() = nb::none())
      .def_prop_ro("weights", [](const ChainHandle& self) {
        return self.pairs().size() + std::int64_t{self.labels} * (self.labels + 2);
      });

  nb::class_<chain::ObservedPairs>(m, "ObservedPairs",
                                   "The (feature, label) pairs that occur in tokens.")
      .def(
          "__init__",
          [](chain::ObservedPairs* self, const Matrix& tokens, Ints gold, std::int32_t labels) {
            if (static_cast<std::int64_t>(gold.size()) != rows_of(tokens.view)) {
              throw nb::value_error("there must be one gold label for each token");
            }
            nb::gil_scoped_release release;
            new (self) chain::ObservedPairs(tokens.view, gold.data(), labels);
          },
          nb::arg("tokens"), nb::arg("gold").noconvert(), nb::arg("labels"))
      .def_prop_ro("size", [](const chain::ObservedPairs& self) { return self.label.size(); })
      .def(
          "copy",
          [](const chain::ObservedPairs& self, Array<std::int64_t> start,
             Array<std::int32_t> label) {
            if (start.size() != self.start.size() || label.size() != self.label.size()) {
              throw nb::value_error("start and label do not fit the pairs");
            }
            std::copy(self.start.begin(), self.start.end(), start.data());
            std::copy(self.label.begin(), self.label.end(), label.data());
          },
          nb::arg("start").noconvert(), nb::arg("label").noconvert());

  m.def(
      "crf_evaluate",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double l2,
         Array<const double> w, Array<double> gradient, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const ChainProblem problem = problem_of(chain, gold, cost, std::nullopt, l2);
        std::vector<double> ordered(w.size()), slope(w.size());
        problem.packed->in_order(w.data(), ordered.data());
        const double value = crf_objective(problem, pool)->evaluate(ordered.data(), slope.data());
        problem.packed->out_of_order(slope.data(), gradient.data());
        return value;
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("l2"),
      nb::arg("w").noconvert(), nb::arg("gradient").noconvert(), nb::arg("threads"),
      "The objective of a CRF and its gradient.");

  m.def(
      "crf_minimize",
      [](const std::string& solver, const ChainHandle& chain, Ints gold, Array<const double> cost,
         std::optional<Array<const std::uint8_t>> frozen, double l2, double l1, Array<double> w,
         double tolerance, std::int64_t max_iterations, int memory, nb::object record,
         int threads) {
        const BatchOptions how{
            tolerance, max_iterations, l1, static_cast<std::int64_t>(w.size()), memory, 1.0};
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const ChainProblem problem = problem_of(chain, gold, cost, frozen, l2);
        const auto objective = crf_objective(problem, pool);
        std::vector<double> ordered(w.size());
        problem.packed->in_order(w.data(), ordered.data());
        if (solver == "gradient_descent") {
          gradient_descent(*objective, ordered.data(), how, pool);
        } else {
          lbfgs(*objective, ordered.data(), how, pool);
        }
        problem.packed->out_of_order(ordered.data(), w.data());
      },
      nb::arg("solver"), nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(),
      nb::arg("frozen").noconvert().none(), nb::arg("l2"), nb::arg("l1"), nb::arg("w").noconvert(),
      nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("memory"), nb::arg("record").none(),
      nb::arg("threads"), "Minimise the objective of a CRF, in place of w.");

  nb::class_<PotentialsHandle>(m, "Potentials", "Scores of label pairs, of starts and of stops.")
      .def(
          "__init__",
          [](PotentialsHandle* self, Table<const double> transition, Array<const double> start,
             Array<const double> stop) {
            const std::size_t labels = start.size();
            if (labels == 0 || stop.size() != labels || transition.shape(0) != labels ||
                transition.shape(1) != labels) {
              throw nb::value_error("transition, start and stop differ in their labels");
            }
            new (self) PotentialsHandle{transition, start, stop};
          },
          nb::arg("transition").noconvert(), nb::arg("start").noconvert(),
          nb::arg("stop").noconvert());

  m.def(
      "state_scores",
      [](const ChainHandle& c, Array<const double> weights, Table<double> out, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        pool.ranges(static_cast<std::int64_t>(out.shape(0)), 256,
                    [&](std::int64_t first, std::int64_t last) {
                      chain::state_scores(c.tokens.view, c.pairs(), weights.data(), c.labels, first,
                                          last, out.data() + first * c.labels);
                    });
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads"), "out[token, label] = the state scores.");

  m.def(
      "decode",
      [](const ChainHandle& c, Array<const double> weights, const PotentialsHandle& potentials,
         std::int64_t beam, Array<std::int32_t> labels, Array<double> scores, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::decode(source_of(c, weights), c.sentence.data(), c.ragged().sentences,
                      potentials.view(), beam, labels.data(), scores.data(), pool);
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("potentials"), nb::arg("beam"),
      nb::arg("labels").noconvert(), nb::arg("scores").noconvert(), nb::arg("threads"),
      "The best labels of every sentence, and their scores.");

  m.def(
      "decode_table",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         std::int64_t beam, Array<std::int32_t> labels, Array<double> scores, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const chain::Source source{state.data(), nullptr, {}, nullptr};
        chain::decode(source, sentence.data(), static_cast<std::int64_t>(sentence.size()) - 1,
                      potentials.view(), beam, labels.data(), scores.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("potentials"),
      nb::arg("beam"), nb::arg("labels").noconvert(), nb::arg("scores").noconvert(),
      nb::arg("threads"), "The best labels for given state scores [tokens, labels].");

  m.def(
      "marginals",
      [](const ChainHandle& c, Array<const double> weights, const PotentialsHandle& potentials,
         Table<double> out, Array<double> log_z, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::marginals(source_of(c, weights), c.sentence.data(), c.ragged().sentences,
                         potentials.view(), out.data(), log_z.data(), pool);
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("potentials"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "out[token, label] = P(label | sentence).");

  m.def(
      "marginals_table",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         Table<double> out, Array<double> log_z, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const chain::Source source{state.data(), nullptr, {}, nullptr};
        chain::marginals(source, sentence.data(), static_cast<std::int64_t>(sentence.size()) - 1,
                         potentials.view(), out.data(), log_z.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("potentials"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "Marginals for given state scores [tokens, labels].");

  m.def(
      "n_best",
      [](Table<const double> state, const PotentialsHandle& potentials, Table<std::int32_t> labels,
         Array<double> scores) {
        return chain::n_best(state.data(), static_cast<std::int64_t>(state.shape(0)),
                             potentials.view(), static_cast<std::int64_t>(scores.size()),
                             labels.data(), scores.data());
      },
      nb::arg("state").noconvert(), nb::arg("potentials"), nb::arg("labels").noconvert(),
      nb::arg("scores").noconvert(), "The best labellings of one sentence; returns how many.");

  m.def(
      "decode_between",
      [](Table<const double> state, nb::ndarray<const double, nb::ndim<3>, nb::c_contig> between,
         const PotentialsHandle& potentials, Array<std::int32_t> labels) {
        return chain::Decoder().best_with(state.data(), static_cast<std::int64_t>(state.shape(0)),
                                          potentials.view(), between.data(), labels.data());
      },
      nb::arg("state").noconvert(), nb::arg("between").noconvert(), nb::arg("potentials"),
      nb::arg("labels").noconvert(),
      "The best labels of one sentence whose tokens have transitions [n, L, L] of their own.");
}

}  // namespace linnet::bindings
