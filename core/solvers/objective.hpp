// The smooth objective of every batch solver.
//
//   F(W) = sum_j (l2_j / 2) |W_j|^2 + sum_i cost_i loss(scores_i, gold_i),     scores = X W
//
// Solvers see only this interface, so any solver runs on any loss and structure that provides it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "../losses/example_loss.hpp"
#include "../parallel.hpp"
#include "../structures/transposed.hpp"
#include "../views.hpp"

namespace linnet {

class Objective {
 public:
  virtual ~Objective() = default;

  virtual std::int64_t size() const = 0;  // number of weights

  // Problems that share the data and nothing else: weight n belongs to problem n % problems().
  virtual std::int32_t problems() const { return 1; }

  // How many of them a solver takes at a time: few, so that their vectors stay in the cache, or all
  // where a pass over the data costs more than that.
  virtual std::int32_t together() const { return 8; }

  // F of each problem at the last `evaluate` or `value`; null when there is one only.
  virtual const double* parts() const { return nullptr; }

  // The problems first .. first + count - 1 alone, for objectives that have several.
  virtual std::unique_ptr<Objective> some(std::int32_t first, std::int32_t count,
                                          ThreadPool& pool) const;

  // Returns F(w) and writes its gradient. The point becomes the one that `hessian_times`,
  // `hessian_diagonal` and `conjugate_sum` speak of.
  virtual double evaluate(const double* w, double* gradient) = 0;

  // F(w) alone, without moving the point.
  virtual double value(const double* w) = 0;

  virtual bool has_hessian() const { return true; }

  // out = (Hessian at the point) v
  virtual void hessian_times(const double* v, double* out) = 0;

  // out = diagonal of the Hessian at the point, for preconditioning
  virtual void hessian_diagonal(double* out) = 0;

  // sum_i cost_i loss*(shrink * a_i), a_i = minus the loss gradient at the point: the dual value
  // of the point, pulled towards zero by `shrink` <= 1 where the penalty demands it (L1).
  virtual double conjugate_sum(double shrink) = 0;

  virtual double l2(std::int64_t weight) const = 0;  // the quadratic penalty of one weight

  // What L-BFGS takes for the inverse Hessian before it knows better: a positive diagonal, up to a
  // factor. Null is the identity.
  virtual const double* first_guess() { return nullptr; }
};

struct ObjectiveOptions {
  std::string_view loss = "log";  // one with a curvature and a conjugate
  Form form = Form::columns;
  double l2 = 1.0;  // quadratic penalty of every weight; the bias follows penalize_bias
};

// `by_feature` holds the columns of x, for solvers that go through them too.
std::unique_ptr<Objective> make_objective(const AnyCsr& x, const AnyColumns& by_feature,
                                          const Examples& examples, const ObjectiveOptions& options,
                                          ThreadPool& pool);
std::unique_ptr<Objective> make_objective(const AnyCsr& x, const Examples& examples,
                                          const ObjectiveOptions& options, ThreadPool& pool);

}  // namespace linnet
