// Truncated Newton in a trust region (SPEC M-61, M-85; Lin, Weng and Keerthi 2008, with the
// diagonal preconditioner of Hsia, Chiang and Lin 2018 in an every-iteration form).
//
// At each point solve  H s = -g  approximately by conjugate gradients preconditioned with the
// diagonal of H, stopping early at the border of the trust region |s|_M <= radius, then keep the
// step if the objective falls as much as the quadratic model foretold.
#include <algorithm>
#include <cmath>
#include <memory>

#include "batch.hpp"

namespace linnet {
namespace {

struct Scratch {
  explicit Scratch(std::int64_t n)
      : memory(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(7 * n))) {
    double** const parts[] = {&gradient, &step, &residual, &direction, &product, &diagonal, &trial};
    for (std::int64_t k = 0; k < 7; ++k) *parts[k] = memory.get() + k * n;
  }
  std::unique_ptr<double[]> memory;
  double *gradient, *step, *residual, *direction, *product, *diagonal, *trial;
};

struct CgResult {
  double model_decrease;  // -(g.s + s.H s / 2)
  double step_norm;       // |s| in the preconditioner's norm
  bool at_border;
};

class NewtonCg {
 public:
  NewtonCg(Objective& f, Vectors& vectors, Scratch& scratch) : f_(f), v_(vectors), s_(scratch) {}

  // Solves for s_.step within `radius`; `forcing` is the relative residual to reach.
  CgResult solve(double radius, double forcing) {
    const std::int64_t n = v_.size();
    v_.fill(s_.step, 0.0);
    each([&](std::int64_t j) {
      s_.residual[j] = -s_.gradient[j];
      s_.direction[j] = s_.residual[j] / s_.diagonal[j];
    });
    double rz = weighted_dot(s_.residual, s_.residual, true);
    const double target = forcing * forcing * rz;
    bool at_border = false;
    for (std::int64_t round = 0; round < std::min<std::int64_t>(n, 500) && rz > target; ++round) {
      f_.hessian_times(s_.direction, s_.product);
      const double curvature = v_.dot(s_.direction, s_.product);
      if (!(curvature > 0.0)) break;
      double length = rz / curvature;
      const double ss = weighted_dot(s_.step, s_.step, false);
      const double sd = weighted_dot(s_.step, s_.direction, false);
      const double dd = weighted_dot(s_.direction, s_.direction, false);
      if (ss + length * (2.0 * sd + length * dd) > radius * radius) {
        const double root = std::sqrt(std::max(0.0, sd * sd + dd * (radius * radius - ss)));
        length = sd >= 0.0 ? (radius * radius - ss) / (sd + root) : (root - sd) / dd;
        at_border = true;
      }
      v_.add(s_.step, length, s_.direction);
      v_.add(s_.residual, -length, s_.product);
      if (at_border) break;
      const double next = weighted_dot(s_.residual, s_.residual, true);
      const double beta = next / rz;
      rz = next;
      each([&](std::int64_t j) {
        s_.direction[j] = s_.residual[j] / s_.diagonal[j] + beta * s_.direction[j];
      });
    }
    // residual = -g - H s, so -(g.s + s.H s / 2) = (s.residual - g.s) / 2
    const double decrease = 0.5 * (v_.dot(s_.step, s_.residual) - v_.dot(s_.gradient, s_.step));
    return {decrease, std::sqrt(weighted_dot(s_.step, s_.step, false)), at_border};
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

  // sum a_j b_j M_j, or with the inverse of the diagonal preconditioner M
  double weighted_dot(const double* a, const double* b, bool inverse) {
    const double* m = s_.diagonal;
    return v_.pool().sum(v_.size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      if (inverse) {
        for (std::int64_t j = first; j < last; ++j) sum += a[j] * b[j] / m[j];
      } else {
        for (std::int64_t j = first; j < last; ++j) sum += a[j] * b[j] * m[j];
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
  double objective = f.evaluate(w, scratch.gradient);
  double radius = -1.0, last_step = 0.0;
  for (std::int64_t iteration = 0;; ++iteration) {
    const double gap = duality_gap(f, w, scratch.gradient, objective, 0.0, vectors);
    const double norm = vectors.max_abs(scratch.gradient);
    const bool go_on = pool.progress().record({iteration, objective, gap, norm, last_step});
    if (!go_on || gap <= options.tolerance * objective || norm == 0.0 ||
        iteration == options.max_iterations) {
      return;
    }
    f.hessian_diagonal(scratch.diagonal);
    cg.keep_positive();
    // The gap is quadratic in the gradient: a residual of sqrt(target / gap) would reach the
    // target.
    const double forcing = std::clamp(
        0.5 * std::sqrt(options.tolerance * objective / std::max(gap, 1e-300)), 1e-8, 0.2);
    bool moved = false;
    while (!moved) {
      const CgResult step = cg.solve(radius < 0.0 ? INFINITY : radius, forcing);
      if (radius < 0.0) radius = step.step_norm;
      vectors.combine(w, 1.0, scratch.step, scratch.trial);
      const double trial = f.value(scratch.trial);
      const double ratio = (objective - trial) / step.model_decrease;
      // Near the optimum both differences drown in rounding; the step is then as good as any.
      const bool at_rounding = step.model_decrease <= 1e-14 * std::abs(objective);
      moved = at_rounding || (ratio > 1e-4 && trial < objective);
      if (!moved || ratio < 0.25) {
        radius = 0.25 * step.step_norm;
      } else if (ratio > 0.75 && step.at_border) {
        radius = 4.0 * radius;
      }
      last_step = step.step_norm;
      if (!moved && radius < 1e-14) return;
      if (at_rounding) {
        vectors.copy(scratch.trial, w);
        objective = f.evaluate(w, scratch.gradient);
        const double final_gap = duality_gap(f, w, scratch.gradient, objective, 0.0, vectors);
        pool.progress().record(
            {iteration + 1, objective, final_gap, vectors.max_abs(scratch.gradient), last_step});
        return;
      }
    }
    vectors.copy(scratch.trial, w);
    objective = f.evaluate(w, scratch.gradient);
  }
}

}  // namespace linnet
