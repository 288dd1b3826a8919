// Some problems of one objective on their way to the optimum by truncated Newton (newton.cpp).
//
// All take their conjugate gradients in the same passes over the data; each has its own forcing,
// step and end.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "batch.hpp"

namespace linnet {

struct NewtonScratch {
  explicit NewtonScratch(std::int64_t n)
      : memory(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(7 * n))) {
    double** const parts[] = {&gradient, &step, &residual, &direction, &product, &diagonal, &trial};
    for (std::int64_t k = 0; k < 7; ++k) *parts[k] = memory.get() + k * n;
  }
  std::unique_ptr<double[]> memory;
  double *gradient, *step, *residual, *direction, *product, *diagonal, *trial;
};

// Where one of the problems stands.
struct NewtonProblem {
  double objective = 0.0, gap = INFINITY, last_gap = INFINITY;
  double forcing = 0.0;   // relative residual to ask of the inner solver
  double foretold = 0.0;  // decrease by the quadratic model, -(g.s + s.H s / 2)
  double slope = 0.0;     // g.s
  double length = 0.0;    // of the last step
  bool done = false;
  bool polishing = false;  // the objective no longer resolves a step; the gap still may
  bool polished = false;   // the last step was made while polishing
};

// Some problems of one objective, with weights of their own.
class NewtonGroup {
 public:
  NewtonGroup(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool)
      : f_(f),
        w_(w),
        options_(options),
        v_(f.size(), pool),
        s_(f.size()),
        count_(f.problems()),
        problems_(static_cast<std::size_t>(count_)),
        sums_(problems_.size()),
        factor_(problems_.size()) {}

  // What the problems are together, `step` the longest
  double objective = 0.0, gap = 0.0, norm = 0.0, step = 0.0;
  bool done = false;

  // Evaluates the point: objective and gap of each problem, and which are done.
  void measure() {
    objective = f_.evaluate(w_, s_.gradient);
    norm = v_.max_abs(s_.gradient);
    if (count_ == 1) {
      sums_[0] = duality_gap(f_, w_, s_.gradient, objective, 0.0, v_);
    } else {
      v_.sums(count_, sums_.data(),
              [&](std::int64_t n) { return weight_gap(f_.l2(n), w_[n], s_.gradient[n]); });
    }
    gap = 0.0;
    for (std::int32_t p = 0; p < count_; ++p) {
      NewtonProblem& problem = problems_[p];
      problem.objective = count_ == 1 ? objective : f_.parts()[p];
      problem.last_gap = problem.gap;
      problem.gap = sums_[p];
      judge(problem);
      gap += problem.gap;
    }
    done = norm == 0.0 || all_done();
  }

  // One Newton step of each problem that is not done.
  void advance() {
    f_.hessian_diagonal(s_.diagonal);
    keep_positive();
    solve();
    done = !search();
    if (done) return;
    v_.copy(s_.trial, w_);
    step = 0.0;
    for (const NewtonProblem& p : problems_) step = std::max(step, p.length);
  }

 private:
  static constexpr double kDecrease = 1e-4;  // Armijo: the share of the slope a step must achieve
  static constexpr double kShortest = 1e-12;
  static constexpr double kUnresolved =
      1e-12;                                // share of the objective that drowns in its rounding
  static constexpr double kFinest = 1e-8;   // least relative residual asked of the inner solver
  static constexpr double kCoarsest = 0.3;  // and the most
  static constexpr int kRounds = 500;       // most rounds of the inner solver

  // Whether a problem is done, and if not, how exact its next step should be.
  void judge(NewtonProblem& problem) const {
    const double allowed = options_.tolerance * problem.objective;
    problem.done =
        problem.gap <= allowed || (problem.polished && !(problem.gap < 0.5 * problem.last_gap));
    problem.polished = problem.polishing;
    // The gap is quadratic in the gradient: a residual of sqrt(target / gap) would reach the
    // target. (Not so for weights without a penalty: they are what is polished.) That is worth its
    // passes only where the quadratic model of F holds. How well it does the last step has shown by
    // the ratio of the gaps (the second choice of Eisenstat and Walker 1996, sharper where the gap
    // falls fast).
    const double exact = 0.5 * std::sqrt(allowed / std::max(problem.gap, 1e-300));
    const double ratio = std::isinf(problem.last_gap) ? 1.0 : problem.gap / problem.last_gap;
    const double trust = ratio * std::min(1.0, 10.0 * ratio);
    problem.forcing =
        problem.polishing ? kFinest : std::clamp(std::max(exact, trust), kFinest, kCoarsest);
  }

  bool all_done() const {
    return std::all_of(problems_.begin(), problems_.end(), [](const auto& p) { return p.done; });
  }

