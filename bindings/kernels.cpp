#include "kernels/machines.hpp"

#include <string>
#include <vector>

#include "common.hpp"
#include "kernels/gram.hpp"
#include "kernels/perceptron.hpp"
#include "kernels/subsequence.hpp"

namespace linnet::bindings {
namespace {

Kernel kernel_named(const std::string& name, double gamma, double coef0, int degree, double shift) {
  if (name == "linear") return {KernelKind::linear, 1.0, 0.0, 1, shift};
  if (name == "polynomial") return {KernelKind::polynomial, gamma, coef0, degree, shift};
  if (name == "gaussian") return {KernelKind::gaussian, gamma, 0.0, 1, shift};
  if (name == "sigmoid") return {KernelKind::sigmoid, gamma, coef0, 1, shift};
  throw nb::value_error("kernel must be linear, polynomial, gaussian or sigmoid");
}

// A positive degree: the power is taken by repeated multiplication.
void require_degree(int degree) { require(degree >= 1, "degree must be 1 or more"); }

KernelTie tie_named(const std::string& name) {
  if (name == "nonpositive") return KernelTie::nonpositive;
  if (name == "sign") return KernelTie::sign;
  if (name == "strict") return KernelTie::strict;
  throw nb::value_error("tie must be nonpositive, sign or strict");
}

Strings strings_of(const Array<const std::int32_t>& symbols,
                   const Array<const std::int64_t>& start) {
  require_offsets(start, length_of(symbols), "start of strings");
  return {symbols.data(), start.data(), length_of(start) - 1};
}

KernelSource source_of(const std::variant<const Matrix*, Table<const double>>& data) {
  if (const auto* x = std::get_if<const Matrix*>(&data)) return (*x)->view();
  const auto& gram = std::get<Table<const double>>(data);
  require_shape(gram, length_of(gram), length_of(gram), "data");
  return Gram{gram.data(), static_cast<std::int64_t>(gram.shape(1))};
}

std::int64_t examples_in(const std::variant<const Matrix*, Table<const double>>& data) {
  if (const auto* x = std::get_if<const Matrix*>(&data)) return (*x)->rows();
  return length_of(std::get<Table<const double>>(data));
}

}  // namespace

void bind_kernels(nb::module_& m) {
  m.def(
      "kernel_gram",
      [](const Matrix& x, const Matrix& z, const std::string& kernel, double gamma, double coef0,
         int degree, Table<double> out, int threads) {
        require_degree(degree);
        require(x.cols == z.cols, "x and z differ in their columns");
        require_shape(out, x.rows(), z.rows(), "out");
        const AnyCsr &left = x.view(), &right = z.view();
        const Kernel how = kernel_named(kernel, gamma, coef0, degree, 0.0);
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        kernel_gram(left, right, how, out.data(), pool);
      },
      nb::arg("x"), nb::arg("z"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"),
      nb::arg("degree"), nb::arg("out").noconvert(), nb::arg("threads"),
      "Write K(x_i, z_j) to out[rows of x, rows of z].");

  m.def(
      "kernel_machines",
      [](std::variant<const Matrix*, Table<const double>> data, const std::string& kernel,
         double gamma, double coef0, int degree, double shift, Array<const std::int64_t> start,
         Array<const std::int32_t> ids, Array<const double> sign, Array<const double> cost,
         Array<double> beta, bool free_intercept, bool shrinking, double tolerance,
         std::int64_t max_iterations, std::int64_t cache_bytes, bool precise, Table<double> results,
         int threads) {
        const KernelSource source = source_of(data);
        const Kernel how = kernel_named(kernel, gamma, coef0, degree, shift);
        require_degree(degree);
        require_offsets(start, length_of(ids), "start");
        require_numbers(ids, examples_in(data), "ids");
        require_length(sign, length_of(ids), "sign");
        require_length(cost, length_of(ids), "cost");
        require_length(beta, length_of(ids), "beta");
        const std::int64_t count = length_of(start) - 1;
        require_shape(results, count, 6, "results");
        const Machines machines{start.data(), ids.data(),  sign.data(),
                                cost.data(),  beta.data(), count};
        const SmoOptions options{free_intercept, shrinking, tolerance, max_iterations, cache_bytes};
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        std::vector<SmoResult> found(static_cast<std::size_t>(count));
        solve_machines(source, how, machines, options, precise, found.data(), pool);
        double* out = results.data();
        for (const SmoResult& r : found) {
          for (double v : {r.intercept, r.primal, r.dual, r.violation,
                           static_cast<double>(r.iterations), static_cast<double>(r.end)}) {
            *out++ = v;
          }
        }
      },
      nb::arg("data"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"),
      nb::arg("shift"), nb::arg("start").noconvert(), nb::arg("ids").noconvert(),
      nb::arg("sign").noconvert(), nb::arg("cost").noconvert(), nb::arg("beta").noconvert(),
      nb::arg("free_intercept"), nb::arg("shrinking"), nb::arg("tolerance"),
      nb::arg("max_iterations"), nb::arg("cache_bytes"), nb::arg("precise"),
      nb::arg("results").noconvert(), nb::arg("threads"),
      "Solve machines in the dual; beta is the start and the result. Each row of results has "
      "intercept, primal, dual, violation, iterations and end (0 converged, 1 stopped, 2 no "
      "bound).");

  m.def(
      "kernel_perceptron",
      [](std::variant<const Matrix*, Table<const double>> data, const std::string& kernel,
         double gamma, double coef0, int degree, double shift, Array<const std::int32_t> gold,
         std::int32_t classes, bool shuffle, std::uint64_t seed, const std::string& tie,
         bool stop_when_clean, std::int64_t cache_bytes, Table<double> beta, Table<double> late,
         Array<std::int64_t> mistakes) {
        const KernelSource source = source_of(data);
        const Kernel how = kernel_named(kernel, gamma, coef0, degree, shift);
        require_degree(degree);
        require(classes >= 2, "classes must be 2 or more");
        require_labels(gold, examples_in(data), classes, "gold");
        const std::int64_t columns = classes == 2 ? 1 : classes;
        require_shape(beta, length_of(gold), columns, "beta");
        require_shape(late, length_of(gold), columns, "late");
        const KernelRounds rounds{static_cast<std::int64_t>(mistakes.size()),
                                  shuffle,
                                  seed,
                                  tie_named(tie),
                                  stop_when_clean,
                                  cache_bytes};
        const KernelCounts out{beta.data(), late.data(), mistakes.data()};
        const auto examples = static_cast<std::int64_t>(gold.size());
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(1, progress);
        return kernel_perceptron(source, how, gold.data(), examples, classes, rounds, out, pool);
      },
      nb::arg("data"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"),
      nb::arg("shift"), nb::arg("gold").noconvert(), nb::arg("classes"), nb::arg("shuffle"),
      nb::arg("seed"), nb::arg("tie"), nb::arg("stop_when_clean"), nb::arg("cache_bytes"),
      nb::arg("beta").noconvert(), nb::arg("late").noconvert(), nb::arg("mistakes").noconvert(),
      "Run the dual perceptron; beta, late and mistakes start as zeros. Returns the rounds run.");

  m.def(
      "subsequence_gram",
      [](Array<const std::int32_t> s, Array<const std::int64_t> s_start,
         Array<const std::int32_t> t, Array<const std::int64_t> t_start, int length, double decay,
         bool normalize, Table<double> out, int threads) {
        const Strings left = strings_of(s, s_start), right = strings_of(t, t_start);
        require(length >= 1, "length must be 1 or more");
        require_shape(out, length_of(s_start) - 1, length_of(t_start) - 1, "out");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        subsequence_gram(left, right, {length, decay, normalize}, out.data(), pool);
      },
      nb::arg("s").noconvert(), nb::arg("s_start").noconvert(), nb::arg("t").noconvert(),
      nb::arg("t_start").noconvert(), nb::arg("length"), nb::arg("decay"), nb::arg("normalize"),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "Write the gap-weighted subsequence kernel of strings s_i and t_j to out.");
}

}  // namespace linnet::bindings
