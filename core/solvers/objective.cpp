// The objective of rows and labels (objective.hpp).
//
// Given X, gold labels, costs and a loss by name. At a point W the scores of all examples are taken
// by rows, the loss turns them into residuals R = cost * d loss / d scores, and the gradient X^T R
// is taken by columns of X, each written by one thread: every sum has a fixed order. What the
// Hessian needs of the point is kept, so that H v = X^T (curvature * X v) costs two such passes.
#include "objective.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../structures/flat.hpp"
#include "../structures/transposed.hpp"
#include "../vectors.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block

template <class V>
class FlatObjective final : public Objective {
 public:
  FlatObjective(const Csr<V>& x, SharedColumns<V> by_feature, const Examples& examples,
                const ObjectiveOptions& options, ThreadPool& pool)
      : x_(x),
        examples_(examples),
        options_(single_vector(options, examples)),
        pool_(pool),
        columns_(options_.form == Form::grouped ? 1 : examples.columns()),
        layout_{x.cols, columns_, examples.bias},
        width_(options_.form == Form::columns ? columns_ : examples.classes),
        count_(options_.form == Form::grouped ? x.rows / examples.classes : x.rows),
        loss_(options_.form == Form::columns ? columns_loss(options.loss, examples.classes)
                                             : joint_loss(options.loss, {examples.classes})),
        by_feature_(std::move(by_feature)) {
    if (!loss_->has_curvature()) lacks(loss_->name(), "curvature", "a batch solver");
    if (!loss_->has_conjugate()) lacks(loss_->name(), "conjugate", "a batch solver");
  }

  FlatObjective(const FlatObjective& all, std::int32_t first, std::int32_t count, ThreadPool& pool)
      : x_(all.x_),
        examples_(all.examples_),
        options_(all.options_),
        pool_(pool),
        columns_(count),
        layout_{x_.cols, columns_, examples_.bias},
        width_(count),
        count_(all.count_),
        loss_(all.loss_->some(first, count)),
        by_feature_(all.by_feature_) {}

  std::unique_ptr<Objective> some(std::int32_t first, std::int32_t count,
                                  ThreadPool& pool) const override {
    return std::make_unique<FlatObjective>(*this, first, count, pool);
  }

  std::int64_t size() const override { return layout_.size(); }

  double l2(std::int64_t weight) const override {
    return weight >= layout_.bias_from() && !examples_.penalize_bias ? 0.0 : options_.l2;
  }

  std::int32_t problems() const override { return options_.form == Form::columns ? columns_ : 1; }
  const double* parts() const override { return parts_.data(); }

