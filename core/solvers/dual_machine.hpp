// One dual coordinate descent over a group of columns: its sweeps over the rows, and the weights
// W = X^T A that go with its dual variables. Two threads may share a sweep (halves.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "../structures/flat.hpp"
#include "dual_face.hpp"
#include "dual_rule.hpp"
#include "halves.hpp"
#include "sleepers.hpp"

namespace linnet {

template <class V>
class DualMachine {
 public:
  // `weights` is [J + 1][width of the rule], all 0; it becomes X^T of the rule's coefficients.
  DualMachine(const Csr<V>& x, const Halves<V>& halves, double bias, const double* norms,
              std::unique_ptr<DualRule> rule, double* weights)
      : x_(x),
        halves_(halves),
        bias_(bias),
        norms_(norms),
        width_(rule->width()),
        weights_(weights),
        exchange_(width_),
        left_{std::move(rule), Sleepers(x.rows, width_ == 1 ? kTogether : 1)} {
    std::vector<double> amount(static_cast<std::size_t>(width_));
    for (std::int64_t i = 0; i < x.rows; ++i) {
      left_.rule->coefficients(i, amount.data());
      if (std::any_of(amount.begin(), amount.end(), [](double a) { return a != 0.0; })) {
        add(i, amount.data(), kBoth);
        zero_ = false;
      }
    }
  }

  // One pass over the rows that are awake. `share` asks for two threads of the pool, one for each
  // half of the features, where rows are long enough.
  void sweep(std::int64_t epoch, std::uint64_t seed, bool share, ThreadPool& pool) {
    zero_ = false;
    const bool rests = rest_ > 0 && rest_-- > 0;
    if (!share || !halves_.shared() || pool.threads() < 2 || rests) {
      run(left_, kBoth, epoch, seed, pool);
      right_.reset();
      return;
    }
    if (!right_) right_ = std::make_unique<Side>(left_.copy());
    exchange_.reset();
    pool.run(2, [&](std::int64_t side) {
      run(side == 0 ? left_ : *right_, static_cast<int>(side), epoch, seed, pool);
    });
    if (!exchange_.parted()) return;
    right_.reset();
    rest_ = last_rest_ = std::min(64, 2 * last_rest_ + 1);
  }

  // Adds rows first..last-1 to the sums of each problem.
  void measure(std::int64_t first, std::int64_t last, double* loss, double* gap) const {
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    for (std::int64_t i = first; i < last; ++i) {
      if (!zero_) score(i, scores.data());
      left_.rule->measure(i, scores.data(), loss, gap);
    }
  }

  // Solves one problem on its face: all its dual variables inside their bounds at once.
  void solve_face(std::int32_t problem, ThreadPool& pool) {
    DualRule& rule = *left_.rule;
    const auto [first, count] = rule.columns_of(problem);
    Face<V> face(x_, bias_, count, rule.is_balanced());
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    std::vector<Coordinate> free;
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      if (norms_[i] == 0.0 || !rule.is_inside(problem, i)) continue;
      if (count == 1) {
        scores[0] = score_column(i, first);
      } else {
        score(i, scores.data());
      }
      rule.free(problem, i, scores.data(), free);
      face.add(i, norms_[i], rule.cost(i), free);
    }
    face.solve(kNegligible * rule.allowed(problem), rule.most(), rule.slack(), pool);
    for (std::int64_t r = 0; r < face.rows(); ++r) {
      const std::int64_t i = face.row(r);
      rule.take(problem, i, face.begin(r), face.end(r));
      for (const Coordinate* c = face.begin(r); c != face.end(r); ++c) {
        add_to_column(i, first + c->column, c->sign * face.change(c));
      }
    }
  }

  void faces_solved() { right_.reset(); }  // what it knew of the duals is no longer so

  void certified(const double* objective, const double* gap) {
    left_.rule->certified(objective, gap);
    if (right_) right_->rule->certified(objective, gap);
  }

  void wake_all() {
    left_.sleepers.wake_all();
    if (right_) right_->sleepers.wake_all();
  }

  // |W|^2 of each column
  void squares(double* out) const {
    std::fill(out, out + width_, 0.0);
    for (std::int64_t j = 0; j < weight_rows(); ++j) {
      const double* row = weights_ + j * width_;
      for (std::int32_t c = 0; c < width_; ++c) out[c] += row[c] * row[c];
    }
  }

  const DualRule& rule() const { return *left_.rule; }
  double estimate() const { return left_.estimate; }
  std::int64_t work() const { return left_.work; }
  const double* weights() const { return weights_; }
  std::int64_t weight_rows() const { return x_.cols + (bias_ != 0.0 ? 1 : 0); }

 private:
  // With one column, reading the rows takes longer than reading the weights.
  static constexpr std::int64_t kTogether = 16;
  static constexpr std::int64_t kAhead = 2;  // rows between a prefetch and its use
  static constexpr int kLeft = 0, kRight = 1, kBoth = 2;

