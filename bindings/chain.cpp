#include "structures/chain.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "chain_handle.hpp"
#include "common.hpp"
#include "solvers/batch.hpp"
#include "structures/pairs.hpp"
#include "structures/sentences.hpp"

namespace linnet::bindings {
namespace {

// Brings the weights to where the caller can see them before each record.
class ShowingProgress final : public Progress {
 public:
  ShowingProgress(nb::object record, const std::function<void()>& show)
      : python_(std::move(record)), show_(show) {}
  void poll() override { python_.poll(); }
  bool record(const Iteration& now) override {
    show_();
    return python_.record(now);
  }

 private:
  PythonProgress python_;
  const std::function<void()>& show_;
};

constexpr int kMostMemory = 1000;

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The scores of label pairs, starts and stops as Python holds them, and of triples.
struct PotentialsHandle {
  Table<const double> transition;
  Array<const double> start, stop;
  std::optional<Cube> second;

  chain::Potentials view() const {
    return {static_cast<std::int32_t>(start.size()), transition.data(), start.data(), stop.data(),
            second ? second->data() : nullptr};
  }
  std::int64_t labels() const { return length_of(start); }
};

// State scores from weights.
chain::Source source_of(const ChainHandle& c, const Array<const double>& weights,
                        const PotentialsHandle& potentials) {
  require_length(weights, c.pairs().size(), "weights");
  require(potentials.labels() == c.labels, "potentials are of other labels than the chain");
  return {nullptr, &c.tokens.view(), c.pairs(), weights.data()};
}

// State scores from a table of tokens.
chain::Source source_of(const Table<const double>& state, const Longs& sentence,
                        const PotentialsHandle& potentials) {
  require_shape(state, length_of(state), potentials.labels(), "state");
  require_offsets(sentence, length_of(state), "sentence");
  return {state.data(), nullptr, {}, nullptr};
}

}  // namespace

void bind_chain(nb::module_& m) {
  nb::class_<PairTable>(m, "Pairs", "Which features go with which labels, for many chains.")
      .def(nb::init<Longs, Ints, std::int32_t>(), nb::arg("start").noconvert(),
           nb::arg("label").noconvert(), nb::arg("labels"));

  nb::class_<ChainHandle>(m, "Chain",
                          "Sentences of tokens, and which features go with which labels.")
      .def(
          "__init__",
          [](ChainHandle* self, const Matrix& tokens, Longs sentence, Longs pair_start,
             Ints pair_label, std::int32_t labels, std::optional<Longs> following_start,
             std::optional<Ints> following_next, int order,
             std::optional<Array<const std::uint8_t>> following_triple) {
            new (self) ChainHandle(tokens, sentence, PairTable(pair_start, pair_label, labels),
                                   following_start, following_next, order, following_triple);
          },
          nb::arg("tokens"), nb::arg("sentence").noconvert(), nb::arg("pair_start").noconvert(),
          nb::arg("pair_label").noconvert(), nb::arg("labels"),
          nb::arg("following_start").noconvert().none() = nb::none(),
          nb::arg("following_next").noconvert().none() = nb::none(), nb::arg("order") = 1,
          nb::arg("following_triple").noconvert().none() = nb::none())
      .def(
          "__init__",
          [](ChainHandle* self, const Matrix& tokens, Longs sentence, const PairTable& pairs) {
            new (self)
                ChainHandle(tokens, sentence, pairs, std::nullopt, std::nullopt, 1, std::nullopt);
          },
          nb::arg("tokens"), nb::arg("sentence").noconvert(), nb::arg("pairs"))
      .def_prop_ro("weights", &ChainHandle::weights);

  nb::class_<chain::ObservedPairs>(m, "ObservedPairs",
                                   "The (feature, label) pairs that occur in tokens.")
      .def(
          "__init__",
          [](chain::ObservedPairs* self, const Matrix& tokens, Ints gold, std::int32_t labels) {
            require_labels(gold, tokens.rows(), labels, "gold");
            const AnyCsr& view = tokens.view();
            nb::gil_scoped_release release;
            new (self) chain::ObservedPairs(view, gold.data(), labels);
          },
          nb::arg("tokens"), nb::arg("gold").noconvert(), nb::arg("labels"))
      .def_prop_ro("size", [](const chain::ObservedPairs& self) { return self.label.size(); })
      .def(
          "copy",
          [](const chain::ObservedPairs& self, Array<std::int64_t> start,
             Array<std::int32_t> label) {
            require_length(start, std::ssize(self.start), "start");
            require_length(label, std::ssize(self.label), "label");
            std::copy(self.start.begin(), self.start.end(), start.data());
            std::copy(self.label.begin(), self.label.end(), label.data());
          },
          nb::arg("start").noconvert(), nb::arg("label").noconvert());

  m.def(
      "crf_evaluate",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double l2,
         Array<const double> w, Array<double> gradient, int threads) {
        require_length(w, chain.weights(), "w");
        require_length(gradient, chain.weights(), "gradient");
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
         double tolerance, std::int64_t max_iterations, int memory, nb::object record, int threads,
         bool visible, int tangents) {
        require_length(w, chain.weights(), "w");
        require(memory >= 1 && memory <= kMostMemory, "memory must be 1 to 1000");
        require(tangents >= 1 && tangents <= kMostMemory, "tangents must be 1 to 1000");
        const BatchOptions how{.tolerance = tolerance,
                               .max_iterations = max_iterations,
                               .l1 = l1,
                               .l1_size = static_cast<std::int64_t>(w.size()),
                               .memory = memory,
                               .tangents = tangents};
        std::vector<double> ordered(w.size());
        std::function<void()> show = [] {};
        ShowingProgress progress{std::move(record), show};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const ChainProblem problem = problem_of(chain, gold, cost, frozen, l2);
        problem.packed->in_order(w.data(), ordered.data());
        const bool new_fit =
            std::all_of(w.data(), w.data() + w.size(), [](double v) { return v == 0.0; });
        if (solver == "lbfgs" && l1 == 0.0 && new_fit) {
          begin_on_sample(problem, ordered.data(), how, threads, progress);
        }
        const auto objective = crf_objective(problem, pool);
        if (visible) show = [&] { problem.packed->out_of_order(ordered.data(), w.data()); };
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
      nb::arg("threads"), nb::arg("visible") = false, nb::arg("tangents") = 1,
      "Minimise the objective of a CRF, in place of w, which is each record's if visible.");

  nb::class_<PotentialsHandle>(
      m, "Potentials",
      "Scores of label pairs, of starts, of stops, and of triples: from the "
      "third token on in the place of pairs.")
      .def(
          "__init__",
          [](PotentialsHandle* self, Table<const double> transition, Array<const double> start,
             Array<const double> stop, std::optional<Cube> second) {
            const std::int64_t labels = length_of(start);
            require(labels >= 1 && labels <= INT32_MAX, "start has no labels");
            require_length(stop, labels, "stop");
            require_shape(transition, labels, labels, "transition");
            require(!second || labels <= ChainHandle::kMostLabels, "start has too many labels");
            require_shape(second, labels, labels, "second");
            require(!second || static_cast<std::int64_t>(second->shape(2)) == labels,
                    "second is of other labels");
            new (self) PotentialsHandle{transition, start, stop, second};
          },
          nb::arg("transition").noconvert(), nb::arg("start").noconvert(),
          nb::arg("stop").noconvert(), nb::arg("second").noconvert().none() = nb::none());

  m.def(
      "state_scores",
      [](const ChainHandle& c, Array<const double> weights, Table<double> out, int threads) {
        require_length(weights, c.pairs().size(), "weights");
        require_shape(out, c.tokens.rows(), c.labels, "out");
        const chain::Source source{nullptr, &c.tokens.view(), c.pairs(), weights.data()};
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::state_table(source, c.tokens.rows(), c.labels, out.data(), pool);
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads"), "out[token, label] = the state scores.");

  m.def(
      "decode",
      [](const ChainHandle& c, Array<const double> weights, const PotentialsHandle& potentials,
         std::int64_t beam, Array<std::int32_t> labels, Array<double> scores, int threads) {
        const chain::Source source = source_of(c, weights, potentials);
        require(beam >= 0, "beam is negative");
        require_length(labels, c.tokens.rows(), "labels");
        require_length(scores, c.sentences(), "scores");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::decode(source, c.sentence.data(), c.ragged().sentences, potentials.view(), beam,
                      labels.data(), scores.data(), pool);
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("potentials"), nb::arg("beam"),
      nb::arg("labels").noconvert(), nb::arg("scores").noconvert(), nb::arg("threads"),
      "The best labels of every sentence, and their scores.");

  m.def(
      "decode_table",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         std::int64_t beam, Array<std::int32_t> labels, Array<double> scores, int threads) {
        const chain::Source source = source_of(state, sentence, potentials);
        require(beam >= 0, "beam is negative");
        require_length(labels, length_of(state), "labels");
        require_length(scores, length_of(sentence) - 1, "scores");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
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
        const chain::Source source = source_of(c, weights, potentials);
        require_shape(out, c.tokens.rows(), c.labels, "out");
        require_length(log_z, c.sentences(), "log_z");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::marginals(source, c.sentence.data(), c.ragged().sentences, potentials.view(),
                         out.data(), log_z.data(), pool);
      },
      nb::arg("chain"), nb::arg("weights").noconvert(), nb::arg("potentials"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "out[token, label] = P(label | sentence).");

  m.def(
      "marginals_table",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         Table<double> out, Array<double> log_z, int threads) {
        const chain::Source source = source_of(state, sentence, potentials);
        require_shape(out, length_of(state), potentials.labels(), "out");
        require_length(log_z, length_of(sentence) - 1, "log_z");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::marginals(source, sentence.data(), static_cast<std::int64_t>(sentence.size()) - 1,
                         potentials.view(), out.data(), log_z.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("potentials"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "Marginals for given state scores [tokens, labels].");

  m.def(
      "pair_marginals",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out, Array<double> log_z,
         int threads) {
        source_of(state, sentence, potentials);
        require_shape(out, length_of(state), potentials.labels(), "out");
        require(static_cast<std::int64_t>(out.shape(2)) == potentials.labels(),
                "out is of other labels");
        require_length(log_z, length_of(sentence) - 1, "log_z");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::pair_marginals(state.data(), sentence.data(),
                              static_cast<std::int64_t>(sentence.size()) - 1, potentials.view(),
                              out.data(), log_z.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("potentials"),
      nb::arg("out").noconvert(), nb::arg("log_z").noconvert(), nb::arg("threads"),
      "out[token, i, j] = P(i before the token, j there | sentence) for given state scores; 0 at "
      "first tokens.");

  m.def(
      "n_best",
      [](Table<const double> state, Longs sentence, const PotentialsHandle& potentials,
         Array<std::int32_t> labels, Table<double> scores, Array<std::int64_t> counts,
         int threads) {
        source_of(state, sentence, potentials);
        const std::int64_t sentences = length_of(sentence) - 1;
        const auto k = static_cast<std::int64_t>(scores.shape(1));
        require_shape(scores, sentences, k, "scores");
        require_length(counts, sentences, "counts");
        require_length(labels, k * length_of(state), "labels");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        chain::n_best(state.data(), sentence.data(), sentences, potentials.view(), k, labels.data(),
                      scores.data(), counts.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("potentials"),
      nb::arg("labels").noconvert(), nb::arg("scores").noconvert(), nb::arg("counts").noconvert(),
      nb::arg("threads"),
      "The k best labellings for given state scores [tokens, labels]: of sentence s with n tokens "
      "they are labels[k * sentence[s]:] as [k, n] and scores[s, k]; counts[s] are possible.");
}

}  // namespace linnet::bindings
