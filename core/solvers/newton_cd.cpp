// Newton's steps by coordinate descent (newton_cd.hpp). A `Curve` knows the losses along the step d
// of one problem: of a column of binary losses, or of all columns of the softmax. It keeps what
// H d is made of in step with d, so that a component of H d costs the rows that have its feature.
#include "newton_cd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "../losses/all.hpp"
#include "../random.hpp"
#include "../structures/flat.hpp"
#include "../structures/transposed.hpp"
#include "stopping.hpp"

namespace linnet {
namespace {

constexpr double kDecrease = 0.01;  // share of the foretold fall that a step must reach
constexpr int kTrials = 40;
constexpr double kAccuracy = 0.05;  // how much of the violation a step may leave
constexpr int kPasses = 200;        // over the weights of a step, at most
constexpr double kIdle = 0.01;      // a column this much nearer its optimum than the worst waits
constexpr double kFlat = 1e-12;     // added to each curvature, so that none is zero
constexpr std::int64_t kPolled = 256;
constexpr std::uint64_t kSeed = 0;  // of the orders: chance decides nothing at the optimum

// One weight that takes part in a step.
struct Coordinate {
  std::int64_t feature;
  std::int32_t column;
  bool sparse;  // under l1
  double w, gradient, l2, curvature = 0.0;
  double d = 0.0;
};

template <class V>
struct Data {
  const Csr<V>& x;
  const Examples& examples;
  const Columns<V>& by_feature;

  // body(i, v) for the examples that have feature j with value v; the last feature is the bias.
  template <class Body>
  void each(std::int64_t j, Body&& body) const {
    if (j == x.cols) {
      for (std::int64_t i = 0; i < x.rows; ++i) body(i, examples.bias);
      return;
    }
    const Row<V> column = by_feature.column(j);
    for (std::int64_t k = 0; k < column.size; ++k) {
      body(column.index[k], static_cast<double>(value_at(column.value, k)));
    }
  }
};

// The losses of one column; `bend` is the Hessian of each example, `bent` that times x.d.
template <class L, class V>
class BinaryCurve {
 public:
  BinaryCurve(const Data<V>& data, const double* scores, std::int32_t columns, std::int32_t column)
      : data_(data), margin_(rows()), sign_(rows()), bend_(rows()), bent_(rows()) {
    const Examples& examples = data.examples;
    for (std::size_t i = 0; i < margin_.size(); ++i) {
      sign_[i] = examples.gold[i] == (examples.classes == 2 ? 1 : column) ? 1.0 : -1.0;
      margin_[i] = sign_[i] * scores[i * static_cast<std::size_t>(columns) + column];
      bend_[i] = examples.cost[i] * L::curvature(margin_[i]);
    }
  }

  double curvature(const Coordinate& c) const {
    double sum = 0.0;
    data_.each(c.feature, [&](std::int64_t i, double v) { sum += bend_[i] * v * v; });
    return sum;
  }

  double slope(const Coordinate& c) const {  // of d.H d / 2
    double sum = 0.0;
    data_.each(c.feature, [&](std::int64_t i, double v) { sum += bent_[i] * v; });
    return sum;
  }

  void move(const Coordinate& c, double z) {
    data_.each(c.feature, [&](std::int64_t i, double v) { bent_[i] += bend_[i] * v * z; });
  }

  // The scores of the step take the place of `bent`.
  void finish(const std::vector<Coordinate>& step) {
    std::fill(bent_.begin(), bent_.end(), 0.0);
    for (const Coordinate& c : step) {
      if (c.d == 0.0) continue;
      data_.each(c.feature, [&](std::int64_t i, double v) { bent_[i] += v * c.d; });
    }
  }

  double change(double length) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < margin_.size(); ++i) {
      if (bent_[i] == 0.0) continue;
      const double m = margin_[i];
      sum += data_.examples.cost[i] * (L::value(m + sign_[i] * length * bent_[i]) - L::value(m));
    }
    return sum;
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(data_.x.rows); }

