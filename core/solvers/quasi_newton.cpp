// The two-loop recursion of L-BFGS (quasi_newton.hpp; Nocedal 1980). Pairs lie in a ring, the
// newest in place of the oldest.
#include "quasi_newton.hpp"

#include <algorithm>
#include <cmath>

namespace linnet {

QuasiNewton::QuasiNewton(int pairs, bool only_moved, const double* diagonal, Vectors& vectors)
    : vectors_(vectors),
      capacity_(std::max(1, pairs)),
      only_moved_(only_moved),
      diagonal_(diagonal),
      memory_(std::make_unique_for_overwrite<double[]>(
          static_cast<std::size_t>(2 * capacity_ * vectors.size()))),
      curvature_(static_cast<std::size_t>(capacity_)) {}

void QuasiNewton::remember(const double* w, const double* w_new, const double* g,
                           const double* g_new) {
  const int before = newest_, kept = std::min(used_, capacity_ - 1);
  newest_ = (newest_ + 1) % capacity_;
  vectors_.combine(w_new, -1.0, w, s(0));
  vectors_.combine(g_new, -1.0, g, y(0));
  if (only_moved_) {
    const double* moved = s(0);
    double* change = y(0);
    vectors_.pool().ranges(vectors_.size(), 1 << 15, [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) change[j] = moved[j] != 0.0 ? change[j] : 0.0;
    });
  }
  const double ss = vectors_.dot(s(0), s(0)), yy = vectors_.dot(y(0), y(0));
  const double sy = vectors_.dot(s(0), y(0));
  if (sy > 1e-10 * std::sqrt(ss * yy)) {
    curvature_[static_cast<std::size_t>(newest_)] = sy;
    scale_ = sy / (diagonal_ ? vectors_.dot(y(0), y(0), diagonal_) : yy);
    used_ = kept + 1;
  } else {
    newest_ = before;
    used_ = kept;  // the slot of the oldest pair was overwritten
  }
}

void QuasiNewton::multiply(double* q) {
  std::vector<double> along(static_cast<std::size_t>(used_));
  for (int age = 0; age < used_; ++age) {
    const double a = vectors_.dot(s(age), q) / curvature_[static_cast<std::size_t>(slot(age))];
    vectors_.add(q, -a, y(age));
    along[static_cast<std::size_t>(age)] = a;
  }
  if (diagonal_) vectors_.multiply(q, diagonal_);
  if (used_ > 0) vectors_.scale(q, scale_);
  for (int age = used_ - 1; age >= 0; --age) {
    const double b = vectors_.dot(y(age), q) / curvature_[static_cast<std::size_t>(slot(age))];
    vectors_.add(q, along[static_cast<std::size_t>(age)] - b, s(age));
  }
}

}  // namespace linnet
