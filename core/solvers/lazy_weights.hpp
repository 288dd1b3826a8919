// Weights that decay, are averaged and are truncated at a cost that grows with the stored values
// of one row only (SPEC C-23).
//
//   decay, average   lazy_average.hpp
//   truncation       truncation.hpp
//
// V and A are [(J + 1)][columns], the last row belonging to the bias, which has a scale of its own
// because it may be free of decay. The caller owns them and the state.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "../lazy_average.hpp"
#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "../views.hpp"
#include "truncation.hpp"

namespace linnet {

struct OnlineState {
  double steps = 0.0;    // steps made
  double updates = 0.0;  // steps that added an example to the weights
  LazyAverage weights, bias;
};

class LazyWeights {
 public:
  // `sums` is A, or null when no average is wanted. Only features first..last-1 are this object's
  // to change, and the bias if they reach the end.
  LazyWeights(std::int64_t features, std::int32_t columns, double bias, bool bias_decays,
              double* weights, double* sums, OnlineState& state, std::int64_t first,
              std::int64_t last)
      : features_(features),
        first_(first),
        last_(last),
        columns_(columns),
        bias_(last == features ? bias : 0.0),
        bias_decays_(bias_decays),
        least_scale_(LazyAverage::least_scale(sums != nullptr)),
        weights_(weights),
        sums_(sums),
        state_(state),
        inner_(static_cast<std::size_t>(columns)),
        later_(inner_.size()) {}

  std::int32_t columns() const { return columns_; }

  void truncate_lazily() { truncation_.emplace(features_, columns_, weights_, sums_); }
  void truncate(double amount) {
    truncation_->event(amount / std::abs(state_.weights.scale), state_.weights.sum);
  }
  void flush() {
    if (truncation_) truncation_->flush();
  }

  // out[k] = sum_j x_j W[j][k], and bias W[J][k] where `with_bias`. The memory of the row `next`,
  // if there is one, is asked for meanwhile.
  template <class V>
  void score(const Row<V>& x, bool with_bias, double* out, const Row<V>* next = nullptr) {
    catch_up(x);
    if (next == nullptr) {
      flat::score(x, weights_, columns_, out);
    } else {
      flat::score(x, weights_, columns_, out, *next);
    }
    const double* bias = bias_row(weights_);
    for (std::int32_t k = 0; k < columns_; ++k) {
      out[k] *= state_.weights.scale;
      if (with_bias && bias_ != 0.0) out[k] += bias_ * state_.bias.scale * bias[k];
    }
  }

  // W[j][k] += amount[k] x_j, the bias included if it is this object's
  template <class V>
  void add(const Row<V>& x, const double* amount) {
    catch_up(x);
    for (std::int32_t k = 0; k < columns_; ++k) {
      inner_[k] = state_.weights.inside(amount[k]);
      later_[k] = state_.weights.later(inner_[k]);
    }
    if (tracks_norm_) note_growth(x);
    flat::add(x, inner_.data(), columns_, weights_);
    if (sums_ != nullptr) flat::add(x, later_.data(), columns_, sums_);
    for (std::int32_t k = 0; k < columns_; ++k) add_bias(k, amount[k]);
  }

  // W[j][up] += amount x_j and W[j][down] -= amount x_j, the bias likewise
  template <class V>
  void add_pair(const Row<V>& x, std::int32_t up, std::int32_t down, double amount) {
    catch_up(x);
    const double inner = state_.weights.inside(amount), later = state_.weights.later(inner);
    const auto stride = static_cast<std::int64_t>(columns_);
    for (std::int64_t k = 0; k < x.size; ++k) {
      const double v = value_at(x.value, k);
      double* row = weights_ + x.index[k] * stride;
      row[up] += inner * v;
      row[down] -= inner * v;
    }
    if (sums_ != nullptr) {
      for (std::int64_t k = 0; k < x.size; ++k) {
        if (k + kAhead < x.size) {
          LINNET_PREFETCH(sums_ + x.index[k + kAhead] * stride + up);
          LINNET_PREFETCH(sums_ + x.index[k + kAhead] * stride + down);
        }
        const double v = value_at(x.value, k);
        double* row = sums_ + x.index[k] * stride;
        row[up] += later * v;
        row[down] -= later * v;
      }
    }
    add_bias(up, amount);
    add_bias(down, -amount);
  }

  // W *= factor, the bias included if it decays. A tiny or zero scale is folded into V.
  void shrink(double factor) {
    state_.weights.scale *= factor;
    if (bias_decays_) state_.bias.scale *= factor;
    if (state_.weights.is_far_from(least_scale_)) fold();
  }

  // Counts the current weights into the average.
  void grow_sums() {
    state_.weights.count();
    state_.bias.count();
  }

  // From now on squared_norm() is |W|^2, the bias included if it decays.
  void track_norm() {
    tracks_norm_ = true;
    const std::int64_t end = (features_ + (bias_ != 0.0 && bias_decays_ ? 1 : 0)) * columns_;
    squared_ = 0.0;
    for (std::int64_t n = 0; n < end; ++n) squared_ += weights_[n] * weights_[n];
  }
  double squared_norm() const { return squared_ * state_.weights.scale * state_.weights.scale; }

 private:
  static constexpr std::int64_t kAhead = 16;

  double* bias_row(double* table) const { return table + features_ * columns_; }

  template <class V>
  void catch_up(const Row<V>& x) {
    if (!truncation_) return;
    for (std::int64_t k = 0; k < x.size; ++k) truncation_->catch_up(x.index[k]);
  }

  void add_bias(std::int32_t k, double amount) {
    if (bias_ == 0.0) return;
    const double inner = state_.bias.inside(amount * bias_);
    double& w = bias_row(weights_)[k];
    if (tracks_norm_ && bias_decays_) squared_ += inner * (2.0 * w + inner);
    w += inner;
    if (sums_ != nullptr) bias_row(sums_)[k] += state_.bias.later(inner);
  }

  // |V + a x|^2 - |V|^2 for the coming addition of inner_
  template <class V>
  void note_growth(const Row<V>& x) {
    scratch_.resize(inner_.size());
    flat::score(x, weights_, columns_, scratch_.data());
    const double length = flat::squared_norm(x);
    for (std::int32_t k = 0; k < columns_; ++k) {
      squared_ += inner_[k] * (2.0 * scratch_[k] + inner_[k] * length);
    }
  }

  void fold() {
    flush();
    fold(state_.weights, first_, last_);
    squared_ *= state_.weights.scale * state_.weights.scale;
    state_.weights.restart();
    if (bias_ != 0.0) fold(state_.bias, features_, features_ + 1);
    state_.bias.restart();
  }
  void fold(const LazyAverage& average, std::int64_t first, std::int64_t last) {
    const std::int64_t from = first * columns_;
    average.fold(weights_ + from, sums_ == nullptr ? nullptr : sums_ + from,
                 (last - first) * columns_);
  }

  std::int64_t features_, first_, last_;
  std::int32_t columns_;
  double bias_;
  bool bias_decays_;
  double least_scale_;
  double* weights_;
  double* sums_;
  OnlineState& state_;
  std::vector<double> inner_, later_, scratch_;  // [columns]
  std::optional<Truncation> truncation_;
  bool tracks_norm_ = false;
  double squared_ = 0.0;  // |V|^2
};

}  // namespace linnet
