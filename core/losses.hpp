// Losses as pure functions (SPEC M-91, M-126). Binary losses take the margin m = y s; each gives
// its value, its derivative, its curvature, and where a dual exists its convex conjugate.
#pragma once

#include <cmath>

#include "numeric.hpp"

namespace linnet {

enum class Loss { perceptron, hinge, squared_hinge, log, probability, squared };

namespace loss {

// At a kink the derivative is the one of the branch "otherwise": 0 (SPEC M-87).
inline double value(Loss loss, double m) {
  switch (loss) {
    case Loss::perceptron: return std::max(0.0, -m);
    case Loss::hinge: return std::max(0.0, 1.0 - m);
    case Loss::squared_hinge: return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0;
    case Loss::log: return log1p_exp(-m);
    case Loss::probability: return 1.0 - sigmoid(m);
    case Loss::squared: return (1.0 - m) * (1.0 - m);
  }
  return 0.0;
}

inline double derivative(Loss loss, double m) {
  switch (loss) {
    case Loss::perceptron: return m < 0.0 ? -1.0 : 0.0;
    case Loss::hinge: return m < 1.0 ? -1.0 : 0.0;
    case Loss::squared_hinge: return m < 1.0 ? -2.0 * (1.0 - m) : 0.0;
    case Loss::log: return -sigmoid(-m);
    case Loss::probability: return -sigmoid(m) * sigmoid(-m);
    case Loss::squared: return -2.0 * (1.0 - m);
  }
  return 0.0;
}

// Second derivative, generalised where the first has a kink; 0 for piecewise linear losses.
inline double curvature(Loss loss, double m) {
  switch (loss) {
    case Loss::squared_hinge: return m < 1.0 ? 2.0 : 0.0;
    case Loss::log: return sigmoid(m) * sigmoid(-m);
    case Loss::squared: return 2.0;
    default: return 0.0;
  }
}

// The conjugate at -a: sup_m (-a m - loss(m)), for the a that make it finite.
inline double conjugate(Loss loss, double a) {
  switch (loss) {
    case Loss::hinge: return -a;                           // 0 <= a <= 1
    case Loss::squared_hinge: return a * a / 4.0 - a;      // a >= 0
    case Loss::log: return x_log_x(a) + x_log_x(1.0 - a);  // 0 <= a <= 1
    case Loss::squared: return a * a / 4.0 - a;
    default: return 0.0;
  }
}

}  // namespace loss
}  // namespace linnet
