// The dual minimised over the coordinates that are inside their bounds, all at once.
//
//   minimise over a   1/2 |X^T a|^2 + sum_n slack_n a_n^2 / 2 + linear,    low_n <= a_n <= high_n
//
// Coordinate descent finds out quickly which dual variables stay at a bound, and then crawls: with
// a large cost the rest, the support vectors inside their bounds, form a badly conditioned system
// of linear equations. Conjugate gradients solve such systems in far fewer passes, and a pass reads
// the rows of these variables only (the division of labour of More and Toraldo 1991, "On the
// solution of large quadratic programming problems with bound constraints"; there the bounds are
// found by gradient projection).
//
// Where the solution leaves the bounds, it is pulled back inside (projected), halved until the dual
// improves, and the variables that have arrived at a bound stay there while the others are solved
// again. So the dual never gets worse. In the joint losses the coefficients of a row add up to
// zero; residuals and projections keep that sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"
#include "face_system.hpp"

namespace linnet {

template <class V>
class Face : public FaceSystem<V> {
 public:
  using FaceSystem<V>::rows;

  // `columns` of weights; `balanced`: the coefficients of a row keep their sum.
  Face(const Csr<V>& x, double bias, std::int32_t columns, bool balanced)
      : FaceSystem<V>(x, bias, columns), balanced_(balanced) {}

  double change(const Coordinate* c) const { return change_[c - coordinates_.data()]; }

  // Solves and steps until no coordinate arrives at a bound. Each solution ends when what is left
  // could add no more than `enough` to the duality gap, or than the `care` share of what it could
  // at first. `most` and `slack` are bound and curvature of a dual variable of cost 1. Returns what
  // could be added before.
  double solve(double enough, double care, double most, double slack, ThreadPool& pool) {
    const std::size_t n = coordinates_.size();
    most_ = most;
    slack_ = slack;
    change_.assign(n, 0.0);
    if (n == 0) return 0.0;
    compact();
    start_.resize(n);
    for (std::size_t k = 0; k < n; ++k) start_[k] = coordinates_[k].value;
    step_.resize(n), residual_.resize(n), direction_.resize(n), product_.resize(n);
    inside_.assign(n, 1);
    const double first = conjugate_gradients(enough, care, pool);
    while (take_step()) conjugate_gradients(enough, care, pool);
    for (std::size_t k = 0; k < n; ++k) change_[k] = coordinates_[k].value - start_[k];
    return first;
  }

 private:
  using FaceSystem<V>::coordinates_;
  using FaceSystem<V>::rows_;
  using FaceSystem<V>::last;
  using FaceSystem<V>::compact;
  using FaceSystem<V>::multiply;

  static constexpr double kFar = 1e12;       // a step to the bounds, wherever they are
  static constexpr double kDecrease = 1e-4;  // Armijo: the share of the slope a step must achieve
  static constexpr double kShortest = 1e-10;
  static constexpr double kOutside = 0.01;     // see conjugate_gradients
  static constexpr std::int64_t kMost = 1000;  // rounds of conjugate gradients

  // residual_ stays in the space of allowed steps: 0 at a bound, and of zero sum where balanced
  void centre(std::vector<double>& r) const {
    for (std::int64_t i = 0; i < rows(); ++i) {
      double sum = 0.0;
      int count = 0;
      for (std::int64_t n = rows_[i].first; n < last(i); ++n) {
        if (!inside_[n]) {
          r[n] = 0.0;
          continue;
        }
        sum += r[n];
        ++count;
      }
      if (!balanced_ || count == 0) continue;
      for (std::int64_t n = rows_[i].first; n < last(i); ++n) {
        if (inside_[n]) r[n] -= sum / count;
      }
    }
  }

  double scale(std::int64_t i, std::int64_t n) const {
    return balanced_ ? rows_[i].q : rows_[i].q + coordinates_[n].slack;
  }

