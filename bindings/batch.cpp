#include "solvers/batch.hpp"

#include <string>

#include "common.hpp"
#include "examples.hpp"
#include "solvers/certificate.hpp"
#include "solvers/scaling.hpp"

namespace linnet::bindings {
namespace {

constexpr int kMostMemory = 1000;

Form form_named(const std::string& name) {
  if (name == "columns") return Form::columns;
  if (name == "joint") return Form::joint;
  if (name == "grouped") return Form::grouped;
  throw nb::value_error("form must be columns, joint or grouped");
}

using Solver = void (*)(Objective&, double*, const BatchOptions&, ThreadPool&);

Solver solver_named(const std::string& name) {
  if (name == "newton") return newton;
  if (name == "lbfgs") return lbfgs;
  if (name == "conjugate_gradient") return conjugate_gradient;
  if (name == "gradient_descent") return gradient_descent;
  throw nb::value_error("unknown batch solver");
}

bool is_scaling(const std::string& name) { return name == "gis" || name == "iis"; }

}  // namespace

void bind_batch(nb::module_& m) {
  m.def(
      "minimize",
      [](const std::string& solver, const Matrix& x, Array<const std::int32_t> gold,
         Array<const double> cost, std::int32_t classes, Table<double> weights,
         const std::string& loss, const std::string& form, double bias, bool penalize_bias,
         double l2, double l1, double tolerance, std::int64_t max_iterations, int memory,
         double initial_step, double decrease, double shrink, bool visible, nb::object record,
         int threads) {
        const Solver solve = is_scaling(solver) ? nullptr : solver_named(solver);
        const ObjectiveOptions what{loss, form_named(form), l2};
        const bool grouped = what.form == Form::grouped;
        const Examples examples = examples_of(x, gold, cost, classes, bias, penalize_bias, grouped);
        require_weights(x, weights, grouped ? 1 : examples.columns(), bias, "weights");
        require(memory >= 1 && memory <= kMostMemory, "memory must be 1 to 1000");
        require(decrease > 0.0 && decrease < 1.0, "decrease must lie between 0 and 1");
        require(shrink > 0.0 && shrink < 1.0, "shrink must lie between 0 and 1");
        require(grouped || solve || (what.form == Form::columns) == (classes == 2),
                "gis and iis take two classes by columns, more jointly");
        const AnyCsr& view = x.view();
        if (l1 != 0.0 && solver != "lbfgs") throw nb::value_error("only lbfgs takes l1");
        if (!solve && loss != "log") throw nb::value_error("gis and iis need log loss");
        const std::int64_t held = held_weights(weights, examples);
        const BatchOptions how{tolerance,    max_iterations, l1,     held,   memory,
                               initial_step, decrease,       shrink, visible};
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const auto objective = make_objective(view, examples, what, pool);
        if (solve) {
          solve(*objective, weights.data(), how, pool);
        } else {
          iterative_scaling(view, examples, what.form, *objective, solver == "iis", weights.data(),
                            how, pool);
        }
      },
      nb::arg("solver"), nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(),
      nb::arg("classes"), nb::arg("weights").noconvert(), nb::arg("loss"), nb::arg("form"),
      nb::arg("bias"), nb::arg("penalize_bias"), nb::arg("l2"), nb::arg("l1"), nb::arg("tolerance"),
      nb::arg("max_iterations"), nb::arg("memory"), nb::arg("initial_step"), nb::arg("decrease"),
      nb::arg("shrink"), nb::arg("visible"), nb::arg("record").none(), nb::arg("threads"),
      "Minimise the regularised loss in place of weights[(J + 1), columns].");

  m.def(
      "objective",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         std::int32_t classes, Table<const double> weights, const std::string& loss,
         const std::string& form, double bias, bool penalize_bias, double l2,
         Table<double> gradient, int threads) {
        const ObjectiveOptions what{loss, form_named(form), l2};
        const bool grouped = what.form == Form::grouped;
        const Examples examples = examples_of(x, gold, cost, classes, bias, penalize_bias, grouped);
        require_weights(x, weights, grouped ? 1 : examples.columns(), bias, "weights");
        require_weights(x, gradient, grouped ? 1 : examples.columns(), bias, "gradient");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        return make_objective(view, examples, what, pool)
            ->evaluate(weights.data(), gradient.data());
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("classes"),
      nb::arg("weights").noconvert(), nb::arg("loss"), nb::arg("form"), nb::arg("bias"),
      nb::arg("penalize_bias"), nb::arg("l2"), nb::arg("gradient").noconvert(), nb::arg("threads"),
      "The smooth objective at weights; its gradient is written.");

  m.def(
      "subgradient_gap",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         std::int32_t classes, Table<const double> weights, const std::string& loss,
         const std::string& form, double bias, std::optional<Table<const double>> margins,
         int threads) {
        const CertifiedRisk risk{loss, form_named(form), margins ? margins->data() : nullptr};
        const bool grouped = risk.form == Form::grouped;
        const Examples examples = examples_of(x, gold, cost, classes, bias, true, grouped);
        require_weights(x, weights, grouped ? 1 : examples.columns(), bias, "weights");
        require_shape(margins, classes, classes, "margins");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        return subgradient_gap(view, examples, risk, weights.data(), pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("classes"),
      nb::arg("weights").noconvert(), nb::arg("loss"), nb::arg("form"), nb::arg("bias"),
      nb::arg("margins").noconvert().none(), nb::arg("threads"),
      "A bound on objective minus optimum at weights, all of them under the penalty |w|^2 / 2.");
}

}  // namespace linnet::bindings