  const Data<V>& data_;
  std::vector<double> margin_, sign_, bend_, bent_;  // [rows]
};

// The softmax of all columns: (H d)_k of an example is cost p_k (x.d_k - sum_l p_l x.d_l).
template <class V>
class SoftmaxCurve {
 public:
  SoftmaxCurve(const Data<V>& data, const double* scores, std::int32_t columns)
      : data_(data),
        columns_(columns),
        scores_(scores),
        p_(size()),
        step_(size()),
        mean_(static_cast<std::size_t>(data.x.rows)),
        value_(mean_.size()) {
    std::copy(scores, scores + size(), p_.begin());
    for (std::int64_t i = 0; i < data.x.rows; ++i) {
      value_[static_cast<std::size_t>(i)] = softmax(&p_[at(i, 0)], columns_);
    }
  }

  double curvature(const Coordinate& c) const {
    double sum = 0.0;
    data_.each(c.feature, [&](std::int64_t i, double v) {
      const double p = p_[at(i, c.column)];
      sum += data_.examples.cost[i] * p * (1.0 - p) * v * v;
    });
    return sum;
  }

  double slope(const Coordinate& c) const {
    double sum = 0.0;
    data_.each(c.feature, [&](std::int64_t i, double v) {
      const std::size_t n = at(i, c.column);
      sum += data_.examples.cost[i] * p_[n] * (step_[n] - mean_[i]) * v;
    });
    return sum;
  }

  void move(const Coordinate& c, double z) {
    data_.each(c.feature, [&](std::int64_t i, double v) {
      const std::size_t n = at(i, c.column);
      step_[n] += v * z;
      mean_[i] += p_[n] * v * z;
    });
  }

  void finish(const std::vector<Coordinate>&) {}  // `step_` holds the scores of the step

  double change(double length) const {
    std::vector<double> moved(static_cast<std::size_t>(columns_));
    double sum = 0.0;
    for (std::int64_t i = 0; i < data_.x.rows; ++i) {
      const double* s = scores_ + i * columns_;
      const double rise = length * step_[at(i, data_.examples.gold[i])];
      for (std::int32_t k = 0; k < columns_; ++k) moved[k] = s[k] + length * step_[at(i, k)];
      sum += data_.examples.cost[i] * (softmax(moved.data(), columns_) - value_[i] - rise);
    }
    return sum;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(data_.x.rows * columns_); }
  std::size_t at(std::int64_t i, std::int32_t k) const {
    return static_cast<std::size_t>(i * columns_ + k);
  }

  const Data<V>& data_;
  const std::int32_t columns_;
  const double* const scores_;    // [rows][columns]
  std::vector<double> p_, step_;  // [rows][columns] probabilities, scores of the step
  std::vector<double> mean_;      // [rows] of the step's scores under p
  std::vector<double> value_;     // [rows] logarithm of the sum of e^score
};

// How far a weight is from its optimality condition, given the gradient there.
double violation(double w, double gradient, double l1) {
  if (w != 0.0) return std::abs(gradient + std::copysign(l1, w));
  return std::max(0.0, std::abs(gradient) - l1);
}

// What minimises gradient z + curvature z^2 / 2 + l1 |w + z|.
double best_move(double w, double gradient, double curvature, double l1) {
  if (gradient + l1 <= curvature * w) return -(gradient + l1) / curvature;
  if (gradient - l1 >= curvature * w) return -(gradient - l1) / curvature;
  return -w;
}

// The step of one problem.
template <class Curve>
class Step {
 public:
  Step(Curve curve, std::vector<Coordinate> coordinates, double l1, ThreadPool& pool)
      : curve_(std::move(curve)), coordinates_(std::move(coordinates)), l1_(l1), pool_(pool) {
    for (Coordinate& c : coordinates_) c.curvature = curve_.curvature(c) + c.l2 + kFlat;
  }