  double evaluate(const double* w, double* gradient) override {
    start_parts();
    const double total = pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      return differentiate(w, first, last, residual_.data(), curve_.data());
    });
    multiply_transposed(residual_.data(), gradient);
    finish_parts(w);
    return total + add_penalty(w, gradient);
  }

  double value(const double* w) override {
    start_parts();
    const double total = pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      return differentiate(w, first, last, product_.data(), nullptr);
    });
    finish_parts(w);
    return total + add_penalty(w, nullptr);
  }

  void hessian_times(const double* v, double* out) override {
    pool_.ranges(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      score_examples(v, first, last, product_.data());
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t at = i * width_;
        loss_->curve(examples_.cost[i], curve_.data() + at, product_.data() + at);
      }
    });
    multiply_transposed(product_.data(), out);
    add_penalty(v, out);
  }

  void hessian_diagonal(double* out) override {
    pool_.ranges(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t at = i * width_;
        loss_->diagonal(examples_.cost[i], curve_.data() + at, product_.data() + at);
      }
    });
    pool_.ranges(x_.cols, by_feature_->grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        double* row = out + j * columns_;
        for (std::int32_t c = 0; c < columns_; ++c) row[c] = options_.l2;
        const Row<V> column = by_feature_->column(j);
        for (std::int64_t k = 0; k < column.size; ++k) {
          const double v = value_at(column.value, k);
          const double* from =
              product_.data() + column.index[k] * static_cast<std::int64_t>(columns_);
          for (std::int32_t c = 0; c < columns_; ++c) row[c] += v * v * from[c];
        }
      }
    });
    if (examples_.bias != 0.0) {
      double* row = out + layout_.bias_from();
      sum_rows(product_.data(), examples_.bias * examples_.bias, row);
      for (std::int32_t c = 0; c < columns_; ++c) {
        row[c] += examples_.penalize_bias ? options_.l2 : 0.0;
      }
    }
  }

  double conjugate_sum(double shrink) override {
    return pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      std::vector<double> scratch(static_cast<std::size_t>(width_));
      double sum = 0.0;
      for (std::int64_t i = first; i < last; ++i) {
        const double cost = examples_.cost[i], *residual = residual_.data() + i * width_;
        if (cost == 0.0) continue;
        sum += cost * loss_->conjugate(examples_.gold[i], cost, shrink, residual, scratch.data());
      }
      return sum;
    });
  }

 private:
  // The softmax of two classes with one column of weights is the log loss of that column.
  static ObjectiveOptions single_vector(ObjectiveOptions options, const Examples& examples) {
    if (options.form == Form::joint && examples.classes == 2) options.form = Form::columns;
    return options;
  }

  // Scores of examples first..last-1 into out[i][width].
  void score_examples(const double* w, std::int64_t first, std::int64_t last, double* out) const {
    const std::int64_t per = options_.form == Form::grouped ? width_ : 1;  // matrix rows each
    for (std::int64_t r = first * per; r < last * per; ++r) {
      double* row = out + r * columns_;
      flat::score(x_.row(r), w, columns_, row);
      layout_.score_bias(w, row);
    }
  }

  // Residuals of examples first..last-1, and what the Hessian needs of them unless `curve` is null.
  // Returns the sum of cost * loss; by columns, the block of these examples adds up that of each.
  double differentiate(const double* w, std::int64_t first, std::int64_t last, double* residual,
                       double* curve) {
    std::vector<double> values(static_cast<std::size_t>(width_));
    double* part = block_parts_.data() + first / kGrain * width_;
    double sum = 0.0;
    score_examples(w, first, last, residual);
    for (std::int64_t i = first; i < last; ++i) {
      const double cost = examples_.cost[i];
      const std::int64_t at = i * width_;
      sum += cost * loss_->differentiate(examples_.gold[i], cost, residual + at,
                                         curve == nullptr ? nullptr : curve + at, values.data());
      for (std::int32_t c = 0; c < problems(); ++c) part[c] += cost * values[c];
    }
    return sum;
  }

  // Before an evaluation. Each block of examples adds up the losses of each column by itself.
  void start_parts() {
    residual_.resize(static_cast<std::size_t>(count_ * width_));
    curve_.resize(residual_.size());
    product_.resize(residual_.size());
    const std::int64_t blocks = (count_ + kGrain - 1) / kGrain;
    block_parts_.assign(static_cast<std::size_t>(blocks * width_), 0.0);
  }

  void finish_parts(const double* w) {
    if (options_.form != Form::columns) return;
    parts_.assign(static_cast<std::size_t>(columns_), 0.0);
    for (std::size_t n = 0; n < block_parts_.size(); ++n) parts_[n % columns_] += block_parts_[n];
    const std::int64_t rows = examples_.penalize_bias ? layout_.rows() : x_.cols;
    std::vector<double> squares(parts_.size());
    Vectors(rows * columns_, pool_).dots(w, w, columns_, squares.data());
    for (std::int32_t c = 0; c < columns_; ++c) parts_[c] += 0.5 * options_.l2 * squares[c];
  }

  void sum_rows(const double* r, double factor, double* out) const {
    std::fill(out, out + columns_, 0.0);
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      for (std::int32_t c = 0; c < columns_; ++c) out[c] += r[i * columns_ + c];
    }
    for (std::int32_t c = 0; c < columns_; ++c) out[c] *= factor;
  }

  // out = X^T r, with the row of the bias last
  void multiply_transposed(const double* r, double* out) {
    pool_.ranges(x_.cols, by_feature_->grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        flat::score(by_feature_->column(j), r, columns_, out + j * columns_);
      }
    });
    if (examples_.bias != 0.0) {
      sum_rows(r, examples_.bias, out + layout_.bias_from());
    }
  }

  // Adds l2 * w to out (when given) and returns the penalty of w.
  double add_penalty(const double* w, double* out) {
    const double half = pool_.sum(size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t end = examples_.penalize_bias ? last : std::min(last, layout_.bias_from());
      double sum = 0.0;
      for (std::int64_t j = first; j < end; ++j) {
        sum += w[j] * w[j];
        if (out != nullptr) out[j] += options_.l2 * w[j];
      }
      return sum;
    });
    return 0.5 * options_.l2 * half;
  }

  const Csr<V> x_;
  const Examples examples_;
  const ObjectiveOptions options_;
  ThreadPool& pool_;
  const std::int32_t columns_;  // columns of the weights
  const flat::Layout layout_;
  const std::int32_t width_;  // scores of one example
  const std::int64_t count_;  // examples
  const std::unique_ptr<ExampleLoss> loss_;
  const SharedColumns<V> by_feature_;
  // Made when first asked for: a solver may split the objective instead of evaluating it.
  std::vector<double> residual_;  // [count][width] cost * d loss / d score at the point
  std::vector<double> curve_;  // [count][width] what the loss needs of the point for its curvature
  std::vector<double> product_;              // [count][width] scratch
  std::vector<double> block_parts_, parts_;  // [blocks][width], [columns] F of each problem
};

}  // namespace

std::unique_ptr<Objective> Objective::some(std::int32_t, std::int32_t, ThreadPool&) const {
  return nullptr;
}

std::unique_ptr<Objective> make_objective(const AnyCsr& any, const AnyColumns& by_feature,
                                          const Examples& examples, const ObjectiveOptions& options,
                                          ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) -> std::unique_ptr<Objective> {
        return std::make_unique<FlatObjective<V>>(x, std::get<SharedColumns<V>>(by_feature),
                                                  examples, options, pool);
      },
      any);
}

std::unique_ptr<Objective> make_objective(const AnyCsr& x, const Examples& examples,
                                          const ObjectiveOptions& options, ThreadPool& pool) {
  return make_objective(x, transpose(x, pool), examples, options, pool);
}

}  // namespace linnet
