// The duality gap of a batch solver's point (batch.hpp): a sum of one term for each weight. With L1
// alone the dual point is pulled towards zero until it is feasible, and the conjugates of the
// losses are asked for its value.
#include <algorithm>
#include <cmath>

#include "batch.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 1 << 15;

double l1_only_gap(Objective& f, const double* gradient, double objective, double l1,
                   Vectors& vectors) {
  double shrink = 1.0;  // v_j = -gradient_j must stay within [-l1, l1] where a penalty holds it
  const std::int64_t n = vectors.size();
  for (std::int64_t j = 0; j < n; ++j) {
    const double v = std::abs(gradient[j]);
    if (v > l1) shrink = std::min(shrink, l1 / v);
  }
  return objective + f.conjugate_sum(shrink);
}

}  // namespace

double weight_gap(double l2, double w, double gradient) {
  if (l2 == 0.0) return std::abs(gradient) * std::max(1.0, std::abs(w));
  return gradient * gradient / (2.0 * l2);
}

double duality_gap(Objective& f, const double* w, const double* gradient, double objective,
                   double l1, Vectors& vectors) {
  if (l1 > 0.0 && f.l2(0) == 0.0) return l1_only_gap(f, gradient, objective, l1, vectors);
  return vectors.pool().sum(vectors.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
    double sum = 0.0;
    for (std::int64_t j = first; j < last; ++j) {
      const double l2 = f.l2(j);
      const double v = l2 * w[j] - gradient[j];  // X^T a
      if (l2 == 0.0 || l1 == 0.0) {
        sum += weight_gap(l2, w[j], gradient[j]);
      } else {
        const double over = std::max(0.0, std::abs(v) - l1);
        sum += l2 * w[j] * w[j] / 2.0 + l1 * std::abs(w[j]) + over * over / (2.0 * l2) - w[j] * v;
      }
    }
    return sum;
  });
}

}  // namespace linnet
