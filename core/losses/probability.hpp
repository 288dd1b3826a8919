// One minus the probability of the gold label: 1 - sigmoid(m) (SPEC M-64). It is not convex: it has
// no dual.
#pragma once

#include "loss.hpp"

namespace linnet {

struct Probability {
  static constexpr std::string_view kName = "probability";

  static double value(double m) { return 1.0 - sigmoid(m); }
  static double derivative(double m) { return -sigmoid(m) * sigmoid(-m); }
};

}  // namespace linnet
