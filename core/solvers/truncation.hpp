// L1 truncation at every update, done lazily (SPEC M-45, M-67, C-23).
//
// Each update first pulls every weight towards 0 by the same amount. A feature's weights are
// brought up to date only when an example has the feature, or when all are flushed. Event e took
// amount_e off while the running sum of the average stood at sum_e; with the prefix sums
//
//   total_e = sum of amount_1..e,      weighted_e = sum of amount_i * sum_i over 1..e
//
// any run of missed events is one subtraction, and the event at which a weight reached 0 is found
// by bisection, so the average stays exact too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace linnet {

class Truncation {
 public:
  // weights and sums are [features][columns]; sums may be null.
  Truncation(std::int64_t features, std::int32_t columns, double* weights, double* sums)
      : columns_(columns),
        weights_(weights),
        sums_(sums),
        seen_(static_cast<std::size_t>(features)) {}

  void event(double amount, double sum) {
    total_.push_back(total_.back() + amount);
    weighted_.push_back(weighted_.back() + amount * sum);
    sum_.push_back(sum);
  }

  void catch_up(std::int64_t feature) {
    const std::size_t now = total_.size() - 1;
    std::size_t& seen = seen_[static_cast<std::size_t>(feature)];
    if (seen == now) return;
    for (std::int64_t n = feature * columns_; n < (feature + 1) * columns_; ++n) {
      if (weights_[n] != 0.0) shrink(n, seen, now);
    }
    seen = now;
  }

  void flush() {
    for (std::size_t j = 0; j < seen_.size(); ++j) {
      catch_up(static_cast<std::int64_t>(j));
      seen_[j] = 0;
    }
    total_.resize(1);
    weighted_.resize(1);
    sum_.resize(1);
  }

 private:
  void shrink(std::int64_t n, std::size_t seen, std::size_t now) {
    const double size = std::abs(weights_[n]), sign = weights_[n] > 0.0 ? 1.0 : -1.0;
    if (size > total_[now] - total_[seen]) {
      weights_[n] -= sign * (total_[now] - total_[seen]);
      if (sums_ != nullptr) sums_[n] -= sign * (weighted_[now] - weighted_[seen]);
      return;
    }
    weights_[n] = 0.0;
    if (sums_ == nullptr) return;
    const auto from = total_.begin() + static_cast<std::ptrdiff_t>(seen);
    const auto reached = std::lower_bound(from, total_.end(), *from + size) - total_.begin();
    const std::size_t last = std::min(static_cast<std::size_t>(reached), now);
    const std::size_t before = std::max(last, seen + 1) - 1;
    const double rest = size - (total_[before] - total_[seen]);
    sums_[n] -= sign * (weighted_[before] - weighted_[seen] + rest * sum_[before + 1]);
  }

  std::int32_t columns_;
  double* weights_;
  double* sums_;
  std::vector<std::size_t> seen_;                   // [features] events applied
  std::vector<double> total_{0.0}, weighted_{0.0};  // [events + 1]
  std::vector<double> sum_{0.0};                    // [events + 1], sum_[e] of event e
};

}  // namespace linnet
