#include "kernels/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/row_cache.hpp"
#include "kernels/smo_passes.hpp"

namespace linnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-12;
// Hulls of the two classes nearer than this share of the data's extent are taken to touch.
constexpr double kTouching = 1e-4;

std::int64_t padded(std::int64_t n) { return (n + kSweep - 1) / kSweep * kSweep; }

template <class T>
void permute(std::vector<T>& values, const std::vector<std::int32_t>& from) {
  std::vector<T> moved(from.size());
  for (std::size_t p = 0; p < from.size(); ++p) {
    moved[p] = values[static_cast<std::size_t>(from[p])];
  }
  std::copy(moved.begin(), moved.end(), values.begin());
}

template <class V>
class Smo {
 public:
  Smo(KernelRows<V>& rows, const Machine& m, const SmoOptions& how, ThreadPool& pool)
      : how_(how),
        pool_(pool),
        rows_(rows),
        cache_(rows, m.n, padded(m.n), how.cache_bytes),
        n_(m.n),
        active_(m.n),
        ids_(m.ids, m.ids + m.n),
        origin_(ids_.size()),
        sign_(m.sign, m.sign + m.n),
        lower_(ids_.size()),
        upper_(ids_.size()),
        beta_(m.beta, m.beta + m.n),
        diagonal_(static_cast<std::size_t>(padded(m.n))),
        up_(diagonal_.size(), -kInfinity),
        low_(diagonal_.size(), kInfinity) {
    for (std::size_t t = 0; t < ids_.size(); ++t) {
      origin_[t] = static_cast<std::int32_t>(t);
      lower_[t] = sign_[t] > 0 ? 0.0 : -m.cost[t];
      upper_[t] = sign_[t] > 0 ? m.cost[t] : 0.0;
      beta_[t] = std::clamp(beta_[t], lower_[t], upper_[t]);
      diagonal_[t] = rows.diagonal(static_cast<std::int64_t>(t));
      set_slope(t, sign_[t]);
    }
  }

  SmoResult run(double* beta) {
    if (std::any_of(beta_.begin(), beta_.end(), [](double b) { return b != 0.0; })) {
      recompute_slopes(0);
    }
    best_ = extremes(up_.data(), low_.data(), padded(active_));
    SmoResult result;
    if (!std::all_of(diagonal_.begin(), diagonal_.end(), [](V k) { return std::isfinite(k); })) {
      result.end = SmoEnd::not_finite;
      return result;
    }
    const std::int64_t interval = std::min<std::int64_t>(std::max<std::int64_t>(n_, 64), 1000);
    while (true) {
      if (violation() <= how_.tolerance) {
        if (active_ == n_) break;
        unshrink();
        continue;
      }
      if (result.iterations >= how_.max_iterations) {
        result.end = SmoEnd::stopped;
        break;
      }
      if (++result.iterations % interval == 0) {
        if (classes_touch()) result.end = SmoEnd::unbounded;
        if (how_.shrinking) shrink();
      }
      if (result.iterations % 32 == 0) pool_.checkpoint();
      if (result.end == SmoEnd::unbounded || !step()) {
        result.end = SmoEnd::unbounded;
        break;
      }
    }
    if (active_ < n_) unshrink();
    finish(result);
    for (std::size_t p = 0; p < beta_.size(); ++p) {
      beta[static_cast<std::size_t>(origin_[p])] = beta_[p];
    }
    return result;
  }

 private:
  bool may_grow(std::size_t t) const { return beta_[t] < upper_[t]; }
  bool may_shrink(std::size_t t) const { return beta_[t] > lower_[t]; }

  double slope(std::size_t t) const { return up_[t] != -kInfinity ? up_[t] : low_[t]; }
  void set_slope(std::size_t t, double f) {
    up_[t] = may_grow(t) ? f : -kInfinity;
    low_[t] = may_shrink(t) ? f : kInfinity;
  }

  // How far the optimality conditions are from holding.
  double violation() const {
    if (how_.free_intercept) return best_.up - best_.low;
    return std::max(best_.up, -best_.low);
  }

  // One step; false when the objective has no bound in its direction.
  bool step() { return how_.free_intercept ? pair_step() : single_step(); }

