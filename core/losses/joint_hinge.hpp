// The hinge of Crammer and Singer: the violation itself (SPEC M-73, M-84).
#pragma once

#include "max_margin.hpp"

namespace linnet {

class JointHinge : public MaxMargin<JointHinge> {
 public:
  static constexpr std::string_view kName = "hinge";
  static constexpr double kMost = 1.0;
  static constexpr double kSlack = 0.0;

  using MaxMargin::MaxMargin;

  static double outer(double v) { return v; }
  static double slope(double) { return 1.0; }
  static double conjugate_of_mass(double) { return 0.0; }
  static double share_of(double v, double, double cost) { return cost * v; }

  Rival rival(const double* s, std::int32_t gold) const {
    const std::int32_t guess = worst(s, gold);
    return {guess, s[guess] - s[gold] + terms_.cost_of(guess, gold), guess != gold};
  }
};

}  // namespace linnet
