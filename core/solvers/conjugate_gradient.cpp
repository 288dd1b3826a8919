// Non-linear conjugate gradients, Polak-Ribiere+ (SPEC M-58).
//
//   d <- -g + beta d,   beta = max(0, g.(g - g_old) / |g_old|^2),   w <- w + t d
//
// beta = 0, a restart, every D steps (D weights) and when d is no descent direction. The line
// search starts from the minimum of the quadratic model, t = -g.d / d.H d, which is exact on a
// quadratic: there the method ends within D steps.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "line_search.hpp"
#include "stopping.hpp"

namespace linnet {
namespace {

double model_step(Objective& f, const double* direction, double slope, double* product,
                  Vectors& vectors) {
  f.hessian_times(direction, product);
  const double curvature = vectors.dot(direction, product);
  const double step = -slope / curvature;
  return std::isfinite(step) && step > 0.0 ? step : 1.0 / std::sqrt(-slope);
}

}  // namespace

void conjugate_gradient(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  const std::int64_t n = f.size();
  Vectors vectors(n, pool);
  const auto memory = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(4 * n));
  double *gradient = memory.get(), *new_gradient = gradient + n;
  double *const direction = gradient + 2 * n, *const trial = gradient + 3 * n;

  double objective = f.evaluate(w, gradient), last_step = 0.0, beta = 0.0;
  std::int64_t since_restart = 0;
  vectors.fill(direction, 0.0);
  auto search = [&] {
    if (beta == 0.0) since_restart = 0;
    vectors.scale(direction, beta);
    vectors.add(direction, -1.0, gradient);
    const double slope = vectors.dot(gradient, direction);
    if (!(slope < 0.0)) return LinePoint{};
    const double first = model_step(f, direction, slope, trial, vectors);
    return wolfe_search(f, w, objective, slope, direction, first, 0.1, trial, new_gradient,
                        vectors);
  };
  Stopping stopping(f, options, vectors);
  while (!stopping.at(w, gradient, objective, vectors.max_abs(gradient), last_step)) {
    if (since_restart == n) beta = 0.0;
    LinePoint to = search();
    if (to.step == 0.0 && beta != 0.0) {
      beta = 0.0;
      to = search();
    }
    if (to.step == 0.0) return;  // rounding leaves no step that decreases F
    const double squared = vectors.dot(gradient, gradient);
    const double turn =
        vectors.dot(new_gradient, new_gradient) - vectors.dot(new_gradient, gradient);
    beta = std::max(0.0, turn / squared);
    ++since_restart;
    vectors.copy(trial, w);
    std::swap(gradient, new_gradient);
    objective = to.value;
    last_step = to.step;
  }
}

}  // namespace linnet
