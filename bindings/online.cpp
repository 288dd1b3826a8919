#include "solvers/online.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "common.hpp"
#include "examples.hpp"
#include "rule.hpp"
#include "structures/flat.hpp"

namespace linnet::bindings {
namespace {

constexpr std::int64_t kStateSize = 6;

template <class T>
T named(const char* what, const std::string& name, const std::map<std::string, T>& choices) {
  const auto found = choices.find(name);
  if (found == choices.end()) {
    throw nb::value_error((std::string(what) + " has no choice " + name).c_str());
  }
  return found->second;
}

BoundRule rule_of(const std::string& name, const std::string& form, std::int32_t classes,
                  const std::string& tie, double margin, const std::string& variant, double cap,
                  bool augmented, std::optional<Table<const double>> cost) {
  RuleOptions options;
  options.form =
      named<Form>("form", form,
                  {{"columns", Form::columns}, {"joint", Form::joint}, {"grouped", Form::grouped}});
  options.classes = classes;
  options.tie =
      named<Tie>("tie", tie,
                 {{"nonpositive", Tie::nonpositive}, {"sign", Tie::sign}, {"strict", Tie::strict}});
  options.margin = margin;
  options.variant = named<Variant>(
      "variant", variant, {{"pa", Variant::pa}, {"pa1", Variant::pa1}, {"pa2", Variant::pa2}});
  options.cap = cap;
  options.augmented = augmented;
  require(classes >= 2, "classes must be 2 or more");
  require_shape(cost, classes, classes, "cost");
  options.cost = cost ? cost->data() : nullptr;
  return {make_rule(name, options), cost};
}

Averaging averaging_named(const std::string& name) {
  return named<Averaging>("averaging", name,
                          {{"none", Averaging::none},
                           {"before", Averaging::before},
                           {"after", Averaging::after},
                           {"mistakes", Averaging::mistakes}});
}

// The six numbers of a run as the core's struct; written back whatever happens.
struct StateOf {
  explicit StateOf(double* numbers) : numbers_(numbers) {
    state = {numbers[0], numbers[1], {numbers[2], numbers[3]}, {numbers[4], numbers[5]}};
  }
  ~StateOf() {
    const double values[] = {state.steps,       state.updates,    state.weights.scale,
                             state.weights.sum, state.bias.scale, state.bias.sum};
    std::copy(std::begin(values), std::end(values), numbers_);
  }
  StateOf(const StateOf&) = delete;
  StateOf& operator=(const StateOf&) = delete;

  OnlineState state;

 private:
  double* numbers_;
};

using Trace = std::tuple<Table<double>, Array<std::int32_t>, Array<double>, Array<double>>;

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<BoundRule>(m, "Rule", "How an online learner answers one example.")
      .def(
          "__init__",
          [](BoundRule* self, const std::string& name, const std::string& form,
             std::int32_t classes, const std::string& tie, double margin,
             const std::string& variant, double cap, bool augmented,
             std::optional<Table<const double>> cost) {
            new (self)
                BoundRule(rule_of(name, form, classes, tie, margin, variant, cap, augmented, cost));
          },
          nb::arg("name"), nb::arg("form"), nb::arg("classes"), nb::arg("tie") = "nonpositive",
          nb::arg("margin") = 0.0, nb::arg("variant") = "pa1", nb::arg("cap") = 1.0,
          nb::arg("augmented") = false, nb::arg("cost").noconvert().none() = nb::none())
      .def_prop_ro("columns", [](const BoundRule& r) { return r.rule->columns(); })
      .def_prop_ro("width", [](const BoundRule& r) { return r.rule->width(); });

