// Limited-memory BFGS (SPEC M-59; Liu and Nocedal 1989).
//
//   minimise F(w),   w <- w - t H g
//
// with H the approximate inverse Hessian of the last pairs and t a step that meets the strong
// Wolfe conditions, 1 once pairs are there. With an L1 penalty the method is orthant-wise.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "line_search.hpp"
#include "orthant_wise.hpp"
#include "quasi_newton.hpp"
#include "stopping.hpp"

namespace linnet {

void lbfgs(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  if (options.l1 > 0.0) return orthant_wise(f, w, options, pool);
  const std::int64_t n = f.size();
  Vectors vectors(n, pool);
  QuasiNewton inverse(options.memory, false, f.first_guess(), vectors);
  const auto memory = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(4 * n));
  double *gradient = memory.get(), *new_gradient = gradient + n;
  double *direction = gradient + 2 * n, *trial = gradient + 3 * n;

  double objective = f.evaluate(w, gradient), last_step = 0.0;
  auto search = [&] {
    vectors.copy(gradient, direction);
    inverse.multiply(direction);
    vectors.scale(direction, -1.0);
    const double slope = vectors.dot(gradient, direction);
    if (!(slope < 0.0)) return LinePoint{};
    const double first = inverse.empty() ? std::min(1.0, 1.0 / std::sqrt(-slope)) : 1.0;
    return wolfe_search(f, w, objective, slope, direction, first, 0.9, trial, new_gradient,
                        vectors);
  };
  Stopping stopping(f, options, vectors);
  while (!stopping.at(w, gradient, objective, vectors.max_abs(gradient), last_step)) {
    LinePoint to = search();
    if (to.step == 0.0 && !inverse.empty()) {
      inverse.forget();
      to = search();
    }
    if (to.step == 0.0) return;  // rounding leaves no step that decreases F
    inverse.remember(w, trial, gradient, new_gradient);
    vectors.copy(trial, w);
    std::swap(gradient, new_gradient);
    objective = to.value;
    last_step = to.step;
  }
}

}  // namespace linnet
