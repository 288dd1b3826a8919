// Minimising over rows that are elsewhere: the losses of some rows as an object that stays where
// they are, and the batch solvers over the sum of such losses, which Python fetches.
#include <memory>
#include <string>
#include <vector>

#include "common.hpp"
#include "examples.hpp"
#include "solvers/batch.hpp"

namespace linnet::bindings {
namespace {

constexpr int kMostMemory = 1000;

Form form_named(const std::string& name) {
  if (name == "columns") return Form::columns;
  if (name == "joint") return Form::joint;
  throw nb::value_error("form must be columns or joint");
}

// The losses of rows, without a penalty. What a point leaves behind for its Hessian is kept, so
// calls must not overlap.
class RowLosses {
 public:
  RowLosses(const Matrix& x, Array<const std::int32_t> gold, Array<const double> cost,
            std::int32_t classes, const std::string& loss, const std::string& form, double bias)
      : x_(x),
        gold_(std::move(gold)),
        cost_(std::move(cost)),
        examples_(examples_of(x_, gold_, cost_, classes, bias, false)),
        progress_(nb::none()) {
    const ObjectiveOptions what{loss, form_named(form), 0.0};
    const AnyCsr& view = x_.view();
    nb::gil_scoped_release release;
    pool_ = std::make_unique<ThreadPool>(1, progress_);
    f_ = make_objective(view, examples_, what, *pool_);
  }

  std::int32_t problems() const { return f_->problems(); }

  void evaluate(Table<const double> w, Table<double> gradient, Array<double> parts) {
    require_point(w, "w");
    require_point(gradient, "gradient");
    require_length(parts, problems(), "parts");
    nb::gil_scoped_release release;
    const double sum = f_->evaluate(w.data(), gradient.data());
    has_point_ = true;
    write_parts(sum, parts.data());
  }

  void value(Table<const double> w, Array<double> parts) {
    require_point(w, "w");
    require_length(parts, problems(), "parts");
    nb::gil_scoped_release release;
    write_parts(f_->value(w.data()), parts.data());
  }

  void hessian_times(Table<const double> v, Table<double> out) {
    require_point(v, "v");
    require_point(out, "out");
    require(has_point_, "evaluate comes first");
    nb::gil_scoped_release release;
    f_->hessian_times(v.data(), out.data());
  }

  void hessian_diagonal(Table<double> out) {
    require_point(out, "out");
    require(has_point_, "evaluate comes first");
    nb::gil_scoped_release release;
    f_->hessian_diagonal(out.data());
  }

  double conjugate_sum(double shrink) {
    require(has_point_, "evaluate comes first");
    nb::gil_scoped_release release;
    return f_->conjugate_sum(shrink);
  }

 private:
  template <class T>
  void require_point(const T& table, const char* name) const {
    require_weights(x_, table, examples_.columns(), examples_.bias, name);
  }

  void write_parts(double sum, double* parts) const {
    if (problems() == 1) {
      parts[0] = sum;
    } else {
      std::copy(f_->parts(), f_->parts() + problems(), parts);
    }
  }

  const Matrix x_;
  const Array<const std::int32_t> gold_;
  const Array<const double> cost_;
  const Examples examples_;
  PythonProgress progress_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Objective> f_;
  bool has_point_ = false;  // `evaluate` has left one behind
};

// The sum of losses that Python fetches, and the quadratic penalty of the weights.
class FetchedObjective final : public Objective {
 public:
  FetchedObjective(nb::object losses, std::int64_t size, std::int32_t problems, double l2,
                   std::int64_t held, bool has_hessian, const double* guess)
      : losses_(std::move(losses)),
        size_(size),
        held_(held),
        l2_(l2),
        has_hessian_(has_hessian),
        guess_(guess),
        parts_(static_cast<std::size_t>(problems)) {}

  std::int64_t size() const override { return size_; }
  std::int32_t problems() const override { return static_cast<std::int32_t>(parts_.size()); }
  std::int32_t together() const override { return problems(); }
  const double* parts() const override { return parts_.data(); }
  double l2(std::int64_t weight) const override { return weight < held_ ? l2_ : 0.0; }
  bool has_hessian() const override { return has_hessian_; }
  const double* first_guess() override { return guess_; }

  double evaluate(const double* w, double* gradient) override {
    call("evaluate", [&] { return nb::make_tuple(view(w), view(gradient), parts_view()); });
    return penalised(w, gradient);
  }

  double value(const double* w) override {
    call("value", [&] { return nb::make_tuple(view(w), parts_view()); });
    return penalised(w, nullptr);
  }

  void hessian_times(const double* v, double* out) override {
    call("hessian_times", [&] { return nb::make_tuple(view(v), view(out)); });
    for (std::int64_t n = 0; n < held_; ++n) out[n] += l2_ * v[n];
  }

  void hessian_diagonal(double* out) override {
    call("hessian_diagonal", [&] { return nb::make_tuple(view(out)); });
    for (std::int64_t n = 0; n < held_; ++n) out[n] += l2_;
  }

  double conjugate_sum(double shrink) override {
    nb::gil_scoped_acquire gil;
    return nb::cast<double>(losses_.attr("conjugate_sum")(shrink));
  }

