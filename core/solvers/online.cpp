// One pass of online learning (online.hpp): score an example, judge it, step.
//
// Long rows are shared between two threads, each with its half of the features and of the weights
// (halves.hpp); both take the same decisions.
#include "online.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "../structures/flat.hpp"
#include "halves.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kStepsPerPoll = 64;
constexpr std::int64_t kAhead = 3;      // rows between a prefetch and its use
constexpr std::int64_t kFar = 1 << 20;  // stored values that caches do not hold
constexpr int kLeft = 0, kRight = 1, kAlone = 2;

// |a - b|^2 of two rows with ascending columns
template <class V>
double squared_distance(const Row<V>& a, const Row<V>& b) {
  double sum = 0.0;
  std::int64_t i = 0, k = 0;
  while (i < a.size || k < b.size) {
    const bool take_a = k == b.size || (i < a.size && a.index[i] <= b.index[k]);
    const bool take_b = i == a.size || (k < b.size && b.index[k] <= a.index[i]);
    const double d = (take_a ? value_at(a.value, i) : 0.0) - (take_b ? value_at(b.value, k) : 0.0);
    sum += d * d;
    i += take_a;
    k += take_b;
  }
  return sum;
}

template <class V>
class Pass {
 public:
  // `side` is that of an exchange with a second thread, which owns its half of the weights; or
  // kAlone, for all of them.
  Pass(const Csr<V>& x, const Halves<V>& halves, const Examples& examples,
       const OnlineOptions& options, const double* squared_norms, double* weights, double* sums,
       OnlineState& state, const OnlineTrace& trace, int side, Exchange* exchange)
      : x_(x),
        halves_(halves),
        examples_(examples),
        options_(options),
        rule_(*options.rule),
        form_(rule_.form()),
        corrects_(rule_.corrects()),
        pairs_(rule_.pairs()),
        fetches_(form_ != Form::grouped && x.stored() >= kFar),
        norms_(squared_norms),
        all_weights_(weights),
        all_sums_(sums),
        state_(state),
        trace_(trace),
        side_(side),
        exchange_(exchange),
        width_(rule_.width()),
        scores_(static_cast<std::size_t>(width_)),
        partial_(scores_.size()),
        amount_(scores_.size()),
        residual_(static_cast<std::size_t>(options.batch) * scores_.size()),
        verdict_(static_cast<std::size_t>(options.batch)) {
    take_weights();
    if (options.truncation > 0.0) weights_->truncate_lazily();
    if (options.radius > 0.0) weights_->track_norm();
  }

  OnlinePass run(const std::int64_t* order, std::int64_t n, const double* rates, ThreadPool& pool) {
    for (std::int64_t first = 0, t = 0; first < n; first += options_.batch, ++t) {
      const std::int64_t size = std::min(options_.batch, n - first);
      if (options_.averaging == Averaging::before) weights_->grow_sums();
      if (options_.truncation > 0.0 && !corrects_) weights_->truncate(options_.truncation);
      bool update = false;
      for (std::int64_t b = 0; b < size; ++b) {
        if (fetches_) next_ = coming(order[std::min(first + b + kAhead, n - 1)]);
        update |= meet(order[first + b], b, first + b, pool);
      }
      step(order + first, size, rates[t], update, first);
      if (t % kStepsPerPoll == 0) pool.checkpoint();
      if (side_ == kAlone || together_) continue;
      exchange_->part(side_, first + 1, pool);
      if (side_ == kRight) return result_;
      side_ = kAlone;  // the left goes on with all weights
      take_weights();
    }
    weights_->flush();
    return result_;
  }

 private:
  // Rows come in no order, so the hardware does not see the next one coming; those of small data
  // are near anyway. Where exactly a row is cut is not known before it is there; the middle is near
  // enough.
  Row<V> coming(std::int64_t i) const {
    Row<V> row = x_.row(i);
    if (side_ == kRight) {
      row.index += row.size / 2;
      row.value = advance(row.value, row.size / 2);
    }
    if (side_ != kAlone) row.size /= 2;
    return row;
  }