  m.def(
      "online_pass",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         const BoundRule& rule, Array<const std::int64_t> order, Array<const double> rates,
         std::optional<Array<const double>> norms, Table<double> weights,
         std::optional<Table<double>> sums, Array<double> numbers, double bias, bool penalize_bias,
         const std::string& averaging, double decay, double truncation, double radius,
         std::int64_t batch, std::optional<Trace> trace, int threads, double pace) {
        const Rule& how = *rule.rule;
        const Examples examples = examples_of(x, gold, cost, how.classes(), bias, penalize_bias,
                                              how.form() == Form::grouped);
        const std::int64_t n = length_of(order);
        require_numbers(order, length_of(gold), "order");
        require(batch >= 1, "batch must be 1 or more");
        require_length(rates, n / batch + (n % batch != 0), "rates");
        require_length(norms, x.rows(), "norms");
        require(norms || !how.needs_length() || how.form() == Form::grouped, "mira needs norms");
        require_weights(x, weights, how.columns(), bias, "weights");
        require_shape(sums, length_of(weights), how.columns(), "sums");
        require(sums || averaging == "none", "an average needs sums");
        require_length(numbers, kStateSize, "state");
        const AnyCsr& view = x.view();
        const OnlineOptions options{
            &how, averaging_named(averaging), decay, truncation, radius, batch, pace};
        OnlineTrace seen;
        if (trace) {
          require_shape(std::get<0>(*trace), n, how.width(), "trace");
          require_length(std::get<1>(*trace), n, "trace");
          require_length(std::get<2>(*trace), n, "trace");
          require_length(std::get<3>(*trace), n, "trace");
          seen = {std::get<0>(*trace).data(), std::get<1>(*trace).data(),
                  std::get<2>(*trace).data(), std::get<3>(*trace).data()};
        }
        PythonProgress progress{nb::none()};
        OnlinePass pass;
        {
          nb::gil_scoped_release release;
          ThreadPool pool(threads, progress);
          StateOf state(numbers.data());
          pass = online_pass(view, examples, options, order.data(), n, rates.data(),
                             norms ? norms->data() : nullptr, weights.data(),
                             sums ? sums->data() : nullptr, state.state, seen, pool);
        }
        return std::make_tuple(pass.loss, pass.updates, pass.errors);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("rule"),
      nb::arg("order").noconvert(), nb::arg("rates").noconvert(),
      nb::arg("norms").noconvert().none(), nb::arg("weights").noconvert(),
      nb::arg("sums").noconvert().none(), nb::arg("state").noconvert(), nb::arg("bias"),
      nb::arg("penalize_bias"), nb::arg("averaging"), nb::arg("decay"), nb::arg("truncation"),
      nb::arg("radius"), nb::arg("batch"), nb::arg("trace").noconvert().none(), nb::arg("threads"),
      nb::arg("pace") = 0.0,
      "One pass over order; changes weights, sums and state; returns (loss, updates, errors).\n\n"
      "state is [steps, updates, scale, sum, bias_scale, bias_sum]; trace, if given, receives\n"
      "(scores[n, width], guess[n], loss[n], step[n]). Two threads that turn out slower than "
      "pace,\n"
      "seconds an example, go on as one.");

  m.def(
      "online_weights",
      [](Table<const double> weights, std::optional<Table<const double>> sums,
         Array<double> numbers, double count, bool has_bias, Table<double> out, int threads) {
        const auto columns = static_cast<std::int64_t>(weights.shape(1));
        const std::int64_t rows = length_of(weights);
        require(rows >= has_bias, "weights has no row for the bias");
        require_shape(sums, rows, columns, "sums");
        require_shape(out, rows, columns, "out");
        require_length(numbers, kStateSize, "state");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        StateOf state(numbers.data());
        return online_weights(weights.data(), sums ? sums->data() : nullptr, state.state, count,
                              (rows - has_bias) * columns, rows * columns, out.data(), pool);
      },
      nb::arg("weights").noconvert(), nb::arg("sums").noconvert().none(),
      nb::arg("state").noconvert(), nb::arg("count"), nb::arg("has_bias"),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "out = the current weights (sums=None), or the mean over count steps. False if any is not\n"
      "finite.");

  m.def(
      "total_loss",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         const BoundRule& rule, Table<const double> weights, double bias, int threads) {
        const Rule& how = *rule.rule;
        const Examples examples =
            examples_of(x, gold, cost, how.classes(), bias, true, how.form() == Form::grouped);
        require_weights(x, weights, how.columns(), bias, "weights");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        return total_loss(view, examples, how, weights.data(), pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("rule"),
      nb::arg("weights").noconvert(), nb::arg("bias"), nb::arg("threads"),
      "The sum of cost * loss over all examples at fixed weights.");

  m.def(
      "squared_norms",
      [](const Matrix& x, double bias, Array<double> out, int threads) {
        require_length(out, x.rows(), "out");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        flat::squared_norms(x.shape, bias, out.data(), pool);
      },
      nb::arg("x"), nb::arg("bias"), nb::arg("out").noconvert(), nb::arg("threads"),
      "out[i] = |x_i|^2 + bias^2");
}

}  // namespace linnet::bindings
