#include "online.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../structures/flat.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block of parallel work
constexpr std::int64_t kWeightsPerBlock = 1 << 16;
constexpr std::int64_t kStepsPerPoll = 64;
constexpr std::int64_t kPerLine = 16;  // column ids in a cache line

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
  Pass(const Csr<V>& x, const Examples& examples, const OnlineOptions& options,
       const double* squared_norms, LazyWeights& weights, OnlineState& state,
       const OnlineTrace& trace)
      : x_(x), examples_(examples), options_(options), rule_(options.rule), norms_(squared_norms),
        weights_(weights), state_(state), trace_(trace), width_(rule_.width()),
        scores_(static_cast<std::size_t>(width_)), amount_(scores_.size()),
        residual_(static_cast<std::size_t>(options.batch) * scores_.size()),
        verdict_(static_cast<std::size_t>(options.batch)) {}

  OnlinePass run(const std::int64_t* order, std::int64_t n, const double* rates,
                 Progress& progress) {
    for (std::int64_t first = 0, t = 0; first < n; first += options_.batch, ++t) {
      const std::int64_t size = std::min(options_.batch, n - first);
      if (options_.averaging == Averaging::before) weights_.grow_sums();
      if (options_.truncation > 0.0 && !rule_.corrects()) weights_.truncate(options_.truncation);
      bool update = false;
      for (std::int64_t b = 0; b < size; ++b) {
        if (rule_.form != Form::grouped && first + b + 2 < n) prefetch(order[first + b + 2]);
        update |= meet(order[first + b], b, first + b);
      }
      step(order + first, size, rates[t], update, first);
      if (t % kStepsPerPoll == 0) progress.poll();
    }
    weights_.flush();
    return result_;
  }

 private:
  // Rows come in no order, so the hardware does not see the next one coming.
  void prefetch(std::int64_t i) const {
    const Row<V> row = x_.row(i);
    for (std::int64_t k = 0; k < row.size; k += kPerLine) {
      LINNET_PREFETCH(row.index + k);
      LINNET_PREFETCH(advance(row.value, k));
    }
  }

  // Scores example i; its residual and verdict become number b of the batch.
  bool meet(std::int64_t i, std::int64_t b, std::int64_t at) {
    if (rule_.form == Form::grouped) {
      for (std::int32_t k = 0; k < width_; ++k) {
        weights_.score(x_.row(i * width_ + k), scores_.data() + k);
      }
    } else {
      weights_.score(x_.row(i), scores_.data());
    }
    Verdict& verdict = verdict_[b];
    verdict = rules::judge(rule_, scores_.data(), examples_.gold[i],
                           residual_.data() + b * width_);
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
    if (options_.truncation > 0.0 && update && rule_.corrects()) {
      weights_.truncate(options_.truncation);
    }
    if (options_.decay > 0.0) weights_.shrink(1.0 - options_.decay * rate);
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
      weights_.grow_sums();
    }
  }

  double step_length(std::int64_t i, const Verdict& verdict, double rate) const {
    const double cost = examples_.cost[i];
    if (rule_.name != RuleName::mira) return rate * cost;
    const std::int64_t group = i * width_;
    const double squared_length =
        rule_.form == Form::grouped
            ? squared_distance(x_.row(group + examples_.gold[i]), x_.row(group + verdict.guess))
            : 2.0 * norms_[i];
    if (squared_length == 0.0) return 0.0;  // SPEC A-62
    return rate * rules::mira_step(rule_, verdict.loss, squared_length, cost);
  }

  // W -= length x residual^T for example i, number b of the batch
  void add(std::int64_t i, std::int64_t b, double length) {
    const std::int32_t gold = examples_.gold[i], guess = verdict_[b].guess;
    double* residual = residual_.data() + b * width_;
    if (rule_.pairs()) {
      if (rule_.form == Form::joint && options_.radius == 0.0) {
        weights_.add_pair(x_.row(i), gold, guess, length);
        return;
      }
      std::fill(residual, residual + width_, 0.0);
      residual[guess] += 1.0;
      residual[gold] -= 1.0;
    }
    for (std::int32_t k = 0; k < width_; ++k) amount_[k] = -length * residual[k];
    if (rule_.form != Form::grouped) {
      weights_.add(x_.row(i), amount_.data());
      return;
    }
    for (std::int32_t k = 0; k < width_; ++k) {
      if (amount_[k] != 0.0) weights_.add(x_.row(i * width_ + k), amount_.data() + k);
    }
  }

  void project() {
    const double norm = std::sqrt(weights_.squared_norm());
    if (norm > options_.radius) weights_.shrink(options_.radius / norm);
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const OnlineOptions& options_;
  const Rule& rule_;
  const double* norms_;
  LazyWeights& weights_;
  OnlineState& state_;
  const OnlineTrace& trace_;
  const std::int32_t width_;
  std::vector<double> scores_, amount_;  // [width]
  std::vector<double> residual_;         // [batch][width]
  std::vector<Verdict> verdict_;         // [batch]
  OnlinePass result_;
};

}  // namespace

