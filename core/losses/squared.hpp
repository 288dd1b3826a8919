// The squared error: (1 - m)^2, which is (y - s)^2 (SPEC M-91).
#pragma once

#include "loss.hpp"

namespace linnet {

struct Squared {
  static constexpr std::string_view kName = "squared";
  static constexpr double kMost = kUnbounded;  // and for a < 0 as well

  static double value(double m) { return (1.0 - m) * (1.0 - m); }
  static double derivative(double m) { return -2.0 * (1.0 - m); }
  static double curvature(double) { return 2.0; }
  static double conjugate(double a) { return a * a / 4.0 - a; }
};

}  // namespace linnet
