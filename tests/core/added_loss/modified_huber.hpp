// The modified Huber loss (Zhang 2004): a squared hinge that goes on as a straight line, so that
// one wrong label cannot outweigh many right ones.
//
//   0          m >= 1
//   (1 - m)^2  -1 <= m < 1
//   -4 m       m < -1
#pragma once

#include "loss.hpp"

namespace linnet {

struct ModifiedHuber {
  static constexpr std::string_view kName = "modified_huber";
  static constexpr double kMost = 4.0;   // the slope is never steeper
  static constexpr double kSlack = 0.5;  // loss*(-a) = a^2 / 4 - a

  static double value(double m) {
    if (m < -1.0) return -4.0 * m;
    return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0;
  }
  static double derivative(double m) {
    if (m < -1.0) return -4.0;
    return m < 1.0 ? -2.0 * (1.0 - m) : 0.0;
  }
  static double curvature(double m) { return m >= -1.0 && m < 1.0 ? 2.0 : 0.0; }
  static double conjugate(double a) { return a * a / 4.0 - a; }
  static double dual_step(double a, double m, double cost, double q) {
    return quadratic_dual_step<ModifiedHuber>(a, m, cost, q);
  }
};

}  // namespace linnet
