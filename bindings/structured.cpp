#include "learners/structured.hpp"

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <vector>

#include "chain_handle.hpp"
#include "common.hpp"
#include "learners/crf_sgd.hpp"
#include "learners/structured_svm.hpp"

namespace linnet::bindings {
namespace {

using Trace = std::tuple<Array<std::int32_t>, Array<double>, Array<double>>;

Averaging averaging_named(const std::string& name) {
  if (name == "none") return Averaging::none;
  if (name == "before") return Averaging::before;
  if (name == "after") return Averaging::after;
  if (name == "mistakes") return Averaging::mistakes;
  throw nb::value_error(("averaging has no choice " + name).c_str());
}

StructuredRule rule_named(const std::string& name) {
  if (name == "perceptron") return StructuredRule::perceptron;
  if (name == "mira") return StructuredRule::mira;
  if (name == "arow") return StructuredRule::arow;
  throw nb::value_error(("rule has no choice " + name).c_str());
}

Cost cost_named(const std::string& name) {
  if (name == "wrong") return Cost::wrong;
  if (name == "root") return Cost::root;
  if (name == "one") return Cost::one;
  throw nb::value_error(("counted has no choice " + name).c_str());
}

Variant variant_named(const std::string& name) {
  if (name == "pa") return Variant::pa;
  if (name == "pa1") return Variant::pa1;
  if (name == "pa2") return Variant::pa2;
  throw nb::value_error(("variant has no choice " + name).c_str());
}

// Room for the tokens and the sentences of the first pass.
void require_trace(const ChainHandle& chain, const Table<const std::int64_t>& orders,
                   const Trace& trace) {
  require(length_of(orders) >= 1, "a trace needs a pass");
  const auto count = static_cast<std::int64_t>(orders.shape(1));
  std::int64_t tokens = 0;
  for (std::int64_t k = 0; k < count; ++k) tokens += chain.ragged().length(orders.data()[k]);
  require_length(std::get<0>(trace), tokens, "trace");
  require_length(std::get<1>(trace), count, "trace");
  require_length(std::get<2>(trace), count, "trace");
}

}  // namespace

void bind_structured(nb::module_& m) {
  m.def(
      "structured_rounds",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, const std::string& rule,
         const std::string& averaging, const std::string& variant, double cap, bool augmented,
         std::int64_t beam, Table<const std::int64_t> orders, Array<double> weights,
         std::optional<Array<double>> sums, Array<double> numbers, std::optional<Trace> trace,
         nb::object record, const std::string& counted,
         std::optional<Array<const std::uint8_t>> frozen) {
        const StructuredOptions options{rule_named(rule),
                                        averaging_named(averaging),
                                        variant_named(variant),
                                        cap,
                                        augmented,
                                        beam,
                                        cost_named(counted)};
        require(rule != "arow" || (sums && averaging == "none"), "AROW needs variances alone");
        require(beam >= 0, "beam is negative");
        require_below(orders.data(), static_cast<std::int64_t>(orders.size()), 0, chain.sentences(),
                      "orders");
        require_length(weights, chain.weights(), "weights");
        require_length(sums, chain.weights(), "sums");
        require(sums || averaging == "none", "an average needs sums");
        require_length(numbers, 2, "state");
        StructuredTrace traced;
        if (trace) {
          require_trace(chain, orders, *trace);
          traced = {std::get<0>(*trace).data(), std::get<1>(*trace).data(),
                    std::get<2>(*trace).data()};
        }
        const auto seen = [&](const StructuredPass& pass) {
          nb::gil_scoped_acquire gil;
          return nb::cast<bool>(record(pass.loss, pass.updates, pass.wrong));
        };
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(1, progress);
        StructuredState state{numbers.data()[0], numbers.data()[1]};
        structured_rounds(problem_of(chain, gold, cost, frozen, 0.0), options, orders.data(),
                          static_cast<std::int64_t>(orders.shape(0)),
                          static_cast<std::int64_t>(orders.shape(1)), weights.data(),
                          sums ? sums->data() : nullptr, state, traced, seen, pool);
        numbers.data()[0] = state.steps;
        numbers.data()[1] = state.updates;
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("rule"),
      nb::arg("averaging"), nb::arg("variant"), nb::arg("cap"), nb::arg("augmented"),
      nb::arg("beam"), nb::arg("orders").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sums").noconvert().none(), nb::arg("state").noconvert(),
      nb::arg("trace").noconvert().none(), nb::arg("record"), nb::arg("counted") = "wrong",
      nb::arg("frozen").noconvert().none() = nb::none(),
      "Passes over the sentences, one for each row of orders; changes weights, sums and\n"
      "state = [steps, updates]. After each it calls record(loss, updates, wrong tokens), which\n"
      "answers whether to go on. trace, if given, receives (guess[tokens], loss[n], step[n]) of\n"
      "the first. counted says what a guess costs: its wrong labels, their root, or one; frozen\n"
      "has 1 for weights of labels that stay as they are. Of AROW sums are the variances.");

  m.def(
      "structured_svm",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double tolerance,
         std::int64_t max_iterations, bool shuffle, std::uint64_t seed, Array<double> w,
         nb::object record, int threads) {
        require_length(w, chain.weights(), "w");
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        structured_svm(problem_of(chain, gold, cost, std::nullopt, 1.0),
                       {tolerance, max_iterations, shuffle, seed}, w.data(), pool);
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(),
      nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("shuffle"), nb::arg("seed"),
      nb::arg("w").noconvert(), nb::arg("record"), nb::arg("threads"),
      "Minimise the structured hinge loss from zero by dual coordinate ascent.");

  m.def(
      "crf_sgd_rate",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double decay,
         Longs sample) {
        require_numbers(sample, chain.sentences(), "sample");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(1, progress);
        return crf_sgd_rate(problem_of(chain, gold, cost, std::nullopt, 0.0), decay, sample.data(),
                            static_cast<std::int64_t>(sample.size()), pool);
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("decay"),
      nb::arg("sample").noconvert(), "A first rate for crf_sgd_pass, by trial on a sample.");

  m.def(
      "crf_sgd_pass",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double decay, double rate,
         Longs order, Array<double> weights, std::optional<Array<double>> sums,
         Array<double> numbers) {
        require_numbers(order, chain.sentences(), "order");
        require_length(weights, chain.weights(), "weights");
        require_length(sums, chain.weights(), "sums");
        require_length(numbers, 3, "state");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(1, progress);
        double* const n = numbers.data();
        CrfSgdState state{n[0], {n[1], n[2]}};
        const double loss =
            crf_sgd_pass(problem_of(chain, gold, cost, std::nullopt, 0.0), decay, rate,
                         order.data(), static_cast<std::int64_t>(order.size()), weights.data(),
                         sums ? sums->data() : nullptr, state, pool);
        n[0] = state.steps, n[1] = state.average.scale, n[2] = state.average.sum;
        return loss;
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("decay"),
      nb::arg("rate"), nb::arg("order").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sums").noconvert().none(), nb::arg("state").noconvert(),
      "One pass of a CRF's SGD; changes weights, sums and state = [steps, scale, sum].");

  m.def(
      "crf_value",
      [](const ChainHandle& chain, Ints gold, Array<const double> cost, double l2,
         Array<const double> w, int threads) {
        require_length(w, chain.weights(), "w");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const ChainProblem problem = problem_of(chain, gold, cost, std::nullopt, l2);
        std::vector<double> ordered(w.size());
        problem.packed->in_order(w.data(), ordered.data());
        return crf_objective(problem, pool)->value(ordered.data());
      },
      nb::arg("chain"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("l2"),
      nb::arg("w").noconvert(), nb::arg("threads"), "The objective of a CRF.");
}

}  // namespace linnet::bindings