OnlinePass online_pass(const AnyCsr& any, const Examples& examples, const OnlineOptions& options,
                       const std::int64_t* order, std::int64_t n, const double* rates,
                       const double* squared_norms, double* weights, double* sums,
                       OnlineState& state, const OnlineTrace& trace, Progress& progress) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) {
        LazyWeights lazy(x.cols, options.rule.columns(), examples.bias, examples.penalize_bias,
                         weights, options.averaging == Averaging::none ? nullptr : sums, state);
        if (options.truncation > 0.0) lazy.truncate_lazily();
        if (options.radius > 0.0) lazy.track_norm();
        return Pass<V>(x, examples, options, squared_norms, lazy, state, trace)
            .run(order, n, rates, progress);
      },
      any);
}

bool online_weights(const double* weights, const double* sums, const OnlineState& state,
                    double count, std::int64_t bias_from, std::int64_t size, double* out,
                    ThreadPool& pool) {
  const double unusable = pool.sum(size, kWeightsPerBlock, [&](std::int64_t first,
                                                               std::int64_t last) {
    std::int64_t found = 0;
    for (std::int64_t n = first; n < last; ++n) {
      const bool is_bias = n >= bias_from;
      out[n] = sums == nullptr
                   ? (is_bias ? state.bias_scale : state.scale) * weights[n]
                   : ((is_bias ? state.bias_sum : state.sum) * weights[n] - sums[n]) / count;
      found += !std::isfinite(out[n]);
    }
    return static_cast<double>(found);
  });
  return unusable == 0.0;
}

double total_loss(const AnyCsr& any, const Examples& examples, const Rule& rule,
                  const double* weights, ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) {
        const std::int32_t width = rule.width(), columns = rule.columns();
        const std::int64_t per = rule.form == Form::grouped ? width : 1;  // matrix rows each
        const double* bias = weights + x.cols * static_cast<std::int64_t>(columns);
        return pool.sum(x.rows / per, kGrain, [&](std::int64_t first, std::int64_t last) {
          std::vector<double> scores(static_cast<std::size_t>(width)), residual(scores.size());
          double sum = 0.0;
          for (std::int64_t i = first; i < last; ++i) {
            for (std::int64_t r = 0; r < per; ++r) {
              flat::score(x.row(i * per + r), weights, columns, scores.data() + r);
            }
            for (std::int32_t k = 0; examples.bias != 0.0 && k < columns; ++k) {
              scores[k] += examples.bias * bias[k];
            }
            sum += examples.cost[i] *
                   rules::judge(rule, scores.data(), examples.gold[i], residual.data()).loss;
          }
          return sum;
        });
      },
      any);
}

void squared_norms(const AnyCsr& any, double bias, double* out, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        pool.ranges(x.rows, kGrain, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            out[i] = flat::squared_norm(x.row(i)) + bias * bias;
          }
        });
      },
      any);
}

}  // namespace linnet
