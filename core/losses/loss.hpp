// What a loss is, and what a solver may ask of one.
//
// A margin loss compares one score s with y = +1 or -1 by the margin m = y s (SPEC M-91, M-126).
// Its file is a struct of static members; a loss has as many of them as its mathematics allows:
//
//   kName                        what callers call it
//   value(m), derivative(m)      every loss; at a kink the branch "otherwise", 0 (SPEC M-87)
//   value_and_derivative(m, d)   both at once, where that saves work
//   curvature(m)                 second derivative, generalised where the first has a kink
//   conjugate(a)                 loss*(-a) = sup_m (-a m - loss(m)), where that is finite
//   kMost                        that is so for 0 <= a <= kMost
//   dual_step(a, m, cost, q)     the dual variable of one example at its optimum, the others held:
//                                  argmin_b  q (b - a)^2 / 2 + m b + cost loss*(-b / cost)
//   kSlack                       loss*(-a) = kSlack a^2 / 2 - a: the dual is a quadratic
//   memory(a, cost)              a number kept with each dual variable, where to go on from; then
//                                  dual_step and dual_share take it as their last argument
//   kKink                        the loss is max(0, kKink - m), value(m, kink) with another kink
//   kCorrects                    online, only mistakes are answered and the learner says what the
//                                  margin is; others answer every example
//
// A joint loss compares the scores of all labels with the gold one (joint_loss.hpp).
//
// A solver says by concept which of these it needs. Which losses there are, all.hpp says.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../numeric.hpp"

namespace linnet {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

template <class L>
concept MarginLoss = requires(double m) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::value(m) } -> std::same_as<double>;
  { L::derivative(m) } -> std::same_as<double>;
};

template <class L>
concept HasCurvature = requires(double m) {
  { L::curvature(m) } -> std::same_as<double>;
};

template <class L>
concept HasConjugate = requires(double a) {
  { L::conjugate(a) } -> std::same_as<double>;
  { L::kMost } -> std::convertible_to<double>;
};

template <class L>
concept HasQuadraticDual = HasConjugate<L> && requires {
  { L::kSlack } -> std::convertible_to<double>;
};

template <class L>
concept HasMemory = requires(double a, double m, double cost, double q, double memory) {
  { L::memory(a, cost) } -> std::same_as<double>;
  { L::dual_step(a, m, cost, q, memory) } -> std::same_as<double>;
  { L::dual_share(a, m, cost, memory) } -> std::same_as<double>;
};

template <class L>
concept HasDualStep =
    HasConjugate<L> && (HasMemory<L> || requires(double a, double m, double cost, double q) {
      { L::dual_step(a, m, cost, q) } -> std::same_as<double>;
    });

template <class L>
concept HasKink = requires(double m) {
  { L::kKink } -> std::convertible_to<double>;
  { L::value(m, m) } -> std::same_as<double>;
};

template <class L>
concept Corrects = requires { requires L::kCorrects; };

// The value at m and the derivative, at once where the loss has a way.
template <MarginLoss L>
double value_and_derivative(double m, double& derivative) {
  if constexpr (requires { L::value_and_derivative(m, derivative); }) {
    return L::value_and_derivative(m, derivative);
  } else {
    derivative = L::derivative(m);
    return L::value(m);
  }
}

// The curvature of cost loss*(-a / cost) in a
template <class L>
double slack_of(double cost) {
  if constexpr (L::kSlack == 0.0) return 0.0;
  return L::kSlack / cost;
}

// What the conjugate kSlack a^2 / 2 - a, 0 <= a <= kMost, makes of dual_step.
template <HasQuadraticDual L>
double quadratic_dual_step(double a, double m, double cost, double q) {
  const double slack = slack_of<L>(cost);
  if (q + slack == 0.0) return L::kMost * cost;  // a row of zeros has m = 0 whatever the weights
  return std::clamp(a - (m - 1.0 + slack * a) / (q + slack), 0.0, L::kMost * cost);
}

[[noreturn]] inline void lacks(std::string_view loss, std::string_view what,
                               std::string_view solver) {
  throw std::invalid_argument(std::string(solver) + " needs the " + std::string(what) +
                              " of a loss, which " + std::string(loss) + " does not have");
}

}  // namespace linnet
