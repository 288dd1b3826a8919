// Gradient descent with Armijo's line search (SPEC M-56, M-57, A-65; S0 Alg. 4).
//
//   w <- w - eta g,   eta shrunk until F(w - eta g) <= F(w) - c1 eta |g|^2
//
// The first search starts from `initial_step`, each later one from the last step enlarged once: the
// scale of eta is learnt once, not in every iteration. F never increases.
#include <cstddef>
#include <memory>

#include "stopping.hpp"

namespace linnet {

void gradient_descent(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  constexpr int kTrials = 100;
  const std::int64_t n = f.size();
  Vectors vectors(n, pool);
  const auto memory = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(2 * n));
  double *const gradient = memory.get(), *const trial = memory.get() + n;

  double objective = f.evaluate(w, gradient), last_step = 0.0, step = options.initial_step;
  Stopping stopping(f, options, vectors);
  while (!stopping.at(w, gradient, objective, vectors.max_abs(gradient), last_step)) {
    const double squared = vectors.dot(gradient, gradient);
    int tried = 0;
    auto falls = [&] {
      vectors.combine(w, -step, gradient, trial);
      const double value = f.value(trial);
      return value < objective && value <= objective - options.decrease * step * squared;
    };
    while (!falls()) {
      if (++tried == kTrials) return;  // rounding leaves no step that decreases F
      step *= options.shrink;
    }
    vectors.copy(trial, w);
    objective = f.evaluate(w, gradient);
    last_step = step;
    step /= options.shrink;
  }
}

}  // namespace linnet
