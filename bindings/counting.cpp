#include "learners/counting.hpp"

#include "common.hpp"
#include "learners/gaussian.hpp"

namespace linnet::bindings {

void bind_counting(nb::module_& m) {
  m.def(
      "count",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> weight,
         Table<double> counts, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        count(x.view, {gold.data(), weight.data(), static_cast<std::int32_t>(counts.shape(0))},
              counts.data(), pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("counts").noconvert(), nb::arg("threads"),
      "counts[k, j] += sum of weight_i * x_ij over the rows i of class k.");

  m.def(
      "squared_deviations",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> weight,
         Table<const double> mean, Array<const double> total, Table<double> out, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        squared_deviations(x.view,
                           {gold.data(), weight.data(), static_cast<std::int32_t>(out.shape(0))},
                           mean.data(), total.data(), out.data(), pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("mean").noconvert(), nb::arg("total").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads"),
      "out[k, j] += sum of weight_i * (x_ij - mean[k, j])^2 over the rows i of class k.");

  m.def(
      "gaussian_exponents",
      [](const Matrix& x, Table<const double> mean, Table<const double> precision,
         Table<double> out, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        gaussian_exponents(x.view, mean.data(), precision.data(),
                           static_cast<std::int32_t>(out.shape(1)), out.data(), pool);
      },
      nb::arg("x"), nb::arg("mean").noconvert(), nb::arg("precision").noconvert(),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "out[i, k] = -1/2 sum_j precision[k, j] * (x_ij - mean[k, j])^2");
}

}  // namespace linnet::bindings
