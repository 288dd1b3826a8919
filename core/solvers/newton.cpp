// Truncated Newton with a line search (SPEC M-61, M-85; the inner solver is that of Lin, Weng and
// Keerthi 2008, with the diagonal preconditioner of Hsia, Chiang and Lin 2018; the line search
// instead of a trust region after Galli and Lin 2022).
//
// At each point solve  H s = -g  approximately by conjugate gradients preconditioned with the
// diagonal of H, then halve the step until the objective falls by Armijo's share of the slope. The
// full step is accepted near the optimum. A trust region does worse on the squared hinge: its
// curvature jumps, the region shrinks on every jump and hardly recovers.
#include <algorithm>
#include <cmath>
#include <memory>

#include "batch.hpp"

namespace linnet {
namespace {

constexpr double kDecrease = 1e-4;  // Armijo: the share of the slope a step must achieve
constexpr double kShortest = 1e-12;
constexpr double kUnresolved = 1e-12;  // share of the objective that drowns in its rounding
constexpr double kFinest = 1e-8;       // least relative residual asked of the inner solver

struct Scratch {
  explicit Scratch(std::int64_t n)
      : memory(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(7 * n))) {
    double** const parts[] = {&gradient, &step, &residual, &direction, &product, &diagonal, &trial};
    for (std::int64_t k = 0; k < 7; ++k) *parts[k] = memory.get() + k * n;
  }
  std::unique_ptr<double[]> memory;
  double *gradient, *step, *residual, *direction, *product, *diagonal, *trial;
};

class NewtonCg {
 public:
  NewtonCg(Objective& f, Vectors& vectors, Scratch& scratch) : f_(f), v_(vectors), s_(scratch) {}

  // Solves for s_.step; `forcing` is the relative residual to reach. Returns the decrease that the
  // quadratic model foretells, -(g.s + s.H s / 2).
  double solve(double forcing) {
    const std::int64_t n = v_.size();
    v_.fill(s_.step, 0.0);
    each([&](std::int64_t j) {
      s_.residual[j] = -s_.gradient[j];
      s_.direction[j] = s_.residual[j] / s_.diagonal[j];
    });
    double rz = scaled_norm();
    const double target = forcing * forcing * rz;
    for (std::int64_t round = 0; round < std::min<std::int64_t>(n, 500) && rz > target; ++round) {
      f_.hessian_times(s_.direction, s_.product);
      const double curvature = v_.dot(s_.direction, s_.product);
      if (!(curvature > 0.0)) break;
      const double length = rz / curvature;
      v_.add(s_.step, length, s_.direction);
      v_.add(s_.residual, -length, s_.product);
      const double next = scaled_norm();
      const double beta = next / rz;
      rz = next;
      each([&](std::int64_t j) {
        s_.direction[j] = s_.residual[j] / s_.diagonal[j] + beta * s_.direction[j];
      });
    }
    // residual = -g - H s, so -(g.s + s.H s / 2) = (s.residual - g.s) / 2
    return 0.5 * (v_.dot(s_.step, s_.residual) - v_.dot(s_.gradient, s_.step));
  }

  // Weights that neither a penalty nor the data hold have no curvature to scale by.
  void keep_positive() {
    each([&](std::int64_t j) { s_.diagonal[j] = std::max(s_.diagonal[j], 1e-10); });
  }

 private:
  template <class Body>
  void each(Body&& body) {
    v_.pool().ranges(v_.size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) body(j);
    });
  }

  // |residual|^2 in the norm of the inverse preconditioner
  double scaled_norm() {
    return v_.pool().sum(v_.size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      for (std::int64_t j = first; j < last; ++j) {
        sum += s_.residual[j] * s_.residual[j] / s_.diagonal[j];
      }
      return sum;
    });
  }

  Objective& f_;
  Vectors& v_;
  Scratch& s_;
};

}  // namespace

void newton(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  Vectors vectors(f.size(), pool);
  Scratch scratch(f.size());
  NewtonCg cg(f, vectors, scratch);
  double length = 0.0, last_gap = INFINITY;
  bool polishing = false;  // the objective no longer resolves a step; the gap still may
  bool polished = false;   // the last step was made while polishing
  for (std::int64_t iteration = 0;; ++iteration) {
    const double objective = f.evaluate(w, scratch.gradient);
    const double gap = duality_gap(f, w, scratch.gradient, objective, 0.0, vectors);
    const double norm = vectors.max_abs(scratch.gradient);
    const bool go_on = pool.progress().record({iteration, objective, gap, norm, length});
    if (!go_on || gap <= options.tolerance * objective || norm == 0.0 ||
        (polished && !(gap < 0.5 * last_gap)) || iteration == options.max_iterations) {
      return;
    }
    last_gap = gap;
    polished = polishing;
    f.hessian_diagonal(scratch.diagonal);
    cg.keep_positive();
    // The gap is quadratic in the gradient: a residual of sqrt(target / gap) would reach the
    // target. (Not so for weights without a penalty: they are what is polished.)
    const double share = std::sqrt(options.tolerance * objective / std::max(gap, 1e-300));
    const double forcing = polishing ? kFinest : std::clamp(0.5 * share, kFinest, 0.2);
    const double foretold = cg.solve(forcing);
    const double slope = vectors.dot(scratch.gradient, scratch.step);
    polishing = !(foretold > kUnresolved * std::abs(objective));
    bool fell = false;
    for (length = 2.0; !fell && length > kShortest;) {
      length *= 0.5;
      vectors.combine(w, length, scratch.step, scratch.trial);
      fell = polishing || f.value(scratch.trial) <= objective + kDecrease * length * slope;
    }
    if (!fell) return;
    vectors.copy(scratch.trial, w);
  }
}

}  // namespace linnet