  // s_.step of each problem, by preconditioned conjugate gradients
  void solve() {
    std::vector<double> rz(problems_.size()), target(rz), next(rz);
    std::vector<char> active(problems_.size());
    v_.fill(s_.step, 0.0);
    each([&](std::int64_t n, std::int32_t p) {
      s_.residual[n] = problems_[p].done ? 0.0 : -s_.gradient[n];
      s_.direction[n] = s_.residual[n] / s_.diagonal[n];
    });
    scaled_norms(rz.data());
    for (std::int32_t p = 0; p < count_; ++p) {
      target[p] = problems_[p].forcing * problems_[p].forcing * rz[p];
      active[p] = rz[p] > target[p];
    }
    const std::int64_t most = std::min<std::int64_t>(v_.size(), kRounds);
    for (std::int64_t round = 0; round < most && any(active); ++round) {
      f_.hessian_times(s_.direction, s_.product);
      v_.dots(s_.direction, s_.product, count_, sums_.data());
      for (std::int32_t p = 0; p < count_; ++p) {
        active[p] = active[p] && sums_[p] > 0.0;
        factor_[p] = active[p] ? rz[p] / sums_[p] : 0.0;
      }
      each([&](std::int64_t n, std::int32_t p) {
        s_.step[n] += factor_[p] * s_.direction[n];
        s_.residual[n] -= factor_[p] * s_.product[n];
      });
      scaled_norms(next.data());
      for (std::int32_t p = 0; p < count_; ++p) {
        factor_[p] = active[p] ? next[p] / rz[p] : 0.0;
        rz[p] = next[p];
        active[p] = active[p] && rz[p] > target[p];
      }
      each([&](std::int64_t n, std::int32_t p) {
        s_.direction[n] =
            active[p] ? s_.residual[n] / s_.diagonal[n] + factor_[p] * s_.direction[n] : 0.0;
      });
    }
    // residual = -g - H s, so -(g.s + s.H s / 2) = (s.residual - g.s) / 2
    v_.dots(s_.gradient, s_.step, count_, sums_.data());
    v_.dots(s_.step, s_.residual, count_, factor_.data());
    for (std::int32_t p = 0; p < count_; ++p) {
      problems_[p].slope = sums_[p];
      problems_[p].foretold = 0.5 * (factor_[p] - sums_[p]);
    }
  }

  // s_.trial = where each problem goes; false when none can go anywhere.
  bool search() {
    for (NewtonProblem& p : problems_) {
      p.polishing = !(p.foretold > kUnresolved * std::abs(p.objective));
      p.length = p.done ? 0.0 : 1.0;
    }
    for (;;) {
      each([&](std::int64_t n, std::int32_t p) {
        s_.trial[n] = w_[n] + problems_[p].length * s_.step[n];
      });
      const bool ask = std::any_of(problems_.begin(), problems_.end(), [](const NewtonProblem& p) {
        return p.length > 0.0 && !p.polishing;
      });
      const double total = ask ? f_.value(s_.trial) : 0.0;
      bool again = false;
      for (std::int32_t k = 0; ask && k < count_; ++k) {
        NewtonProblem& p = problems_[k];
        const double value = count_ == 1 ? total : f_.parts()[k];
        const bool fell = value <= p.objective + kDecrease * p.length * p.slope;
        if (p.length == 0.0 || p.polishing || fell) continue;
        p.length *= 0.5;
        if (!(p.length > kShortest)) p.length = 0.0, p.done = true;
        again = true;
      }
      if (!again) break;
    }
    return std::any_of(problems_.begin(), problems_.end(),
                       [](const NewtonProblem& p) { return p.length > 0.0; });
  }

  // Weights that neither a penalty nor the data hold have no curvature to scale by.
  void keep_positive() {
    each([&](std::int64_t n, std::int32_t) { s_.diagonal[n] = std::max(s_.diagonal[n], 1e-10); });
  }

  // body(n, problem of n) for every weight
  template <class Body>
  void each(Body&& body) {
    const std::int64_t rows = v_.size() / count_;
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / count_);
    v_.pool().ranges(rows, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        for (std::int32_t p = 0; p < count_; ++p) body(j * count_ + p, p);
      }
    });
  }

  // |residual|^2 in the norm of the inverse preconditioner
  void scaled_norms(double* out) {
    v_.sums(count_, out,
            [&](std::int64_t n) { return s_.residual[n] * s_.residual[n] / s_.diagonal[n]; });
  }

  static bool any(const std::vector<char>& flags) {
    return std::any_of(flags.begin(), flags.end(), [](char flag) { return flag; });
  }

  Objective& f_;
  double* w_;
  const BatchOptions& options_;
  Vectors v_;
  NewtonScratch s_;
  const std::int32_t count_;
  std::vector<NewtonProblem> problems_;
  std::vector<double> sums_, factor_;  // [problems] scratch
};

}  // namespace linnet