  // What the residual could add to the gap: the loss has a slope of at most `most_`, and where it
  // bends a curvature of 1 / `slack_`.
  double reach() const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < rows(); ++i) {
      double top = 0.0;
      for (std::int64_t n = rows_[i].first; n < last(i); ++n) {
        top = std::max(top, std::abs(residual_[n]));
      }
      const double straight = std::isinf(most_) ? most_ : most_ * top;
      const double bent = slack_ > 0.0 ? top * top / (2.0 * slack_) : straight;
      sum += rows_[i].cost * std::min(straight, bent);
    }
    return sum;
  }

  // step_ = the solution without bounds. When a hundredth of the coordinates has left the bounds,
  // the solution would be that of a wrong face (the hinge may have none at all): what has been
  // found of it then says well enough which bounds to stop at.  // Returns the reach at the
  // beginning.
  double conjugate_gradients(double enough, double care, ThreadPool& pool) {
    const std::size_t n = coordinates_.size();
    std::fill(step_.begin(), step_.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) residual_[k] = -coordinates_[k].gradient;
    centre(residual_);
    double rz = turn(0.0);
    const double first = reach();
    enough = std::max(enough, care * first);
    for (std::int64_t round = 0; round < kMost && reach() > enough; ++round) {
      pool.checkpoint();
      multiply(direction_, product_);
      double curvature = 0.0, squares = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        curvature += direction_[k] * product_[k];
        squares += direction_[k] * direction_[k];
      }
      if (!(curvature > 1e-14 * squares)) {  // no curvature: as far as the bounds allow
        if (round == 0) {
          for (std::size_t k = 0; k < n; ++k) step_[k] = kFar * direction_[k];
        }
        break;
      }
      const double length = rz / curvature;
      std::size_t outside = 0, inside = 0;
      for (std::size_t k = 0; k < n; ++k) {
        step_[k] += length * direction_[k];
        const double value = coordinates_[k].value + step_[k];
        outside += value < coordinates_[k].low || value > coordinates_[k].high;
        inside += inside_[k];
      }
      if (static_cast<double>(outside) > kOutside * static_cast<double>(inside)) break;
      for (std::size_t k = 0; k < n; ++k) residual_[k] -= length * product_[k];
      centre(residual_);
      rz = turn(rz);
    }
    return first;
  }

  // direction = scaled residual + beta direction, conjugate to the last (none when last_rz is 0).
  // Returns residual . scaled residual.
  double turn(double last_rz) {
    double rz = 0.0;
    for (std::int64_t i = 0; i < rows(); ++i) {
      for (std::int64_t n = rows_[i].first; n < last(i); ++n) {
        rz += residual_[n] * residual_[n] / scale(i, n);
      }
    }
    const double beta = last_rz > 0.0 ? rz / last_rz : 0.0;
    for (std::int64_t i = 0; i < rows(); ++i) {
      for (std::int64_t n = rows_[i].first; n < last(i); ++n) {
        direction_[n] = residual_[n] / scale(i, n) + beta * direction_[n];
      }
    }
    return rz;
  }

  // Moves along step_, inside the bounds. True when some coordinate has arrived at one.
  bool take_step() {
    const std::size_t n = coordinates_.size();
    std::vector<double>& target = direction_;  // the change that is tried
    for (double length = 1.0; length > kShortest; length *= 0.5) {
      for (std::int64_t i = 0; i < rows(); ++i) project(i, length, target);
      multiply(target, product_);
      double slope = 0.0, curvature = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        slope += coordinates_[k].gradient * target[k];
        curvature += target[k] * product_[k];
      }
      if (slope + 0.5 * curvature > kDecrease * slope || !(slope < 0.0)) continue;
      bool arrived = false;
      for (std::size_t k = 0; k < n; ++k) {
        Coordinate& c = coordinates_[k];
        c.gradient += product_[k];
        if (!inside_[k]) continue;
        c.value = std::clamp(c.value + target[k], c.low, c.high);
        if (c.value == c.low || c.value == c.high) inside_[k] = 0, arrived = true;
      }
      return arrived;
    }
    return false;
  }

  // change = projection of value + length * step, minus value
  void project(std::int64_t i, double length, std::vector<double>& change) const {
    const std::int64_t first = rows_[i].first, end = last(i);
    if (!balanced_) {
      for (std::int64_t n = first; n < end; ++n) {
        const Coordinate& c = coordinates_[n];
        change[n] =
            inside_[n] ? std::clamp(c.value + length * step_[n], c.low, c.high) - c.value : 0.0;
      }
      return;
    }
    // min(high, value + step - shift) of unchanged sum: each coordinate held at its bound lowers
    // the shift, so the set of those held only grows.
    double shift = 0.0;
    for (std::int64_t held = -1;;) {
      double sum = 0.0;
      std::int64_t count = 0, loose = 0;
      for (std::int64_t n = first; n < end; ++n) {
        const Coordinate& c = coordinates_[n];
        if (!inside_[n]) continue;
        if (length * step_[n] - shift >= c.high - c.value) {
          sum += c.high - c.value, ++count;
        } else {
          sum += length * step_[n], ++loose;
        }
      }
      if (count == held || loose == 0) break;
      held = count;
      shift = sum / static_cast<double>(loose);
    }
    for (std::int64_t n = first; n < end; ++n) {
      const Coordinate& c = coordinates_[n];
      change[n] = inside_[n] ? std::min(c.high - c.value, length * step_[n] - shift) : 0.0;
    }
  }

  const bool balanced_;
  double most_ = 0.0, slack_ = 0.0;
  std::vector<char> inside_;  // not (yet) arrived at a bound
  std::vector<double> start_, change_, step_, residual_, direction_, product_;
};

}  // namespace linnet
