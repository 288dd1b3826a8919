// Newton's direction among some of the weights (face_newton.hpp): preconditioned conjugate
// gradients whose residual is held at 0 outside them.
#include "face_newton.hpp"

#include <algorithm>

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 1 << 15;
constexpr double kResidual = 0.1;     // relative, to reach
constexpr double kCurvature = 1e-10;  // least, for weights that no data hold
constexpr int kRounds = 100;

}  // namespace

void FaceNewton::solve(const double* w, const double* p, double* direction) {
  const std::int64_t n = v_.size();
  if (!memory_) {
    memory_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(4 * n));
    double** const parts[] = {&residual_, &along_, &product_, &diagonal_};
    for (std::int64_t k = 0; k < 4; ++k) *parts[k] = memory_.get() + k * n;
  }
  f_.hessian_diagonal(diagonal_);
  each([&](std::int64_t j) {
    diagonal_[j] = std::max(diagonal_[j], kCurvature);
    residual_[j] = -p[j];
    along_[j] = residual_[j] / diagonal_[j];
    direction[j] = 0.0;
  });
  double norm = scaled_norm();
  const double target = kResidual * kResidual * norm;
  for (int round = 0; round < kRounds && norm > target; ++round) {
    f_.hessian_times(along_, product_);
    const double curvature = v_.dot(along_, product_);  // along_ is 0 outside F
    if (!(curvature > 0.0)) return;
    const double length = norm / curvature;
    each([&](std::int64_t j) {
      direction[j] += length * along_[j];
      if (w[j] != 0.0 || p[j] != 0.0) residual_[j] -= length * product_[j];
    });
    const double before = norm;
    norm = scaled_norm();
    each([&](std::int64_t j) {
      along_[j] = residual_[j] / diagonal_[j] + norm / before * along_[j];
    });
  }
}

template <class Body>
void FaceNewton::each(Body&& body) {
  v_.pool().ranges(v_.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) body(j);
  });
}

double FaceNewton::scaled_norm() {
  return v_.pool().sum(v_.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
    double sum = 0.0;
    for (std::int64_t j = first; j < last; ++j) sum += residual_[j] * residual_[j] / diagonal_[j];
    return sum;
  });
}

}  // namespace linnet