  // scores_ = x_i W, as the sum of a left and a right half where rows may be shared
  void score(std::int64_t i, std::int64_t at, ThreadPool& pool) {
    const Row<V>* next = fetches_ ? &next_ : nullptr;
    if (form_ == Form::grouped) {
      for (std::int32_t k = 0; k < width_; ++k) {
        weights_->score(x_.row(i * width_ + k), true, scores_.data() + k);
      }
    } else if (side_ != kAlone) {
      mine_ = side_ == kLeft ? halves_.left(i) : halves_.right(i);
      weights_->score(mine_, side_ == kRight, scores_.data(), next);
      together_ = exchange_->add_up(side_, at + 1, scores_.data(), width_, pool);
    } else if (!halves_.shared()) {
      weights_->score(x_.row(i), true, scores_.data(), next);
    } else {
      const auto [left, right] = halves_.both(i);
      weights_->score(left, false, scores_.data(), next);
      weights_->score(right, true, partial_.data());
      for (std::int32_t k = 0; k < width_; ++k) scores_[k] += partial_[k];
    }
  }

  void take_weights() {
    const std::int64_t first = side_ == kRight ? halves_.cut() : 0;
    const std::int64_t last = side_ == kLeft ? halves_.cut() : x_.cols;
    weights_.emplace(x_.cols, rule_.columns(), examples_.bias, examples_.penalize_bias,
                     all_weights_, all_sums_, state_, first, last);
  }

  // What of row i this thread updates; two threads meet one row at a time, the one just scored.
  Row<V> part(std::int64_t i) const { return side_ == kAlone ? x_.row(i) : mine_; }

  // Scores example i; its residual and verdict become number b of the batch.
  bool meet(std::int64_t i, std::int64_t b, std::int64_t at, ThreadPool& pool) {
    score(i, at, pool);
    Verdict& verdict = verdict_[b];
    verdict = rule_.judge(scores_.data(), examples_.gold[i], residual_.data() + b * width_);
    const double cost = examples_.cost[i];
    verdict.update &= cost > 0.0;
    result_.loss += cost * verdict.loss;
    result_.errors += verdict.error && cost > 0.0;
    if (trace_.scores != nullptr) {
      std::copy(scores_.begin(), scores_.end(), trace_.scores + at * width_);
      trace_.guess[at] = verdict.guess;
      trace_.loss[at] = verdict.loss;
    }
    return verdict.update;
  }

  void step(const std::int64_t* batch, std::int64_t size, double rate, bool update,
            std::int64_t first) {
    if (options_.truncation > 0.0 && update && corrects_) {
      weights_->truncate(options_.truncation);
    }
    if (options_.decay > 0.0) weights_->shrink(1.0 - options_.decay * rate);
    std::int64_t moved = 0;
    for (std::int64_t b = 0; b < size; ++b) {
      const double length = verdict_[b].update ? step_length(batch[b], verdict_[b], rate) : 0.0;
      if (trace_.step != nullptr) trace_.step[first + b] = length;
      if (length == 0.0) continue;
      add(batch[b], b, length / static_cast<double>(size));
      ++moved;
    }
    if (options_.radius > 0.0) project();
    result_.updates += moved;
    state_.steps += 1.0;
    state_.updates += moved > 0;
    if (options_.averaging == Averaging::after ||
        (options_.averaging == Averaging::mistakes && moved > 0)) {
      weights_->grow_sums();
    }
  }

  double step_length(std::int64_t i, const Verdict& verdict, double rate) const {
    double squared_length = 0.0;
    if (rule_.needs_length()) {
      const std::int64_t group = i * width_;
      squared_length = form_ == Form::grouped ? squared_distance(x_.row(group + examples_.gold[i]),
                                                                 x_.row(group + verdict.guess))
                                              : 2.0 * norms_[i];
    }
    return rule_.step(rate, examples_.cost[i], verdict.loss, squared_length);
  }

