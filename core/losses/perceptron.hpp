// The perceptron criterion: max(0, -m), or max(0, margin - m) (SPEC M-29, M-44).
#pragma once

#include "loss.hpp"

namespace linnet {

struct Perceptron {
  static constexpr std::string_view kName = "perceptron";
  static constexpr double kKink = 0.0;
  static constexpr double kMost = 1.0;
  static constexpr bool kCorrects = true;

  static double value(double m, double kink = kKink) { return std::max(0.0, kink - m); }
  static double derivative(double m) { return m < kKink ? -1.0 : 0.0; }
  static double conjugate(double) { return 0.0; }
};

}  // namespace linnet
