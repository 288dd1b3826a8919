#include "learners/counting.hpp"

#include "common.hpp"
#include "learners/gaussian.hpp"

namespace linnet::bindings {
namespace {

// Labels and weights of the rows of x, and a table with a row for each class.
void require_by_class(const Matrix& x, const Array<const std::int32_t>& gold,
                      const Array<const double>& weight, const Table<double>& by_class,
                      const char* name) {
  require_labels(gold, x.rows(), length_of(by_class), "gold");
  require_length(weight, x.rows(), "weight");
  require_shape(by_class, length_of(by_class), x.cols, name);
}

}  // namespace

void bind_counting(nb::module_& m) {
  m.def(
      "count",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> weight,
         Table<double> counts, int threads) {
        require_by_class(x, gold, weight, counts, "counts");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        count(view, {gold.data(), weight.data(), static_cast<std::int32_t>(counts.shape(0))},
              counts.data(), pool);
      },
      nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("counts").noconvert(), nb::arg("threads"),
      "counts[k, j] += sum of weight_i * x_ij over the rows i of class k.");

  m.def(
      "squared_deviations",
      [](const Matrix& x, Array<const std::int32_t> gold, Array<const double> weight,
         Table<const double> mean, Array<const double> total, Table<double> out, int threads) {
        require_by_class(x, gold, weight, out, "out");
        require_shape(mean, length_of(out), x.cols, "mean");
        require_length(total, length_of(out), "total");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        squared_deviations(view,
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
        const std::int64_t classes = length_of(mean);
        require_shape(mean, classes, x.cols, "mean");
        require_shape(precision, classes, x.cols, "precision");
        require_shape(out, x.rows(), classes, "out");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        gaussian_exponents(view, mean.data(), precision.data(),
                           static_cast<std::int32_t>(out.shape(1)), out.data(), pool);
      },
      nb::arg("x"), nb::arg("mean").noconvert(), nb::arg("precision").noconvert(),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "out[i, k] = -1/2 sum_j precision[k, j] * (x_ij - mean[k, j])^2");
}

}  // namespace linnet::bindings
