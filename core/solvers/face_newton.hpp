// Newton's direction among some of the weights, the others held where they are.
//
//   H_FF s = -p_F,   s = 0 outside F
//
// with H the Hessian at the point F was last evaluated at, by conjugate gradients preconditioned
// with the diagonal of H.
#pragma once

#include <memory>

#include "../vectors.hpp"
#include "objective.hpp"

namespace linnet {

class FaceNewton {
 public:
  FaceNewton(Objective& f, Vectors& vectors) : f_(f), v_(vectors) {}

  // direction = s for the gradient p; F is where w or p is not zero.
  void solve(const double* w, const double* p, double* direction);

 private:
  template <class Body>
  void each(Body&& body);
  double scaled_norm();  // |residual|^2 in the norm of the inverse preconditioner

  Objective& f_;
  Vectors& v_;
  std::unique_ptr<double[]> memory_;  // made by the first solve
  double *residual_ = nullptr, *along_ = nullptr, *product_ = nullptr, *diagonal_ = nullptr;
};

}  // namespace linnet