  // The dual state of one thread; two threads make the same decisions from their own copies.
  struct Side {
    std::unique_ptr<DualRule> rule;
    Sleepers sleepers;
    double estimate = 0.0;  // sum of the gap shares met during the sweep
    std::int64_t work = 0;  // stored values read during the sweep

    Side copy() const { return {rule->clone(), sleepers, estimate, work}; }
  };

  void run(Side& side, int part, std::int64_t epoch, std::uint64_t seed, ThreadPool& pool) {
    std::vector<double> scores(static_cast<std::size_t>(2 * width_)), amount(scores);
    const auto& order = side.sleepers.awake(epoch, seed);
    const auto n = static_cast<std::int64_t>(order.size());
    side.estimate = 0.0;
    side.work = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      if (k % 512 == 0) pool.checkpoint();
      if (k + kAhead < n) prefetch(order[k + kAhead], part);
      const std::int32_t i = order[k];
      bool together = part != kBoth;
      if (together) {
        score_part(i, part, scores.data());
        together = exchange_.add_up(part, k + 1, scores.data(), pool);
      } else {
        score(i, scores.data());
      }
      const Visit visit = side.rule->step(i, scores.data(), norms_[i], amount.data());
      if (visit.moved) add(i, amount.data(), part);
      side.sleepers.visited(i, epoch, visit.mattered);
      side.estimate += visit.share;
      side.work += x_.start[i + 1] - x_.start[i];
      if (part == kBoth || together) continue;
      exchange_.part(part, k + 1, pool);
      if (part == kRight) return;
      part = kBoth;  // the left goes on alone
    }
  }

  void prefetch(std::int64_t i, int part) const {
    const Row<V> row = part == kBoth   ? x_.row(i)
                       : part == kLeft ? halves_.left(i)
                                       : halves_.right(i);
    flat::prefetch_row(row);
  }

  // The bias belongs to the right half.
  void score_part(std::int64_t i, int part, double* out) const {
    flat::score(part == kLeft ? halves_.left(i) : halves_.right(i), weights_, width_, out);
    if (part == kLeft || bias_ == 0.0) return;
    const double* row = weights_ + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += bias_ * row[c];
  }

  // out[2 * width]: the scores, then scratch
  void score(std::int64_t i, double* out) const {
    score_part(i, kLeft, out);
    score_part(i, kRight, out + width_);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += out[width_ + c];
  }

  void add(std::int64_t i, const double* amount, int part) {
    if (part != kRight) add_row(halves_.left(i), amount);
    if (part == kLeft) return;
    add_row(halves_.right(i), amount);
    if (bias_ == 0.0) return;
    double* row = weights_ + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) row[c] += bias_ * amount[c];
  }

  double score_column(std::int64_t i, std::int32_t column) const {
    const Row<V> x = x_.row(i);
    const double* at = weights_ + column;
    double sum = bias_ == 0.0 ? 0.0 : bias_ * at[x_.cols * static_cast<std::int64_t>(width_)];
    for (std::int64_t k = 0; k < x.size; ++k) {
      sum += value_at(x.value, k) * at[x.index[k] * static_cast<std::int64_t>(width_)];
    }
    return sum;
  }

  void add_to_column(std::int64_t i, std::int32_t column, double amount) {
    const Row<V> x = x_.row(i);
    double* at = weights_ + column;
    if (bias_ != 0.0) at[x_.cols * static_cast<std::int64_t>(width_)] += bias_ * amount;
    for (std::int64_t k = 0; k < x.size; ++k) {
      at[x.index[k] * static_cast<std::int64_t>(width_)] += amount * value_at(x.value, k);
    }
  }

  // Where few of many columns change, only those are written.
  void add_row(const Row<V>& x, const double* amount) {
    constexpr std::int32_t kFew = 4;
    std::int32_t changed[kFew], count = 0;
    for (std::int32_t c = 0; c < width_ && count <= kFew; ++c) {
      if (amount[c] == 0.0) continue;
      if (count < kFew) changed[count] = c;
      ++count;
    }
    if (count > kFew || width_ < 3 * count) {
      flat::add(x, amount, width_, weights_);
      return;
    }
    for (std::int64_t n = 0; n < x.size; ++n) {
      double* row = weights_ + x.index[n] * static_cast<std::int64_t>(width_);
      const double v = value_at(x.value, n);
      for (std::int32_t k = 0; k < count; ++k) row[changed[k]] += v * amount[changed[k]];
    }
  }

  const Csr<V>& x_;
  const Halves<V>& halves_;
  const double bias_;
  const double* norms_;  // [rows]
  const std::int32_t width_;
  double* weights_;  // [J + 1][width]
  Exchange exchange_;
  Side left_;                     // also the state of a thread that works alone
  std::unique_ptr<Side> right_;   // made when a second thread first joins
  bool zero_ = true;              // all weights are still 0
  int rest_ = 0, last_rest_ = 0;  // sweeps to make alone after the cores were taken; the last such
};

}  // namespace linnet