  // W -= length x residual^T for example i, number b of the batch
  void add(std::int64_t i, std::int64_t b, double length) {
    const std::int32_t gold = examples_.gold[i], guess = verdict_[b].guess;
    double* residual = residual_.data() + b * width_;
    if (pairs_) {
      if (form_ == Form::joint && options_.radius == 0.0) {
        weights_->add_pair(part(i), gold, guess, length);
        return;
      }
      std::fill(residual, residual + width_, 0.0);
      residual[guess] += 1.0;
      residual[gold] -= 1.0;
    }
    for (std::int32_t k = 0; k < width_; ++k) amount_[k] = -length * residual[k];
    if (form_ != Form::grouped) {
      weights_->add(part(i), amount_.data());
      return;
    }
    for (std::int32_t k = 0; k < width_; ++k) {
      if (amount_[k] != 0.0) weights_->add(x_.row(i * width_ + k), amount_.data() + k);
    }
  }

  void project() {
    const double norm = std::sqrt(weights_->squared_norm());
    if (norm > options_.radius) weights_->shrink(options_.radius / norm);
  }

  const Csr<V>& x_;
  const Halves<V>& halves_;
  const Examples& examples_;
  const OnlineOptions& options_;
  const Rule& rule_;
  const Form form_;
  const bool corrects_, pairs_, fetches_;
  const double* norms_;
  double* const all_weights_;
  double* const all_sums_;
  OnlineState& state_;
  const OnlineTrace trace_;
  int side_;
  Exchange* const exchange_;
  bool together_ = true;
  Row<V> mine_{};  // this thread's half of the row just scored
  Row<V> next_{};  // what it needs of a row to come
  std::optional<LazyWeights> weights_;
  const std::int32_t width_;
  std::vector<double> scores_, partial_, amount_;  // [width]
  std::vector<double> residual_;                   // [batch][width]
  std::vector<Verdict> verdict_;                   // [batch]
  OnlinePass result_;
};

template <class V>
OnlinePass run_pass(const Csr<V>& x, const Examples& examples, const OnlineOptions& options,
                    const std::int64_t* order, std::int64_t n, const double* rates,
                    const double* squared_norms, double* weights, double* sums, OnlineState& state,
                    const OnlineTrace& trace, ThreadPool& pool) {
  const std::int32_t columns = options.rule->columns();
  const Halves<V> halves(x, options.rule->form() == Form::grouped ? 0 : columns, nullptr);
  if (options.averaging == Averaging::none) sums = nullptr;
  auto run = [&](int side, OnlineState& own, const OnlineTrace& seen, Exchange* exchange) {
    return Pass<V>(x, halves, examples, options, squared_norms, weights, sums, own, seen, side,
                   exchange)
        .run(order, n, rates, pool);
  };
  // Truncation and projection look at all weights, a batch at several rows: one thread for them.
  const bool plain = options.truncation == 0.0 && options.radius == 0.0 && options.batch == 1;
  if (!plain || !halves.shared() || pool.threads() < 2 || n < x.rows / 2) {
    return run(kAlone, state, trace, nullptr);
  }
  struct alignas(128) Side {  // apart, for both threads write theirs at every step
    OnlineState state;
    OnlinePass pass;
  };
  Side sides[2] = {{state, {}}, {state, {}}};
  Exchange exchange(columns);
  exchange.reset(options.pace);
  pool.run(2, [&](std::int64_t side) {
    sides[side].pass = run(static_cast<int>(side), sides[side].state,
                           side == kLeft ? trace : OnlineTrace{}, &exchange);
  });
  state = sides[kLeft].state;
  return sides[kLeft].pass;
}

}  // namespace

OnlinePass online_pass(const AnyCsr& any, const Examples& examples, const OnlineOptions& options,
                       const std::int64_t* order, std::int64_t n, const double* rates,
                       const double* squared_norms, double* weights, double* sums,
                       OnlineState& state, const OnlineTrace& trace, ThreadPool& pool) {
  return std::visit(
      [&](const auto& x) {
        return run_pass(x, examples, options, order, n, rates, squared_norms, weights, sums, state,
                        trace, pool);
      },
      any);
}

}  // namespace linnet