  // Descends until a small share of the violation is left. Weights that seem to stay at zero are
  // passed over until the others are done.
  void descend(std::uint64_t number) {
    const auto count = static_cast<std::int64_t>(coordinates_.size());
    std::vector<std::int64_t> all(coordinates_.size()), active, order;
    for (std::int64_t n = 0; n < count; ++n) all[static_cast<std::size_t>(n)] = n;
    active = all;
    double goal = -1.0, slack = INFINITY;
    for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
      order.resize(active.size());
      permutation(order.data(), static_cast<std::int64_t>(order.size()), kSeed,
                  number * kPasses + pass);
      double sum = 0.0, worst = 0.0;
      const bool whole = active.size() == all.size();
      std::vector<std::int64_t> next;
      next.reserve(active.size());
      for (std::size_t n = 0; n < order.size(); ++n) {
        if (n % kPolled == 0) pool_.checkpoint();
        const std::int64_t which = active[static_cast<std::size_t>(order[n])];
        Coordinate& c = coordinates_[static_cast<std::size_t>(which)];
        const double l1 = c.sparse ? l1_ : 0.0, u = c.w + c.d;
        const double gradient = c.gradient + c.l2 * c.d + curve_.slope(c);
        if (u == 0.0 && std::abs(gradient) < l1 - slack) continue;
        next.push_back(which);
        const double off = violation(u, gradient, l1);
        sum += off;
        worst = std::max(worst, off);
        if (off == 0.0) continue;
        const double z = best_move(u, gradient, c.curvature, l1);
        c.d = z == -u ? -c.w : c.d + z;  // exactly zero, whatever rounding says
        curve_.move(c, z);
      }
      if (goal < 0.0) goal = kAccuracy * sum;
      slack = worst;
      active = std::move(next);
      if (sum > goal) continue;
      if (whole) return;
      active = all;
      slack = INFINITY;
    }
  }

  // Writes w + length d; nothing when no length decreases the objective.
  void search(std::int32_t columns, double* weights) {
    curve_.finish(coordinates_);
    double foretold = 0.0;
    for (const Coordinate& c : coordinates_) foretold += c.gradient * c.d + penalty(c, 1.0);
    if (!(foretold < 0.0)) return;
    double length = 1.0;
    for (int trial = 0; trial < kTrials; ++trial, length *= 0.5) {
      double change = curve_.change(length);
      for (const Coordinate& c : coordinates_) {
        change += c.l2 * length * c.d * (c.w + 0.5 * length * c.d) + penalty(c, length);
      }
      if (!(change <= kDecrease * length * foretold)) continue;
      for (const Coordinate& c : coordinates_) {
        weights[c.feature * columns + c.column] =
            c.d == -c.w && length == 1.0 ? 0.0 : c.w + length * c.d;
      }
      return;
    }
  }

 private:
  double penalty(const Coordinate& c, double length) const {
    return c.sparse ? l1_ * (std::abs(c.w + length * c.d) - std::abs(c.w)) : 0.0;
  }

  Curve curve_;
  std::vector<Coordinate> coordinates_;
  const double l1_;
  ThreadPool& pool_;
};

class Solver {
 public:
  Solver(const AnyColumns& by_feature, const Examples& examples, Objective& f, double* w,
         const BatchOptions& options, ThreadPool& pool)
      : by_feature_(by_feature),
        examples_(examples),
        f_(f),
        w_(w),
        options_(options),
        pool_(pool),
        vectors_(f.size(), pool),
        stopping_(f, options, vectors_),
        columns_(examples.columns()),
        gradient_(static_cast<std::size_t>(f.size())) {}

