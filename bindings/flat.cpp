#include "structures/flat.hpp"

#include "common.hpp"
#include "inspect.hpp"
#include "random.hpp"

namespace linnet::bindings {
namespace {

using Values = std::optional<std::variant<Array<const float>, Array<const double>>>;

template <class T>
Csr<T> view(const Array<const std::int64_t>& start, const Array<const std::int32_t>& index,
            const T* value, std::int32_t cols) {
  return {static_cast<std::int64_t>(start.size()) - 1, cols, start.data(), index.data(), value};
}

}  // namespace

void bind_flat(nb::module_& m) {
  nb::class_<Matrix>(m, "Matrix", "A CSR matrix over NumPy arrays; value=None means all ones.")
      .def(
          "__init__",
          [](Matrix* self, Array<const std::int64_t> start, Array<const std::int32_t> index,
             Values value, std::int32_t cols) {
            AnyCsr any = view<Unit>(start, index, nullptr, cols);
            if (value) {
              std::visit([&](const auto& v) { any = view(start, index, v.data(), cols); }, *value);
            }
            new (self) Matrix{start, index, value, any};
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(),
          nb::arg("value").noconvert().none(), nb::arg("cols"));

  nb::class_<Inspection>(m, "Inspection", "What one pass over a matrix found.")
      .def_ro("finite", &Inspection::finite)
      .def_ro("all_ones", &Inspection::all_ones)
      .def_ro("fits_float", &Inspection::fits_float)
      .def_ro("ascending", &Inspection::ascending)
      .def_ro("inside", &Inspection::inside)
      .def_ro("non_negative", &Inspection::non_negative);

  m.def(
      "inspect",
      [](const Matrix& x, std::optional<Array<float>> narrow, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        float* out = narrow ? narrow->data() : nullptr;
        if (const auto* d = std::get_if<Csr<double>>(&x.view)) return inspect(*d, out, pool);
        return inspect(std::get<Csr<float>>(x.view), out, pool);
      },
      nb::arg("x"), nb::arg("narrow").noconvert().none(), nb::arg("threads"),
      "Check a matrix that has values; double values are also written to narrow as floats.");

  m.def(
      "sort_rows",
      [](const Matrix& x, Array<std::int32_t> index,
         std::variant<Array<float>, Array<double>> value, int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        if (const auto* d = std::get_if<Csr<double>>(&x.view)) {
          sort_rows(*d, index.data(), std::get<Array<double>>(value).data(), pool);
        } else {
          sort_rows(std::get<Csr<float>>(x.view), index.data(),
                    std::get<Array<float>>(value).data(), pool);
        }
      },
      nb::arg("x"), nb::arg("index").noconvert(), nb::arg("value").noconvert(), nb::arg("threads"),
      "Write the ids and values of each row in ascending order of ids.");

  m.def(
      "scores",
      [](const Matrix& x, Table<const double> weights, double bias, Table<double> out,
         int threads) {
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        flat::scores(x.view, weights.data(), static_cast<std::int32_t>(weights.shape(1)), bias,
                     out.data(), pool);
      },
      nb::arg("x"), nb::arg("weights").noconvert(), nb::arg("bias"), nb::arg("out").noconvert(),
      nb::arg("threads"), "out[i, k] = x_i . weights[:, k] + bias * weights[-1, k]");

  m.def(
      "permutation",
      [](Array<std::int64_t> out, std::uint64_t seed, std::uint64_t round) {
        permutation(out.data(), static_cast<std::int64_t>(out.size()), seed, round);
      },
      nb::arg("out").noconvert(), nb::arg("seed"), nb::arg("round"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Fill out with the order of the examples in one round of one seed.");
}

}  // namespace linnet::bindings
