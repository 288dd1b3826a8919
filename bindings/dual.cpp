#include "solvers/dual_cd.hpp"

#include <string>

#include "common.hpp"
#include "examples.hpp"

namespace linnet::bindings {
void bind_dual(nb::module_& m) {
  m.def(
      "dual_coordinate_descent",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
         std::int32_t classes, Table<double> alpha, Table<double> weights, const std::string& loss,
         bool joint, double bias, std::optional<Table<const double>> margins, double tolerance,
         std::int64_t max_epochs, double patience, std::uint64_t seed, bool visible,
         nb::object record, int threads) {
        // one-vs-rest may ask for some labels of many, and then has rows of none of them
        const bool others = !joint && classes > 2;
        const Examples examples = examples_of(x, gold, cost, classes, bias, true, false, others);
        require_shape(alpha, x.rows(), examples.columns(), "alpha");
        require_weights(x, weights, examples.columns(), bias, "weights");
        require_shape(margins, classes, classes, "margins");
        require(!joint || classes > 2, "joint needs more than two classes");
        require(x.rows() <= INT32_MAX, "more rows than have numbers of 32 bits");
        const AnyCsr& view = x.view();
        const DualOptions how{loss,     joint, tolerance, max_epochs,
                              patience, seed,  visible,   margins ? margins->data() : nullptr};
        PythonProgress progress{std::move(record)};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        dual_coordinate_descent(view, examples, how, alpha.data(), weights.data(), pool,
                                x.memory.get());
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(), nb::arg("classes"),
      nb::arg("alpha").noconvert(), nb::arg("weights").noconvert(), nb::arg("loss"),
      nb::arg("joint"), nb::arg("bias"), nb::arg("margins").noconvert().none(),
      nb::arg("tolerance"), nb::arg("max_epochs"), nb::arg("patience"), nb::arg("seed"),
      nb::arg("visible"), nb::arg("record").none(), nb::arg("threads"),
      "Solve in the dual; alpha[rows, columns] is the start and the result, with weights.");
}

}  // namespace linnet::bindings