  bool pair_step() {
    const std::int64_t i = best_.up_at;
    const V* row_i = cache_.row(i, active_);
    const std::int64_t j = best_partner(row_i, diagonal_.data(), diagonal_[as_size(i)], best_.up,
                                        low_.data(), padded(active_));
    const std::int64_t partner = j >= 0 ? j : best_.low_at;
    const V* row_j = cache_.row(partner, active_);
    const std::size_t a = as_size(i), b = as_size(partner);
    const double curve = static_cast<double>(diagonal_[a]) + static_cast<double>(diagonal_[b]) -
                         2.0 * static_cast<double>(row_i[partner]);
    const double room_a = upper_[a] - beta_[a], room_b = beta_[b] - lower_[b];
    const double free = (up_[a] - low_[b]) / std::max(curve, kTiny);
    const double size = std::min({free, room_a, room_b});
    if (curve <= kTiny && !(std::min(room_a, room_b) < kInfinity)) return false;
    const double f_a = up_[a], f_b = low_[b];
    beta_[a] = size == room_a ? upper_[a] : beta_[a] + size;
    beta_[b] = size == room_b ? lower_[b] : beta_[b] - size;
    set_slope(a, f_a);
    set_slope(b, f_b);
    best_ = subtract_rows(row_i, row_j, size, up_.data(), low_.data(), padded(active_));
    return true;
  }

  bool single_step() {
    const bool grow = gain(best_.up, best_.up_at) >= gain(-best_.low, best_.low_at);
    const std::int64_t i = grow ? best_.up_at : best_.low_at;
    const std::size_t a = as_size(i);
    const double f = grow ? up_[a] : low_[a], curve = static_cast<double>(diagonal_[a]);
    const double room = grow ? upper_[a] - beta_[a] : lower_[a] - beta_[a];
    const double free = f / std::max(curve, kTiny);
    const double size = grow ? std::min(free, room) : std::max(free, room);
    if (curve <= kTiny && !(std::abs(room) < kInfinity)) return false;
    beta_[a] = size == room ? (grow ? upper_[a] : lower_[a]) : beta_[a] + size;
    set_slope(a, f);
    best_ = subtract_rows(cache_.row(i, active_), static_cast<const V*>(nullptr), size, up_.data(),
                          low_.data(), padded(active_));
    return true;
  }

  double gain(double slope, std::int64_t at) const {
    if (slope <= 0.0) return 0.0;
    return slope * slope / std::max(static_cast<double>(diagonal_[as_size(at)]), kTiny);
  }

  // Takes examples out of the work that are at a bound and would stay there.
  void shrink() {
    const double m = how_.free_intercept ? best_.up : std::max(best_.up, 0.0);
    const double least = how_.free_intercept ? best_.low : std::min(best_.low, 0.0);
    std::vector<std::int32_t> order, dropped;
    for (std::int64_t p = 0; p < active_; ++p) {
      const std::size_t t = as_size(p);
      const bool stays_up = up_[t] == -kInfinity && low_[t] > m;
      const bool stays_low = low_[t] == kInfinity && up_[t] < least;
      (stays_up || stays_low ? dropped : order).push_back(static_cast<std::int32_t>(p));
    }
    if (static_cast<std::int64_t>(dropped.size()) * 8 < active_) return;
    const auto left = static_cast<std::int64_t>(order.size());
    order.insert(order.end(), dropped.begin(), dropped.end());
    for (auto* values : {&sign_, &lower_, &upper_, &beta_, &up_, &low_}) permute(*values, order);
    permute(diagonal_, order);
    permute(ids_, order);
    permute(origin_, order);
    cache_.arrange(order, active_);
    rows_.arrange(ids_.data(), n_);
    for (std::size_t t = as_size(left); t < as_size(active_); ++t) {
      up_[t] = -kInfinity;
      low_[t] = kInfinity;
    }
    active_ = left;
    best_ = extremes(up_.data(), low_.data(), padded(active_));
  }

  void unshrink() {
    const std::int64_t first = active_;
    active_ = n_;
    recompute_slopes(first);
    best_ = extremes(up_.data(), low_.data(), padded(active_));
  }

