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

Counts counts_of(const Table<const double>& counts, double alpha) {
  return {counts.data(), static_cast<std::int32_t>(counts.shape(0)),
          static_cast<std::int64_t>(counts.shape(1)), alpha};
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
      "counts[k, j] = sum of weight_i * x_ij over the rows i of class k.");

  m.def(
      "count_totals",
      [](Table<const double> counts, Array<double> totals, int threads) {
        require_length(totals, length_of(counts), "totals");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        count_totals(counts_of(counts, 0.0), totals.data(), pool);
      },
      nb::arg("counts").noconvert(), nb::arg("totals").noconvert(), nb::arg("threads"),
      "totals[k] = sum over j of counts[k, j]");

  m.def(
      "log_probabilities",
      [](Table<const double> counts, double alpha, Array<const double> log_size, Table<double> out,
         std::optional<Array<double>> odds, int threads) {
        const auto features = static_cast<std::int64_t>(counts.shape(1));
        require_length(log_size, length_of(counts), "log_size");
        require_shape(out, features, length_of(counts), "out");
        require_length(odds, features, "odds");
        require(!odds || length_of(counts) == 2, "odds are of two classes");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        return log_probabilities(counts_of(counts, alpha), log_size.data(), out.data(),
                                 odds ? odds->data() : nullptr, pool);
      },
      nb::arg("counts").noconvert(), nb::arg("alpha"), nb::arg("log_size").noconvert(),
      nb::arg("out").noconvert(), nb::arg("odds").noconvert().none(), nb::arg("threads"),
      "out[j, k] = ln(counts[k, j] + alpha) - log_size[k], odds[j] = out[j, 1] - out[j, 0];\n"
      "returns the sum of counts[k, j] * out[j, k]. counts + alpha must be normal numbers.");

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
      "out[k, j] = sum of weight_i * (x_ij - mean[k, j])^2 over the rows i of class k.");

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
