// Generalised and improved iterative scaling (scaling.hpp). Each iteration takes the model's
// distribution at the current weights by rows, then moves every weight by its own root, by columns.
#include "scaling.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "../structures/transposed.hpp"
#include "stopping.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block
constexpr double kFurthest = 30.0;    // a weight without a finite optimum moves by this over s

// The root of an increasing convex function by Newton's method; value(delta, slope) also writes
// the slope. A change is cut to 2 / s, a factor e^2. Convergence is quadratic: after a change of
// 1e-8 the error is at rounding.
template <class Function>
double root(double s, Function&& value) {
  double delta = 0.0;
  for (int round = 0; round < 100; ++round) {
    double slope = 0.0;
    const double at = value(delta, slope);
    if (at == 0.0) break;
    const double change = std::clamp(-at / slope, -2.0 / s, 2.0 / s);
    delta += change;
    if (std::abs(change) * s <= 1e-8 || std::abs(delta) * s >= kFurthest) break;
  }
  return delta;
}

// The weights of one feature are moved by one thread, from the rows that have the feature. A row of
// the matrix is an example with K columns of weights, or, grouped, one label of an example.
//
// Two classes with one column w are the columns -w/2 and w/2 with twice the penalty: the objective
// is the same, and taking away what both columns share after a move can only lower it.
template <class V>
class Scaling {
 public:
  Scaling(const Csr<V>& x, const Examples& examples, Form form, Objective& f, bool improved,
          ThreadPool& pool)
      : x_(x),
        examples_(examples),
        f_(f),
        pool_(pool),
        improved_(improved),
        halves_(form == Form::columns),
        per_(form == Form::grouped ? examples.classes : 1),
        columns_(examples.classes / per_),
        width_(halves_ ? 1 : columns_),
        by_feature_(transpose(x, pool)),
        everyone_(static_cast<std::size_t>(examples.bias != 0.0 ? x.rows : 0)),
        total_(static_cast<std::size_t>(x.rows)),
        model_(static_cast<std::size_t>(x.rows * columns_)),
        target_((static_cast<std::size_t>(x.cols) + 1) * static_cast<std::size_t>(columns_)) {
    std::iota(everyone_.begin(), everyone_.end(), 0);
    add_features();
    count_targets();
  }

  // Moves every weight once.
  void advance(double* w) {
    find_model(w);
    const double slack = has_slack() ? log_ratio(slack_target_, slack_total()) / largest_ : 0.0;
    each_feature([&](const auto& column, double factor, std::int64_t j) {
      std::vector<double> delta(static_cast<std::size_t>(columns_));
      flat::score(column, model_.data(), columns_, delta.data());  // the expectations
      for (std::int32_t c = 0; c < columns_; ++c) {
        const double weight = halves_ ? (c == 1 ? 0.5 : -0.5) * w[j] : w[j * width_ + c];
        delta[c] = improved_ ? improved_move(column, factor, j, c, weight)
                             : generalised_move(factor * delta[c], j, c, weight);
      }
      if (halves_) {
        w[j] += delta[1] - delta[0];
      } else {
        for (std::int32_t c = 0; c < columns_; ++c) w[j * width_ + c] += delta[c] - slack;
      }
    });
  }

