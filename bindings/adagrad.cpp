#include "solvers/adagrad.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "common.hpp"
#include "examples.hpp"
#include "rule.hpp"

namespace linnet::bindings {

void bind_adagrad(nb::module_& m) {
  m.def(
      "adagrad_pass",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         const BoundRule& rule, double rate, Table<float> table, double bias,
         Table<double> scores) {
        const Rule& how = *rule.rule;
        require(how.form() != Form::grouped && !how.needs_length(), "not a loss of single rows");
        const Examples examples = examples_of(x, gold, cost, how.classes(), bias, true);
        require_shape(table, std::int64_t{x.cols} + 1, 2 * how.columns(), "table");
        require_shape(scores, x.rows(), how.width(), "scores");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        OnlinePass pass;
        {
          nb::gil_scoped_release release;
          ThreadPool pool(1, progress);
          pass = adagrad_pass(view, examples, how, rate, table.data(), scores.data(), pool);
        }
        return std::make_tuple(pass.loss, pass.updates, pass.errors);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("rule"),
      nb::arg("rate"), nb::arg("table").noconvert(), nb::arg("bias"), nb::arg("scores").noconvert(),
      "Meet every row in turn; changes table[J + 1, 2 columns], weights and sums of squared\n"
      "gradients; fills scores[rows, width]; returns (loss, updates, errors).");
}

}  // namespace linnet::bindings
