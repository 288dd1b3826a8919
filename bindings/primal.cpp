#include <string>

#include "common.hpp"
#include "examples.hpp"
#include "solvers/newton_cd.hpp"
#include "solvers/primal_cd.hpp"

namespace linnet::bindings {
void bind_primal(nb::module_& m) {
  m.def(
      "primal_coordinate_descent",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         std::int32_t classes, Table<double> weights, const std::string& loss, double bias,
         bool penalize_bias, double l2, double tolerance, std::int64_t max_epochs,
         std::uint64_t seed, nb::object record, int threads) {
        const Examples examples = examples_of(x, gold, cost, classes, bias, penalize_bias);
        require_weights(x, weights, examples.columns(), bias, "weights");
        const AnyCsr& view = x.view();
        BatchOptions how;
        how.tolerance = tolerance;
        how.max_iterations = max_epochs;
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const auto objective = make_objective(view, examples, {loss, Form::columns, l2}, pool);
        primal_coordinate_descent(view, examples, loss, *objective, weights.data(), how, seed,
                                  pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("classes"),
      nb::arg("weights").noconvert(), nb::arg("loss"), nb::arg("bias"), nb::arg("penalize_bias"),
      nb::arg("l2"), nb::arg("tolerance"), nb::arg("max_epochs"), nb::arg("seed"),
      nb::arg("record").none(), nb::arg("threads"),
      "Minimise in place of weights[(J + 1), columns], one weight at a time.");

  m.def(
      "newton_coordinate_descent",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         std::int32_t classes, Table<double> weights, const std::string& loss, bool joint,
         double bias, bool penalize_bias, double l2, double l1, double tolerance,
         std::int64_t max_iterations, nb::object record, int threads) {
        const Examples examples = examples_of(x, gold, cost, classes, bias, penalize_bias);
        require_weights(x, weights, examples.columns(), bias, "weights");
        const AnyCsr& view = x.view();
        BatchOptions how;
        how.tolerance = tolerance;
        how.max_iterations = max_iterations;
        how.l1 = l1;
        how.l1_size = held_weights(weights, examples);
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const Form form = joint ? Form::joint : Form::columns;
        const AnyColumns by_feature = transpose(view, pool);
        const auto objective = make_objective(view, by_feature, examples, {loss, form, l2}, pool);
        newton_coordinate_descent(view, by_feature, examples, loss, joint, *objective,
                                  weights.data(), how, pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("classes"),
      nb::arg("weights").noconvert(), nb::arg("loss"), nb::arg("joint"), nb::arg("bias"),
      nb::arg("penalize_bias"), nb::arg("l2"), nb::arg("l1"), nb::arg("tolerance"),
      nb::arg("max_iterations"), nb::arg("record").none(), nb::arg("threads"),
      "Minimise in place of weights[(J + 1), columns] by Newton steps, one weight at a time.");
}

}  // namespace linnet::bindings
