#include "adagrad.hpp"

#include <cmath>
#include <vector>

#include "../numeric.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kRowsPerPoll = 256;
constexpr std::int64_t kAhead = 48;    // stored values between a prefetch and its use
constexpr std::int64_t kTogether = 8;  // weights that are moved side by side
constexpr float kTiny = 1e-10F;

// One weight and its G, moved by a gradient.
LINNET_INLINE void move(float gradient, float rate, float& weight, float& squares) {
  squares += gradient * gradient;
  weight -= rate * gradient / (std::sqrt(squares) + kTiny);
}

template <class V>
class Learner {
 public:
  Learner(const Csr<V>& x, const Examples& examples, const Rule& rule, double rate, float* table)
      : x_(x),
        examples_(examples),
        rule_(rule),
        rate_(static_cast<float>(rate)),
        columns_(rule.columns()),
        table_(table),
        end_(x.index + x.stored()),
        residual_(static_cast<std::size_t>(columns_)) {}

  // scores[width] is filled; returns whether the example moved weights.
  void meet(std::int64_t i, double* scores, OnlinePass& pass) {
    const Row<V> row = x_.row(i);
    score(row, scores);
    const std::int32_t gold = examples_.gold[i];
    const Verdict verdict = rule_.judge(scores, gold, residual_.data());
    const double cost = examples_.cost[i];
    pass.loss += cost * verdict.loss;
    pass.errors += verdict.error && cost > 0.0;
    if (!verdict.update || !(cost > 0.0)) return;
    ++pass.updates;
    if (rule_.pairs()) {
      std::fill(residual_.begin(), residual_.end(), 0.0);
      residual_[verdict.guess] += 1.0;
      residual_[gold] -= 1.0;
    }
    for (double& r : residual_) r *= cost;
    step(row);
  }

 private:
  float* cells(std::int64_t feature) const { return table_ + feature * 2 * columns_; }

  // What the row, or the next one, will ask for.
  LINNET_INLINE void prefetch(const std::int32_t* index) const {
    if (index + kAhead < end_) LINNET_PREFETCH(cells(index[kAhead]));
  }

  void score(const Row<V>& row, double* scores) const {
    const float* const bias = cells(x_.cols);
    for (std::int32_t c = 0; c < columns_; ++c) scores[c] = examples_.bias * bias[c];
    if (columns_ == 1) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < row.size; ++k) {
        prefetch(row.index + k);
        sum += value_at(row.value, k) * static_cast<double>(*cells(row.index[k]));
      }
      scores[0] += sum;
      return;
    }
    for (std::int64_t k = 0; k < row.size; ++k) {
      prefetch(row.index + k);
      const double value = value_at(row.value, k);
      const float* const weights = cells(row.index[k]);
      for (std::int32_t c = 0; c < columns_; ++c) scores[c] += value * weights[c];
    }
  }

  void step(const Row<V>& row) {
    std::int64_t k = 0;
    if (columns_ == 1) {
      for (; k + kTogether <= row.size; k += kTogether) step_together(row, k);
    }
    for (; k < row.size; ++k) step(cells(row.index[k]), value_at(row.value, k));
    if (examples_.bias != 0.0) step(cells(x_.cols), examples_.bias);
  }

  // Several weights side by side: roots and divisions, which take the time, are done at once. A row
  // has each feature once, so that none of them waits for another.
  void step_together(const Row<V>& row, std::int64_t first) {
    float gradient[kTogether], weight[kTogether], squares[kTogether];
    for (std::int64_t j = 0; j < kTogether; ++j) {
      const float* const cell = cells(row.index[first + j]);
      gradient[j] = static_cast<float>(residual_[0] * value_at(row.value, first + j));
      weight[j] = cell[0];
      squares[j] = cell[1];
    }
    for (std::int64_t j = 0; j < kTogether; ++j) move(gradient[j], rate_, weight[j], squares[j]);
    for (std::int64_t j = 0; j < kTogether; ++j) {
      float* const cell = cells(row.index[first + j]);
      cell[0] = weight[j];
      cell[1] = squares[j];
    }
  }

  void step(float* weights, double value) {
    if (columns_ == 1) {
      move(static_cast<float>(residual_[0] * value), rate_, weights[0], weights[1]);
      return;
    }
    for (std::int32_t c = 0; c < columns_; ++c) {
      move(static_cast<float>(residual_[c] * value), rate_, weights[c], weights[columns_ + c]);
    }
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const Rule& rule_;
  const float rate_;
  const std::int32_t columns_;
  float* const table_;
  const std::int32_t* const end_;
  std::vector<double> residual_;  // [columns]
};

}  // namespace

OnlinePass adagrad_pass(const AnyCsr& any, const Examples& examples, const Rule& rule, double rate,
                        float* table, double* scores, ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) {
        Learner<V> learner(x, examples, rule, rate, table);
        OnlinePass pass;
        for (std::int64_t i = 0; i < x.rows; ++i) {
          if (i % kRowsPerPoll == 0) pool.checkpoint();
          learner.meet(i, scores + i * rule.width(), pass);
        }
        return pass;
      },
      any);
}

}  // namespace linnet
