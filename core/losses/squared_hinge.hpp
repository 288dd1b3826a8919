// The squared hinge: max(0, 1 - m)^2 (SPEC M-83, M-84).
#pragma once

#include "loss.hpp"

namespace linnet {

struct SquaredHinge {
  static constexpr std::string_view kName = "squared_hinge";
  static constexpr double kMost = kUnbounded;
  static constexpr double kSlack = 0.5;

  static double value(double m) { return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  static double derivative(double m) { return m < 1.0 ? -2.0 * (1.0 - m) : 0.0; }
  static double curvature(double m) { return m < 1.0 ? 2.0 : 0.0; }
  static double conjugate(double a) { return a * a / 4.0 - a; }
  static double dual_step(double a, double m, double cost, double q) {
    return quadratic_dual_step<SquaredHinge>(a, m, cost, q);
  }
};

}  // namespace linnet
