// When a batch solver stops (stopping.hpp): at a gap within the tolerance, at a gradient of 0, or
// when neither objective nor gap has fallen for a while.
#include "stopping.hpp"

#include <algorithm>
#include <cmath>

namespace linnet {
namespace {

constexpr int kStale = 20;

}  // namespace

bool Stopping::at(const double* w, const double* gradient, double objective, double norm,
                  double step) {
  double bound = gap(w, gradient, objective);
  if (certified_) {  // no point lies below what an earlier one has shown
    floor_ = std::max(floor_, objective - bound);
    if (options_.l1 == 0.0) {
      floor_ = std::max(floor_, tangents_.at(f_, w, gradient, objective, vectors_));
    }
    bound = objective - floor_;
  }
  const bool go_on = vectors_.pool().progress().record({iteration_, objective, bound, norm, step});
  stale_ = objective < least_objective_ || bound < least_gap_ ? 0 : stale_ + 1;
  least_objective_ = std::min(least_objective_, objective);
  least_gap_ = std::min(least_gap_, bound);
  return !go_on || bound <= options_.tolerance * objective || norm == 0.0 || stale_ == kStale ||
         iteration_++ >= options_.max_iterations;
}

// With l1 alone the duality gap takes every weight for a penalised one; a free bias is added as it
// is elsewhere, by the first-order estimate |g_j| max(1, |w_j|).
double Stopping::gap(const double* w, const double* gradient, double objective) {
  double sum = std::abs(duality_gap(f_, w, gradient, objective, options_.l1, vectors_));
  if (options_.l1 > 0.0 && f_.l2(0) == 0.0) {
    for (std::int64_t j = options_.l1_size; j < vectors_.size(); ++j) {
      sum += std::abs(gradient[j]) * std::max(1.0, std::abs(w[j]));
    }
  }
  return sum;
}

}  // namespace linnet
