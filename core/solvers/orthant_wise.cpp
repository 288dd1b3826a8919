// The penalty is linear within an orthant. At each point the pseudo-gradient, the one-sided
// derivative of least size,
//
//   p_j = g_j + l1 sign(w_j),  or at w_j = 0:  g_j - l1 sign(g_j) if |g_j| > l1, else 0
//
// chooses the orthant to move in: the sign of w_j, or of -p_j where w_j = 0. The direction is -H p,
// with H made of gradients of F alone; a weight at zero may only move into the orthant, and each
// trial point is projected on it. At the optimum p = 0. (The paper cuts all components of -H p that
// differ in sign from -p; those of weights off zero are kept here, because cutting them spoils the
// curvature in H and costs several times the iterations.)
//
// The gap, which has to pull the dual point inside |v_j| <= l1, falls with the largest |p_j| and so
// only with the root of the objective's error. Once the objective hardly falls any more, the
// directions are Newton's among the weights off zero, and p vanishes in a few steps.
#include "orthant_wise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "face_newton.hpp"
#include "quasi_newton.hpp"
#include "stopping.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 1 << 15;
constexpr double kDecrease = 1e-4;
constexpr int kHalvings = 40;
constexpr int kPace = 10;         // iterations over which the fall of the objective is judged
constexpr double kSlow = 10.0;    // a fall by less than so many tolerances of it is slow
constexpr double kFinest = 1e-6;  // the least tolerance in that judgement
constexpr double kShort = 0.1;    // after a shorter Newton step other weights must leave zero first

class OrthantWise {
 public:
  OrthantWise(Objective& f, double* w, const BatchOptions& options, Vectors& vectors)
      : f_(f),
        w_(w),
        l1_(options.l1),
        l1_size_(options.l1_size),
        slow_(f.has_hessian() ? kSlow * std::max(options.tolerance, kFinest) : -1.0),
        v_(vectors),
        newton_(f, vectors),
        inverse_(options.memory, true, f.first_guess(), vectors),
        memory_(std::make_unique_for_overwrite<double[]>(
            static_cast<std::size_t>(5 * vectors.size()))) {
    double** const parts[] = {&gradient, &new_gradient_, &pseudo, &direction_, &trial_};
    for (std::int64_t k = 0; k < 5; ++k) *parts[k] = memory_.get() + k * v_.size();
    objective = f_.evaluate(w_, gradient) + penalty(w_);
    differentiate();
    leave_face();
  }

  // Moves w and returns true; false when rounding leaves no step that decreases the objective.
  bool advance() {
    double& earlier = earlier_[iteration_++ % kPace];
    in_face_ = in_face_ || earlier - objective < slow_ * objective;
    earlier = objective;
    while (!(find_direction() && search())) {
      if (!in_face_ && inverse_.empty()) return false;
      leave_face();
      inverse_.forget();
    }
    if (in_face_ && step < kShort) leave_face();
    inverse_.remember(w_, trial_, gradient, new_gradient_);
    v_.copy(trial_, w_);
    std::swap(gradient, new_gradient_);
    differentiate();
    return true;
  }

  double objective, step = 0.0;
  double *gradient, *pseudo;

 private:
  void leave_face() {
    in_face_ = false;
    std::fill(earlier_, earlier_ + kPace, INFINITY);
  }

  template <class Body>
  void each(Body&& body) {
    v_.pool().ranges(v_.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) body(j);
    });
  }

  double penalty(const double* w) {
    return l1_ * v_.pool().sum(l1_size_, kGrain, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      for (std::int64_t j = first; j < last; ++j) sum += std::abs(w[j]);
      return sum;
    });
  }

  void differentiate() {
    each([&](std::int64_t j) {
      const double g = gradient[j];
      if (j >= l1_size_) {
        pseudo[j] = g;
      } else if (w_[j] != 0.0) {
        pseudo[j] = g + std::copysign(l1_, w_[j]);
      } else {
        pseudo[j] = std::copysign(std::max(0.0, std::abs(g) - l1_), g);
      }
    });
  }

  bool find_direction() {
    if (in_face_) {
      newton_.solve(w_, pseudo, direction_);
    } else {
      v_.copy(pseudo, direction_);
      inverse_.multiply(direction_);
      v_.scale(direction_, -1.0);
    }
    each([&](std::int64_t j) {
      const bool moves = j >= l1_size_ || w_[j] != 0.0 || direction_[j] * pseudo[j] < 0.0;
      if (!moves) direction_[j] = 0.0;
    });
    return v_.dot(direction_, pseudo) < 0.0;
  }

  // Halves the step until the projected point decreases the objective; evaluates F there.
  bool search() {
    const double before = objective;
    const double slack = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(before);
    step = 1.0;
    if (!in_face_ && inverse_.empty())
      step = std::min(1.0, 1.0 / std::sqrt(v_.dot(pseudo, pseudo)));
    for (int round = 0; round < kHalvings; ++round, step *= 0.5) {
      project();
      const double foretold =
          v_.pool().sum(v_.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
            double sum = 0.0;
            for (std::int64_t j = first; j < last; ++j) sum += pseudo[j] * (trial_[j] - w_[j]);
            return sum;
          });
      if (foretold == 0.0) break;
      objective = f_.evaluate(trial_, new_gradient_) + penalty(trial_);
      if (objective <= before + kDecrease * foretold + slack) return true;
    }
    objective = f_.evaluate(w_, gradient) + penalty(w_);
    return false;
  }

  void project() {
    each([&](std::int64_t j) {
      const double moved = w_[j] + step * direction_[j];
      const double orthant = w_[j] != 0.0 ? w_[j] : -pseudo[j];
      trial_[j] = j >= l1_size_ || moved * orthant > 0.0 ? moved : 0.0;
    });
  }

  Objective& f_;
  double* const w_;
  const double l1_;
  const std::int64_t l1_size_;
  const double slow_;  // the share of the objective that kPace iterations should take off it
  Vectors& v_;
  FaceNewton newton_;
  QuasiNewton inverse_;
  std::unique_ptr<double[]> memory_;
  double *new_gradient_, *direction_, *trial_;
  double earlier_[kPace];  // the last objectives
  std::int64_t iteration_ = 0;
  bool in_face_ = false;  // directions are Newton's
};

}  // namespace

void orthant_wise(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  Vectors vectors(f.size(), pool);
  OrthantWise state(f, w, options, vectors);
  Stopping stopping(f, options, vectors);
  while (
      !stopping.at(w, state.gradient, state.objective, vectors.max_abs(state.pseudo), state.step)) {
    if (!state.advance()) return;
  }
}

}  // namespace linnet
