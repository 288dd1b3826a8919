// The hinge: max(0, 1 - m) (SPEC M-75, M-84).
#pragma once

#include "loss.hpp"

namespace linnet {

struct Hinge {
  static constexpr std::string_view kName = "hinge";
  static constexpr double kKink = 1.0;
  static constexpr double kMost = 1.0;
  static constexpr double kSlack = 0.0;

  static double value(double m, double kink = kKink) { return std::max(0.0, kink - m); }
  static double derivative(double m) { return m < kKink ? -1.0 : 0.0; }
  static double conjugate(double a) { return -a; }
  static double dual_step(double a, double m, double cost, double q) {
    return quadratic_dual_step<Hinge>(a, m, cost, q);
  }
};

}  // namespace linnet