  // Steps of the columns that `curve(data, scores, column)` makes a Curve of, or of all together.
  template <class V, class Make>
  void run(const Csr<V>& x, std::int32_t problems, Make&& make) {
    const Data<V> data{x, examples_, *std::get<SharedColumns<V>>(by_feature_)};
    std::vector<double> scores(static_cast<std::size_t>(x.rows * columns_));
    for (std::uint64_t step = 0;; ++step) {
      double objective = f_.evaluate(w_, gradient_.data());
      const std::vector<double> worst = violations(problems, objective);
      const double norm = *std::max_element(worst.begin(), worst.end());
      if (stopping_.at(w_, gradient_.data(), objective, norm, 1.0)) return;
      flat::scores(x, w_, columns_, examples_.bias, scores.data(), pool_);
      pool_.run(problems, [&](std::int64_t problem) {
        if (worst[static_cast<std::size_t>(problem)] <= kIdle * norm) return;
        Step one(make(data, scores.data(), static_cast<std::int32_t>(problem)),
                 coordinates(problems, problem), options_.l1, pool_);
        one.descend(step * static_cast<std::uint64_t>(problems) +
                    static_cast<std::uint64_t>(problem));
        one.search(columns_, w_);
      });
    }
  }

 private:
  bool sparse(std::int64_t at) const { return at < options_.l1_size; }

  // The largest violation of each problem; the penalty is added to the objective.
  std::vector<double> violations(std::int32_t problems, double& objective) const {
    std::vector<double> worst(static_cast<std::size_t>(problems));
    double size = 0.0;
    for (std::int64_t at = 0; at < f_.size(); ++at) {
      const double l1 = sparse(at) ? options_.l1 : 0.0;
      if (l1 > 0.0) size += std::abs(w_[at]);
      double& most = worst[static_cast<std::size_t>(at % problems)];
      most = std::max(most, violation(w_[at], gradient_[static_cast<std::size_t>(at)], l1));
    }
    objective += options_.l1 * size;
    return worst;
  }

  std::vector<Coordinate> coordinates(std::int32_t problems, std::int64_t problem) const {
    std::vector<Coordinate> chosen;
    for (std::int64_t at = problem; at < f_.size(); at += problems) {
      const double gradient = gradient_[static_cast<std::size_t>(at)];
      if (w_[at] == 0.0 && sparse(at) && std::abs(gradient) <= options_.l1) continue;
      chosen.push_back({.feature = at / columns_,
                        .column = static_cast<std::int32_t>(at % columns_),
                        .sparse = sparse(at),
                        .w = w_[at],
                        .gradient = gradient,
                        .l2 = f_.l2(at)});
    }
    return chosen;
  }

  const AnyColumns& by_feature_;
  const Examples examples_;
  Objective& f_;
  double* const w_;
  const BatchOptions& options_;
  ThreadPool& pool_;
  Vectors vectors_;
  Stopping stopping_;
  const std::int32_t columns_;
  std::vector<double> gradient_;
};

}  // namespace

void newton_coordinate_descent(const AnyCsr& any, const AnyColumns& by_feature,
                               const Examples& examples, std::string_view loss, bool joint,
                               Objective& f, double* w, const BatchOptions& options,
                               ThreadPool& pool) {
  Solver solver(by_feature, examples, f, w, options, pool);
  if (joint && examples.classes > 2) {
    if (loss != Log::kName) lacks(loss, "curvature of all classes", "Newton by coordinate descent");
    std::visit(
        [&]<class V>(const Csr<V>& x) {
          solver.run(x, 1, [&](const Data<V>& data, const double* scores, std::int32_t) {
            return SoftmaxCurve<V>(data, scores, examples.columns());
          });
        },
        any);
    return;
  }
  with_loss(MarginLosses{}, loss, [&]<class L>(std::type_identity<L>) {
    if constexpr (HasCurvature<L>) {
      std::visit(
          [&]<class V>(const Csr<V>& x) {
            solver.run(x, examples.columns(),
                       [&](const Data<V>& data, const double* scores, std::int32_t column) {
                         return BinaryCurve<L, V>(data, scores, examples.columns(), column);
                       });
          },
          any);
    } else {
      lacks(L::kName, "curvature", "Newton by coordinate descent");
    }
  });
}

}  // namespace linnet