 private:
  // Views are valid during the call only.
  static nb::object view(const double* at, std::int64_t size) {
    const nb::ndarray<nb::numpy, const double, nb::ndim<1>> array(
        at, {static_cast<std::size_t>(size)}, nb::handle());
    return nb::cast(array, nb::rv_policy::reference);
  }
  static nb::object view(double* at, std::int64_t size) {
    const nb::ndarray<nb::numpy, double, nb::ndim<1>> array(at, {static_cast<std::size_t>(size)},
                                                            nb::handle());
    return nb::cast(array, nb::rv_policy::reference);
  }
  nb::object view(const double* at) const { return view(at, size_); }
  nb::object view(double* at) const { return view(at, size_); }
  nb::object parts_view() { return view(parts_.data(), problems()); }

  template <class Arguments>
  void call(const char* name, Arguments&& arguments) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    losses_.attr(name)(*arguments());
  }

  // Adds the penalty to the fetched losses, and its gradient; returns the sum of all problems.
  double penalised(const double* w, double* gradient) {
    const std::size_t problems = parts_.size();
    std::vector<double> squares(problems, 0.0);
    for (std::int64_t n = 0; n < held_; ++n) {
      squares[static_cast<std::size_t>(n) % problems] += w[n] * w[n];
      if (gradient) gradient[n] += l2_ * w[n];
    }
    double total = 0.0;
    for (std::size_t p = 0; p < problems; ++p) total += parts_[p] += 0.5 * l2_ * squares[p];
    return total;
  }

  const nb::object losses_;
  const std::int64_t size_, held_;
  const double l2_;
  const bool has_hessian_;
  const double* const guess_;
  std::vector<double> parts_;
};

}  // namespace

void bind_elsewhere(nb::module_& m) {
  nb::class_<RowLosses>(m, "RowLosses",
                        "The losses of labelled rows at weights[(J + 1), columns], their gradient "
                        "and Hessian. Calls must not overlap.")
      .def(nb::init<const Matrix&, Array<const std::int32_t>, Array<const double>, std::int32_t,
                    const std::string&, const std::string&, double>(),
           nb::arg("x"), nb::arg("gold").noconvert(), nb::arg("cost").noconvert(),
           nb::arg("classes"), nb::arg("loss"), nb::arg("form"), nb::arg("bias"))
      .def_prop_ro("problems", &RowLosses::problems)
      .def("evaluate", &RowLosses::evaluate, nb::arg("w").noconvert(),
           nb::arg("gradient").noconvert(), nb::arg("parts").noconvert(),
           "Write the gradient and the sum of each problem; later calls speak of this point.")
      .def("value", &RowLosses::value, nb::arg("w").noconvert(), nb::arg("parts").noconvert())
      .def("hessian_times", &RowLosses::hessian_times, nb::arg("v").noconvert(),
           nb::arg("out").noconvert())
      .def("hessian_diagonal", &RowLosses::hessian_diagonal, nb::arg("out").noconvert())
      .def("conjugate_sum", &RowLosses::conjugate_sum, nb::arg("shrink"));

  m.def(
      "minimize_fetched",
      [](const std::string& solver, nb::object losses, Array<double> w, std::int32_t problems,
         double l2, double l1, std::int64_t held, bool has_hessian,
         std::optional<Array<const double>> guess, double tolerance, std::int64_t max_iterations,
         int memory, nb::object record, int threads) {
        require(problems >= 1 && length_of(w) % problems == 0, "w has a row for each feature");
        require(held >= 0 && held <= length_of(w), "held counts weights");
        require(memory >= 1 && memory <= kMostMemory, "memory must be 1 to 1000");
        require(solver == "lbfgs" || (solver == "newton" && has_hessian && l1 == 0.0),
                "solver must be lbfgs, or newton with a Hessian and without l1");
        require_length(guess, length_of(w), "guess");
        BatchOptions how;
        how.tolerance = tolerance;
        how.max_iterations = max_iterations;
        how.l1 = l1;
        how.l1_size = held;
        how.memory = memory;
        how.visible = true;
        PythonProgress progress{std::move(record)};
        FetchedObjective f(std::move(losses), length_of(w), problems, l2, held, has_hessian,
                           guess ? guess->data() : nullptr);
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        if (solver == "newton") {
          newton(f, w.data(), how, pool);
        } else {
          lbfgs(f, w.data(), how, pool);
        }
      },
      nb::arg("solver"), nb::arg("losses"), nb::arg("w").noconvert(), nb::arg("problems"),
      nb::arg("l2"), nb::arg("l1"), nb::arg("held"), nb::arg("has_hessian"),
      nb::arg("guess").noconvert().none(), nb::arg("tolerance"), nb::arg("max_iterations"),
      nb::arg("memory"), nb::arg("record").none(), nb::arg("threads"),
      "Minimise a penalty on the first `held` weights and losses that are fetched, in place of "
      "w.\n\n"
      "`losses` has evaluate(w, gradient, parts), value(w, parts), hessian_times(v, out),\n"
      "hessian_diagonal(out) and conjugate_sum(shrink), which fill the arrays they are given.");
}

}  // namespace linnet::bindings
