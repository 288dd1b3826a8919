// The square of Crammer and Singer's hinge (SPEC M-83, M-84).
#pragma once

#include "max_margin.hpp"

namespace linnet {

class JointSquaredHinge : public MaxMargin<JointSquaredHinge> {
 public:
  static constexpr std::string_view kName = "squared_hinge";
  static constexpr double kMost = kUnbounded;
  static constexpr double kSlack = 0.5;

  using MaxMargin::MaxMargin;

  static double outer(double v) { return v * v; }
  static double slope(double v) { return 2.0 * v; }
  static double conjugate_of_mass(double t) { return t * t / 4.0; }
  static double share_of(double v, double t, double cost) {
    return cost * v * v + t * t / (4.0 * cost);
  }
};

}  // namespace linnet
