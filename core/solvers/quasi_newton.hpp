// The memory of L-BFGS: the last m pairs s = w' - w, y = g' - g stand for an approximate inverse
// Hessian H, which the two-loop recursion multiplies by a vector without forming it (SPEC M-59;
// Nocedal 1980). Before them H is a multiple of a given diagonal, or of the identity.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "../vectors.hpp"

namespace linnet {

class QuasiNewton {
 public:
  // With `only_moved` y counts as 0 where s is 0: the gradients of weights held at zero say nothing
  // about the curvature among those that move.
  QuasiNewton(int pairs, bool only_moved, const double* diagonal, Vectors& vectors);

  // Learns from a move from (w, g) to (w_new, g_new); the oldest pair is forgotten. A pair without
  // safely positive curvature s.y says nothing and is left out.
  void remember(const double* w, const double* w_new, const double* g, const double* g_new);

  void multiply(double* q);  // q = H q

  bool empty() const { return used_ == 0; }
  void forget() { used_ = 0; }

 private:
  double* s(int age) { return memory_.get() + 2 * slot(age) * vectors_.size(); }
  double* y(int age) { return s(age) + vectors_.size(); }
  int slot(int age) const { return (newest_ + capacity_ - age) % capacity_; }

  Vectors& vectors_;
  const int capacity_;
  const bool only_moved_;
  const double* const diagonal_;  // [size] or null
  int used_ = 0, newest_ = 0;
  std::unique_ptr<double[]> memory_;  // [capacity][2][size], its pages touched only when used
  std::vector<double> curvature_;     // [capacity] s.y
  double scale_ = 1.0;                // s.y / y.(diagonal y) of the newest pair
};

}  // namespace linnet