  // Sets F_t for t >= first from the variables alone.
  void recompute_slopes(std::int64_t first) {
    std::vector<double> f(sign_.begin() + first, sign_.end());
    for (std::int64_t s = 0; s < n_; ++s) {
      const double b = beta_[as_size(s)];
      if (b == 0.0) continue;
      const V* row = cache_.row(s, n_);
      for (std::int64_t t = first; t < n_; ++t) f[as_size(t - first)] -= b * row[t];
      if (s % 32 == 0) pool_.checkpoint();
    }
    for (std::int64_t t = first; t < n_; ++t) set_slope(as_size(t), f[as_size(t - first)]);
  }

  double squared_norm() const {  // of w; variables out of the work count once they are back
    double sum = 0.0;
    for (std::int64_t p = 0; p < active_; ++p) {
      const std::size_t t = as_size(p);
      if (beta_[t] != 0.0) sum += beta_[t] * (sign_[t] - slope(t));
    }
    return sum;
  }

  // With infinite costs the variables grow for ever if the classes cannot be separated; the points
  // of the two hulls that they average to then meet.
  bool classes_touch() const {
    if (upper_[0] - lower_[0] < kInfinity) return false;
    double total = 0.0, extent = 0.0;
    for (std::size_t t = 0; t < beta_.size(); ++t) {
      total += std::abs(beta_[t]);
      extent = std::max(extent, static_cast<double>(diagonal_[t]));
    }
    const double distance = 4.0 * squared_norm() / (total * total);
    return distance < kTouching * kTouching * extent;
  }

  // Where an intercept without free variables lies; the one side of a single class.
  double middle() const {
    if (best_.up == -kInfinity) return best_.low;
    return best_.low == kInfinity ? best_.up : 0.5 * (best_.up + best_.low);
  }

  void finish(SmoResult& result) const {
    double linear = 0.0, free_sum = 0.0, slack = 0.0, worst = -kInfinity;
    std::int64_t free_count = 0;
    for (std::size_t t = 0; t < beta_.size(); ++t) {
      linear += sign_[t] * beta_[t];
      if (may_grow(t) && may_shrink(t)) {
        free_sum += slope(t);
        ++free_count;
      }
    }
    if (how_.free_intercept) {
      result.intercept = free_count > 0 ? free_sum / static_cast<double>(free_count) : middle();
    }
    for (std::size_t t = 0; t < beta_.size(); ++t) {
      const double missing = sign_[t] * (slope(t) - result.intercept);  // 1 - y f
      worst = std::max(worst, missing);
      const double cost = sign_[t] > 0 ? upper_[t] : -lower_[t];
      if (missing > 0.0) slack += cost * missing;
    }
    const double square = squared_norm();
    result.violation = std::max(0.0, violation());
    result.dual = linear - 0.5 * square;
    if (upper_[0] - lower_[0] < kInfinity) {
      result.primal = 0.5 * square + slack;
    } else {  // scaled up until every margin is 1
      result.primal = worst < 1.0 ? 0.5 * square / ((1.0 - worst) * (1.0 - worst)) : kInfinity;
    }
  }

  static std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

  const SmoOptions how_;
  ThreadPool& pool_;
  KernelRows<V>& rows_;
  RowCache<V> cache_;
  const std::int64_t n_;
  std::int64_t active_;  // examples at work: the first positions
  std::vector<std::int32_t> ids_, origin_;
  std::vector<double> sign_, lower_, upper_, beta_;  // [n] by position
  std::vector<V> diagonal_;                          // [padded]
  std::vector<double> up_, low_;                     // [padded]
  Extremes best_{};
};

}  // namespace

SmoResult solve_machine(KernelRows<float>& rows, const Machine& machine, const SmoOptions& how,
                        ThreadPool& pool) {
  if (machine.n == 0) return {};
  return Smo<float>(rows, machine, how, pool).run(machine.beta);
}

SmoResult solve_machine(KernelRows<double>& rows, const Machine& machine, const SmoOptions& how,
                        ThreadPool& pool) {
  if (machine.n == 0) return {};
  return Smo<double>(rows, machine, how, pool).run(machine.beta);
}

}  // namespace linnet
