// What every binding file shares: array types, the matrix handle, the bridge to Python's progress.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "parallel.hpp"
#include "progress.hpp"
#include "require.hpp"
#include "solvers/dual_cd.hpp"
#include "views.hpp"

namespace nb = nanobind;

namespace linnet::bindings {

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Values = std::optional<std::variant<Array<const float>, Array<const double>>>;

// The arrays of a CSR matrix, kept alive for the length of the calls. Its pointers are checked when
// it is made, its column ids when the core first follows them, unless `inspect` has looked at them
// before; what is written to the arrays afterwards is the writer's risk.
struct Matrix {
  Array<const std::int64_t> start;
  Array<const std::int32_t> index;
  Values value;
  std::int32_t cols;
  AnyCsr shape;                        // the view, which may point outside
  std::shared_ptr<DualMemory> memory;  // where many fits are to come

  Matrix(Array<const std::int64_t> start, Array<const std::int32_t> index, Values value,
         std::int32_t cols);

  std::int64_t rows() const { return rows_of(shape); }
  std::int64_t stored() const { return start.data()[rows()]; }
  // The view for what follows column ids.
  const AnyCsr& view() const {
    if (!inside_) {
      require_below(index.data(), stored(), 0, cols, "index");
      inside_ = true;
    }
    return shape;
  }
  void found_inside() const { inside_ = true; }
  // The same rows with other values.
  Matrix with_values(Values other) const {
    Matrix made(start, index, std::move(other), cols);
    made.inside_ = inside_;
    return made;
  }

 private:
  mutable bool inside_ = false;
};

// Calls Python's `record(iteration, objective, gap, gradient_norm, step)` (None = nobody listens)
// and looks for Ctrl-C twenty times a second.
class PythonProgress final : public Progress {
 public:
  explicit PythonProgress(nb::object callback) : callback_(std::move(callback)) {}

  void poll() override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  bool record(const Iteration& it) override {
    poll();
    nb::gil_scoped_acquire gil;
    if (callback_.is_none()) return true;
    nb::object answer = callback_(it.number, it.objective, it.gap, it.gradient_norm, it.step);
    return answer.is_none() || nb::cast<bool>(answer);
  }

 private:
  nb::object callback_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void bind_flat(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_elsewhere(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_items(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_primal(nb::module_& m);
void bind_online(nb::module_& m);
void bind_adagrad(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_prefixes(nb::module_& m);
void bind_structured(nb::module_& m);
void bind_text(nb::module_& m);
void bind_token_features(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_fasttext(nb::module_& m);
void bind_pickled(nb::module_& m);
void bind_unicode(nb::module_& m);
void bind_memory(nb::module_& m);
void bind_memory_vectors(nb::module_& m);

}  // namespace linnet::bindings
