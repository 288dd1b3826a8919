#include "objective.hpp"

#include <algorithm>
#include <vector>

#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "../structures/transposed.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block

template <class V>
class FlatObjective final : public Objective {
 public:
  FlatObjective(const Csr<V>& x, const Examples& examples, const ObjectiveOptions& options,
                ThreadPool& pool)
      : x_(x),
        examples_(examples),
        options_(single_vector(options, examples)),
        pool_(pool),
        columns_(options_.form == Form::grouped ? 1 : examples.columns()),
        width_(options_.form == Form::columns ? columns_ : examples.classes),
        count_(options_.form == Form::grouped ? x.rows / examples.classes : x.rows),
        by_feature_(transpose(x, pool)),
        residual_(static_cast<std::size_t>(count_) * width_),
        curve_(residual_.size()),
        product_(residual_.size()) {}

  std::int64_t size() const override {
    return (x_.cols + (examples_.bias != 0.0 ? 1 : 0)) * static_cast<std::int64_t>(columns_);
  }

  double l2(std::int64_t weight) const override {
    const bool is_bias = weight >= x_.cols * static_cast<std::int64_t>(columns_);
    return is_bias && !examples_.penalize_bias ? 0.0 : options_.l2;
  }

  double evaluate(const double* w, double* gradient) override {
    const double total = pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      score_examples(w, first, last, residual_.data());
      for (std::int64_t i = first; i < last; ++i) {
        double* row = residual_.data() + i * width_;
        sum += examples_.cost[i] * differentiate(i, row, curve_.data() + i * width_);
      }
      return sum;
    });
    multiply_transposed(residual_.data(), gradient);
    return total + add_penalty(w, gradient);
  }

  double value(const double* w) override {
    const double total = pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      std::vector<double> unused(static_cast<std::size_t>(width_));
      double sum = 0.0;
      score_examples(w, first, last, product_.data());
      for (std::int64_t i = first; i < last; ++i) {
        sum += examples_.cost[i] * differentiate(i, product_.data() + i * width_, unused.data());
      }
      return sum;
    });
    return total + add_penalty(w, nullptr);
  }

  void hessian_times(const double* v, double* out) override {
    pool_.ranges(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      score_examples(v, first, last, product_.data());
      for (std::int64_t i = first; i < last; ++i) curve(i, product_.data() + i * width_);
    });
    multiply_transposed(product_.data(), out);
    add_penalty(v, out);
  }

  void hessian_diagonal(double* out) override {
    pool_.ranges(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t n = first * width_; n < last * width_; ++n) {
        const double c = curve_[n];
        product_[n] = options_.form == Form::columns ? c : examples_.cost[n / width_] * c * (1 - c);
      }
    });
    pool_.ranges(x_.cols, by_feature_.grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        double* row = out + j * columns_;
        for (std::int32_t c = 0; c < columns_; ++c) row[c] = options_.l2;
        const Row<V> column = by_feature_.column(j);
        for (std::int64_t k = 0; k < column.size; ++k) {
          const double v = value_at(column.value, k);
          const double* from =
              product_.data() + column.index[k] * static_cast<std::int64_t>(columns_);
          for (std::int32_t c = 0; c < columns_; ++c) row[c] += v * v * from[c];
        }
      }
    });
    if (examples_.bias != 0.0) {
      double* row = out + x_.cols * static_cast<std::int64_t>(columns_);
      sum_rows(product_.data(), examples_.bias * examples_.bias, row);
      for (std::int32_t c = 0; c < columns_; ++c) {
        row[c] += examples_.penalize_bias ? options_.l2 : 0.0;
      }
    }
  }

  double conjugate_sum(double shrink) override {
    return pool_.sum(count_, kGrain, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      for (std::int64_t i = first; i < last; ++i) {
        const double cost = examples_.cost[i];
        if (cost > 0.0) sum += cost * conjugate(i, cost, shrink);
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

  double sign(std::int64_t i, std::int32_t column) const {
    const std::int32_t positive = examples_.classes == 2 ? 1 : column;
    return examples_.gold[i] == positive ? 1.0 : -1.0;
  }

  // Scores of examples first..last-1 into out[i][width].
  void score_examples(const double* w, std::int64_t first, std::int64_t last, double* out) const {
    const std::int64_t per = options_.form == Form::grouped ? width_ : 1;  // matrix rows each
    const double* bias_row = w + x_.cols * static_cast<std::int64_t>(columns_);
    for (std::int64_t r = first * per; r < last * per; ++r) {
      double* row = out + r * columns_;
      flat::score(x_.row(r), w, columns_, row);
      if (examples_.bias != 0.0) {
        for (std::int32_t c = 0; c < columns_; ++c) row[c] += examples_.bias * bias_row[c];
      }
    }
  }

  // Turns the scores of one example into cost * d loss / d score, writes what the Hessian needs
  // (curvature, or the softmax), returns the loss.
  double differentiate(std::int64_t i, double* scores, double* curve) const {
    const double cost = examples_.cost[i];
    if (options_.form != Form::columns) {
      const std::int32_t gold = examples_.gold[i];
      const double gold_score = scores[gold];
      const double log_partition = softmax(scores, width_);
      for (std::int32_t c = 0; c < width_; ++c) {
        curve[c] = scores[c];
        scores[c] = cost * (scores[c] - (c == gold ? 1.0 : 0.0));
      }
      return log_partition - gold_score;
    }
    double sum = 0.0;
    for (std::int32_t c = 0; c < width_; ++c) {
      const double y = sign(i, c), margin = y * scores[c];
      sum += loss::value(options_.loss, margin);
      curve[c] = cost * loss::curvature(options_.loss, margin);
      scores[c] = cost * y * loss::derivative(options_.loss, margin);
    }
    return sum;
  }

  // Multiplies the scores of one example by the second derivative of its loss.
  void curve(std::int64_t i, double* scores) const {
    const double* c_row = curve_.data() + i * width_;
    if (options_.form == Form::columns) {
      for (std::int32_t c = 0; c < width_; ++c) scores[c] *= c_row[c];
      return;
    }
    double mean = 0.0;
    for (std::int32_t c = 0; c < width_; ++c) mean += c_row[c] * scores[c];
    const double cost = examples_.cost[i];
    for (std::int32_t c = 0; c < width_; ++c) scores[c] = cost * c_row[c] * (scores[c] - mean);
  }

  double conjugate(std::int64_t i, double cost, double shrink) const {
    const double* row = residual_.data() + i * width_;
    double sum = 0.0;
    for (std::int32_t c = 0; c < width_; ++c) {
      const double a = -shrink * row[c] / cost;
      if (options_.form == Form::columns) {
        sum += loss::conjugate(options_.loss, sign(i, c) * a);
      } else {  // log-sum-exp: minus the entropy of the distribution 1[gold] - a
        sum += x_log_x(std::max(0.0, (c == examples_.gold[i] ? 1.0 : 0.0) - a));
      }
    }
    return sum;
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
    pool_.ranges(x_.cols, by_feature_.grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        flat::score(by_feature_.column(j), r, columns_, out + j * columns_);
      }
    });
    if (examples_.bias != 0.0) {
      sum_rows(r, examples_.bias, out + x_.cols * static_cast<std::int64_t>(columns_));
    }
  }

  // Adds l2 * w to out (when given) and returns the penalty of w.
  double add_penalty(const double* w, double* out) {
    const double half = pool_.sum(size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t bias_from = x_.cols * static_cast<std::int64_t>(columns_);
      const std::int64_t end = examples_.penalize_bias ? last : std::min(last, bias_from);
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
  const std::int32_t width_;    // scores of one example
  const std::int64_t count_;    // examples
  const Columns<V> by_feature_;
  std::vector<double> residual_;  // [count][width] cost * d loss / d score at the point
  std::vector<double> curve_;     // [count][width] cost * curvature, or the softmax, at the point
  std::vector<double> product_;   // [count][width] scratch
};

}  // namespace

std::unique_ptr<Objective> make_objective(const AnyCsr& any, const Examples& examples,
                                          const ObjectiveOptions& options, ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) -> std::unique_ptr<Objective> {
        return std::make_unique<FlatObjective<V>>(x, examples, options, pool);
      },
      any);
}

}  // namespace linnet
