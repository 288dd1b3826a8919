#include "structures/flat.hpp"

#include "common.hpp"
#include "examples.hpp"
#include "inspect.hpp"
#include "own_columns.hpp"
#include "random.hpp"
#include "used_columns.hpp"

namespace linnet::bindings {
namespace {

template <class T>
Csr<T> csr_of(const Array<const std::int64_t>& start, const Array<const std::int32_t>& index,
              const T* value, std::int32_t cols) {
  return {static_cast<std::int64_t>(start.size()) - 1, cols, start.data(), index.data(), value};
}

}  // namespace

Matrix::Matrix(Array<const std::int64_t> start_, Array<const std::int32_t> index_, Values value_,
               std::int32_t cols_)
    : start(std::move(start_)),
      index(std::move(index_)),
      value(std::move(value_)),
      cols(cols_),
      shape(csr_of<Unit>(start, index, nullptr, cols)) {
  require(cols >= 0, "cols is negative");
  require(length_of(start) >= 1 && start.data()[0] == 0 && ascends(start.data(), length_of(start)),
          "start does not ascend from 0");
  require(stored() <= length_of(index), "start points beyond index");
  if (!value) return;
  std::visit(
      [&](const auto& v) {
        require(stored() <= length_of(v), "start points beyond value");
        shape = csr_of(start, index, v.data(), cols);
      },
      *value);
}

void bind_flat(nb::module_& m) {
  nb::class_<Matrix>(m, "Matrix", "A CSR matrix over NumPy arrays; value=None means all ones.")
      .def(
          "__init__",
          [](Matrix* self, Array<const std::int64_t> start, Array<const std::int32_t> index,
             Values value, std::int32_t cols) {
            new (self) Matrix(std::move(start), std::move(index), std::move(value), cols);
          },
          nb::arg("start").noconvert(), nb::arg("index").noconvert(),
          nb::arg("value").noconvert().none(), nb::arg("cols"))
      .def("with_values", &Matrix::with_values, nb::arg("value").noconvert().none(),
           "The same rows with other values; ids that have been looked at need no second look.")
      .def(
          "remember", [](Matrix& self) { self.memory = std::make_shared<DualMemory>(); },
          "Keep what a fit leaves for the next one that begins where it ended.");

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
        require(x.value.has_value(), "inspect needs values");
        require(!narrow || x.stored() <= length_of(*narrow), "narrow is too short");
        float* out = narrow ? narrow->data() : nullptr;
        const auto* wide = std::get_if<Csr<double>>(&x.shape);
        PythonProgress progress{nb::none()};
        Inspection found;
        {
          nb::gil_scoped_release release;
          ThreadPool pool(threads, progress);
          found =
              wide ? inspect(*wide, out, pool) : inspect(std::get<Csr<float>>(x.shape), out, pool);
        }
        if (found.inside) x.found_inside();
        return found;
      },
      nb::arg("x"), nb::arg("narrow").noconvert().none(), nb::arg("threads"),
      "Check a matrix that has values; double values are also written to narrow as floats.");

  m.def(
      "count_columns",
      [](Array<const std::int32_t> index, Array<std::uint32_t> out, int threads) {
        PythonProgress progress{nb::none()};
        bool inside = false;
        {
          nb::gil_scoped_release release;
          ThreadPool pool(threads, progress);
          inside = count_columns(index.data(), length_of(index), out.data(), length_of(out), pool);
        }
        if (!inside) require_numbers(index, length_of(out), "index");  // which says more
      },
      nb::arg("index").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "out[j] = how many of the column ids are j.");

  nb::class_<UsedColumns>(m, "UsedColumns", "The used columns of a matrix.")
      .def(
          "__init__",
          [](UsedColumns* self, const Matrix& x, int threads) {
            PythonProgress progress{nb::none()};
            nb::gil_scoped_release release;
            ThreadPool pool(threads, progress);
            std::visit([&](const auto& view) { new (self) UsedColumns(view, pool); },
                       UsedColumns::looks_at(x.cols, x.stored()) ? x.view() : x.shape);
          },
          nb::arg("x"), nb::arg("threads"))
      .def_prop_ro("used", &UsedColumns::used)
      .def_prop_ro("few", &UsedColumns::few, "At most half of all; only then have they numbers.")
      .def(
          "number",
          [](const UsedColumns& self, const Matrix& x, Array<std::int32_t> index,
             Array<std::int32_t> columns, int threads) {
            require(self.few(), "the columns are not few");
            require(cols_of(x.view()) == self.cols(), "x is another matrix");
            require(length_of(columns) == self.used(),
                    "columns has not a place for each used column");
            require(x.stored() <= length_of(index), "index is too short");
            PythonProgress progress{nb::none()};
            nb::gil_scoped_release release;
            ThreadPool pool(threads, progress);
            const std::int32_t* ids =
                std::visit([](const auto& view) { return view.index; }, x.view());
            require(self.number(ids, x.stored(), index.data(), pool), "x is another matrix");
            self.columns(columns.data(), pool);
          },
          nb::arg("x"), nb::arg("index").noconvert(), nb::arg("columns").noconvert(),
          nb::arg("threads"),
          "Write the ids of the same matrix over its used columns, and which columns those are.");

  nb::class_<OwnColumns>(m, "OwnColumns", "The columns that one row of a matrix has to itself.")
      .def(
          "__init__",
          [](OwnColumns* self, const Matrix& x, int threads) {
            PythonProgress progress{nb::none()};
            nb::gil_scoped_release release;
            ThreadPool pool(threads, progress);
            std::visit([&](const auto& view) { new (self) OwnColumns(view, pool); },
                       OwnColumns::looks_at(x.cols, x.stored()) ? x.view() : x.shape);
          },
          nb::arg("x"), nb::arg("threads"))
      .def_prop_ro("many", &OwnColumns::many, "So many that it pays to fold them.")
      .def_prop_ro("own", &OwnColumns::own)
      .def_prop_ro("shared", &OwnColumns::shared)
      .def(
          "fold",
          [](OwnColumns& self, const Matrix& x, Array<std::int64_t> start,
             Array<std::int32_t> index, Array<float> value, int threads) {
            const AnyCsr view = x.view();
            const auto* rows = std::get_if<Csr<float>>(&view);
            require(rows != nullptr, "fold needs values of 32 bits");
            require(self.many(), "the columns are not many");
            require(rows->cols == self.cols() && rows->rows == self.rows(), "x is another matrix");
            require(rows->rows < length_of(start), "start is too short");
            require(rows->stored() <= length_of(index), "index is too short");
            require(rows->stored() <= length_of(value), "value is too short");
            PythonProgress progress{nb::none()};
            nb::gil_scoped_release release;
            ThreadPool pool(threads, progress);
            return self.fold(*rows, start.data(), index.data(), value.data(), pool);
          },
          nb::arg("x"), nb::arg("start").noconvert(), nb::arg("index").noconvert(),
          nb::arg("value").noconvert(), nb::arg("threads"),
          "Write the rows of the same matrix over shared columns and one of each row; returns how "
          "many values they have, -1 where one is too large.")
      .def(
          "spread",
          [](const OwnColumns& self, Table<const double> weights,
             std::variant<Table<float>, Table<double>> out, int threads) {
            const auto columns = static_cast<std::int32_t>(weights.shape(1));
            require(static_cast<std::int64_t>(weights.shape(0)) == self.shared() + self.rows(),
                    "weights has not a row for each column");
            PythonProgress progress{nb::none()};
            std::visit(
                [&](auto& wide) {
                  require(static_cast<std::int64_t>(wide.shape(0)) == self.cols() &&
                              wide.shape(1) == weights.shape(1),
                          "out has another shape");
                  nb::gil_scoped_release release;
                  ThreadPool pool(threads, progress);
                  self.spread(weights.data(), columns, wide.data(), pool);
                },
                out);
          },
          nb::arg("weights").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
          "Write weights over folded columns to the places of all columns.");

  m.def(
      "sort_rows",
      [](const Matrix& x, Array<std::int32_t> index,
         std::variant<Array<float>, Array<double>> value, int threads) {
        const auto* wide = std::get_if<Csr<double>>(&x.view());
        const auto* narrow = std::get_if<Csr<float>>(&x.view());
        require((wide && std::holds_alternative<Array<double>>(value)) ||
                    (narrow && std::holds_alternative<Array<float>>(value)),
                "value is of another kind than the matrix");
        const auto room = std::visit([](const auto& v) { return length_of(v); }, value);
        require(x.stored() <= length_of(index) && x.stored() <= room,
                "index or value is too short");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        if (wide) {
          sort_rows(*wide, index.data(), std::get<Array<double>>(value).data(), pool);
        } else {
          sort_rows(*narrow, index.data(), std::get<Array<float>>(value).data(), pool);
        }
      },
      nb::arg("x"), nb::arg("index").noconvert(), nb::arg("value").noconvert(), nb::arg("threads"),
      "Write the ids and values of each row in ascending order of ids.");

  m.def(
      "scores",
      [](const Matrix& x, Table<const double> weights, double bias, Table<double> out,
         int threads) {
        const auto columns = static_cast<std::int64_t>(weights.shape(1));
        require_weights(x, weights, columns, bias, "weights");
        require_shape(out, x.rows(), columns, "out");
        const AnyCsr& view = x.view();
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        flat::scores(view, weights.data(), static_cast<std::int32_t>(weights.shape(1)), bias,
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