 private:
  // body(rows that have the feature, factor of their values, feature), the bias last.
  template <class Body>
  void each_feature(Body&& body) {
    const std::int64_t features = x_.cols + (examples_.bias != 0.0 ? 1 : 0);
    pool_.ranges(features, by_feature_.grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        if (j < x_.cols) {
          body(by_feature_.column(j), 1.0, j);
        } else {
          body(Row<Unit>{everyone_.data(), nullptr, x_.rows}, examples_.bias, j);
        }
      }
    });
  }

  void add_features() {
    pool_.ranges(x_.rows, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        const Row<V> row = x_.row(r);
        double sum = examples_.bias;
        for (std::int64_t k = 0; k < row.size; ++k) sum += value_at(row.value, k);
        total_[r] = sum;
      }
    });
    largest_ = *std::max_element(total_.begin(), total_.end());
  }

  // The targets are the expectations of a model that is sure of the gold labels.
  void count_targets() {
    for (std::int64_t i = 0; i < x_.rows / per_; ++i) {
      model_[i * examples_.classes + examples_.gold[i]] = examples_.cost[i];
    }
    each_feature([&](const auto& column, double factor, std::int64_t j) {
      double* to = target_.data() + j * columns_;
      flat::score(column, model_.data(), columns_, to);
      for (std::int32_t c = 0; c < columns_; ++c) to[c] *= factor;
    });
    if (has_slack()) slack_target_ = slack_total();
  }

  // model_ = cost p(label | x)
  void find_model(const double* w) {
    const double* bias_row = w + x_.cols * static_cast<std::int64_t>(width_);
    pool_.ranges(x_.rows / per_, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        double* scores = model_.data() + i * examples_.classes;
        for (std::int32_t k = 0; k < per_; ++k) {
          double* row = scores + k * columns_;
          flat::score(x_.row(i * per_ + k), w, width_, row);
          if (examples_.bias == 0.0) continue;
          for (std::int32_t c = 0; c < width_; ++c) row[c] += examples_.bias * bias_row[c];
        }
        if (halves_) {
          scores[1] = scores[0];
          scores[0] = 0.0;
        }
        softmax(scores, examples_.classes);
        for (std::int32_t k = 0; k < examples_.classes; ++k) scores[k] *= examples_.cost[i];
      }
    });
  }

  // Where the labels of an example have the same sum, so with weights by columns, the slack feature
  // does not tell them apart.
  bool has_slack() const { return !improved_ && per_ > 1 && f_.l2(0) == 0.0; }

  double slack_total() {
    return pool_.sum(x_.rows, kGrain, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      for (std::int64_t r = first; r < last; ++r) sum += model_[r] * (largest_ - total_[r]);
      return sum;
    });
  }

  static double log_ratio(double target, double expected) {
    if (target == expected) return 0.0;
    return std::clamp(std::log(target / expected), -kFurthest, kFurthest);
  }

  double penalty(std::int64_t j) const { return (halves_ ? 2.0 : 1.0) * f_.l2(j * width_); }

  double generalised_move(double expected, std::int64_t j, std::int32_t c, double weight) const {
    const double l2 = penalty(j), target = target_[j * columns_ + c];
    if (l2 == 0.0) return log_ratio(target, expected) / largest_;
    return root(largest_, [&](double delta, double& slope) {
      const double grown = expected * std::exp(delta * largest_);
      slope = grown * largest_ + l2;
      return grown + l2 * (weight + delta) - target;
    });
  }

  template <class U>
  double improved_move(const Row<U>& column, double factor, std::int64_t j, std::int32_t c,
                       double weight) const {
    const double l2 = penalty(j), target = target_[j * columns_ + c];
    double most = 0.0;
    for (std::int64_t k = 0; k < column.size; ++k) most = std::max(most, total_[column.index[k]]);
    if (most == 0.0) return l2 > 0.0 ? -weight : 0.0;  // the feature never occurs
    return root(most, [&](double delta, double& slope) {
      double grown = 0.0, rise = 0.0;
      for (std::int64_t k = 0; k < column.size; ++k) {
        const std::int64_t row = column.index[k];
        const double s = total_[row];
        const double mass =
            value_at(column.value, k) * model_[row * columns_ + c] * std::exp(delta * s);
        grown += mass;
        rise += mass * s;
      }
      slope = factor * rise + l2;
      return factor * grown + l2 * (weight + delta) - target;
    });
  }

  const Csr<V> x_;
  const Examples examples_;
  Objective& f_;
  ThreadPool& pool_;
  const bool improved_, halves_;
  const std::int32_t per_;      // rows of the matrix for one example
  const std::int32_t columns_;  // labels of one row
  const std::int32_t width_;    // columns of the weights
  const Columns<V> by_feature_;
  std::vector<std::int32_t> everyone_;  // [rows] 0, 1, .. : the rows that have the bias
  std::vector<double> total_;           // [rows] the sum s of all features
  std::vector<double> model_;           // [rows][columns]
  std::vector<double> target_;          // [cols + 1][columns]
  double largest_ = 0.0, slack_target_ = 0.0;
};

}  // namespace

void iterative_scaling(const AnyCsr& any, const Examples& examples, Form form, Objective& f,
                       bool improved, double* w, const BatchOptions& options, ThreadPool& pool) {
  if ((form == Form::columns && examples.classes != 2) ||
      (form == Form::joint && examples.classes == 2)) {
    throw std::invalid_argument("iterative scaling takes two classes by columns, more jointly");
  }
  Vectors vectors(f.size(), pool);
  const auto gradient =
      std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(f.size()));
  std::visit(
      [&]<class V>(const Csr<V>& x) {
        Scaling<V> scaling(x, examples, form, f, improved, pool);
        Stopping stopping(f, options, vectors);
        auto enough = [&] {
          const double objective = f.evaluate(w, gradient.get());
          return stopping.at(w, gradient.get(), objective, vectors.max_abs(gradient.get()), 0.0);
        };
        while (!enough()) scaling.advance(w);
      },
      any);
}

}  // namespace linnet
