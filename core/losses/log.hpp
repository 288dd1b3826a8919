// The log loss of two classes: ln(1 + e^-m) (SPEC M-54, M-69).
//
// Its dual variable is a = cost p, 0 < p < 1. Where p is near 0 or 1 it says little of itself, so
// the dual works with its log-odds u = ln(p / (1 - p)), which each example remembers (Yu, Huang and
// Lin 2011).
#pragma once

#include "loss.hpp"

namespace linnet {

struct Log {
  static constexpr std::string_view kName = "log";
  static constexpr double kMost = 1.0;

  static double value(double m) { return log1p_exp(-m); }
  static double derivative(double m) { return -sigmoid(-m); }
  // Both from one exponential, to the same bits.
  static double value_and_derivative(double m, double& derivative) {
    const double e = std::exp(-std::abs(m));
    derivative = -(m > 0.0 ? e : 1.0) / (1.0 + e);
    return std::max(-m, 0.0) + std::log1p(e);
  }
  static double curvature(double m) { return sigmoid(m) * sigmoid(-m); }
  static double conjugate(double a) { return x_log_x(a) + x_log_x(1.0 - a); }

  // -inf at a = 0, where the step starts from its bracket
  static double memory(double a, double cost) { return std::log(a) - std::log(cost - a); }

  static double dual_step(double a, double m, double cost, double q, double& odds) {
    odds = best_odds(odds, m - q * a, q * cost);
    return cost * sigmoid(odds);
  }

  // cost (value(m) + conjugate(a / cost)) + a m is cost KL(p || sigmoid(-m)); near its end the
  // second order in the difference of the log-odds spares logarithms.
  static double dual_share(double a, double m, double cost, double odds) {
    if (!(a > 0.0)) return cost * (value(m) + conjugate(a / cost)) + a * m;
    const double difference = odds + m, p = a / cost;
    if (std::abs(difference) < 0.5) return 0.5 * cost * p * (1.0 - p) * difference * difference;
    return cost * (p * difference - log1p_exp(odds) + log1p_exp(-m));
  }

 private:
  // The root u of  u + m + q_cost sigmoid(u), whose slope is >= 1, so that Newton inside the
  // bracket [-m - q_cost, -m] is safe.
  static double best_odds(double u, double m, double q_cost) {
    double low = -m - q_cost, high = -m;
    u = std::clamp(u, low, high);
    for (int round = 0; round < 50; ++round) {
      const double p = sigmoid(u);
      const double g = u + m + q_cost * p;
      (g > 0.0 ? high : low) = u;
      const double next = u - g / (1.0 + q_cost * p * (1.0 - p));
      u = next >= low && next <= high ? next : 0.5 * (low + high);
      if (std::abs(g) <= 1e-3) break;  // Newton has squared the error by now
    }
    return u;
  }
};

}  // namespace linnet
