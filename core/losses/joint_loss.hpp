// Losses in which all labels compete: functions of the scores s[K] of one example and its gold
// label (SPEC M-73, M-91, M-126).
//
//   kName                                 what callers call it
//   differentiate(s, gold, residual)      every loss: its value; residual[K] = d loss / d s, at a
//                                         kink one of the subgradients; it may be s itself
//   differentiate(s, gold, residual, curve)    also writes what the next two need of this point
//   curve(cost, curve, v)                 v[K] becomes (second derivative) v, times the cost
//   diagonal(cost, curve, out)            out[K] = its diagonal, times the cost
//   conjugate(a, gold)                    loss*(-a) = sup_s (-a.s - loss(s)), where that is finite
//   rival(s, gold)                        the residual is 1[rival] - 1[gold] or 0: which, and how
//                                         far it is above gold
//   share(s, alpha, gold, cost, scratch)  what the example adds to the duality gap; never negative
//                                         but for rounding
//   dual_step(s, q, cost, gold, memory, alpha, scratch)
//                                         alpha[K] becomes its optimum, those of other examples
//                                         held; q = |x|^2. scratch is [kScratch * K]
//   memory(p)                             one number kept with each dual variable, where to go on
//                                         from, for p = 1[gold] - alpha / cost
//   kMost, kSlack, augmented(s, gold, k)  the dual is a quadratic: alpha_gold <= kMost cost and has
//                                         the curvature kSlack / cost, the linear terms augmented
//
// alpha[k] is the coefficient of x in column k: non-negative for the gold label, non-positive for
// the others, of zero sum.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "loss.hpp"

namespace linnet {

// What a joint loss is made from.
struct JointTerms {
  std::int32_t classes;
  const double* costs = nullptr;  // [K][K] cost of guessing k for gold y; null = 1 where wrong
  double margin = 0.0;            // of the perceptron

  double cost_of(std::int32_t guess, std::int32_t gold) const {
    if (costs == nullptr) return guess == gold ? 0.0 : 1.0;
    return costs[gold * classes + guess];
  }
};

inline void copy_scores(const double* s, std::int32_t classes, double* out) {
  if (out != s) std::copy(s, s + classes, out);
}

// The label that is held against gold.
struct Rival {
  std::int32_t label;
  double violation;  // the loss, if it acts
  bool acts;
};

template <class L>
concept JointLoss = std::constructible_from<L, JointTerms> &&
                    requires(const L& loss, const double* s, std::int32_t gold, double* out) {
                      { L::kName } -> std::convertible_to<std::string_view>;
                      { loss.differentiate(s, gold, out) } -> std::same_as<double>;
                    };

template <class L>
concept HasJointCurvature =
    requires(const L& loss, const double* s, std::int32_t gold, double* out) {
      { loss.differentiate(s, gold, out, out) } -> std::same_as<double>;
      loss.curve(1.0, s, out);
      loss.diagonal(1.0, s, out);
    };

template <class L>
concept HasJointConjugate = requires(const L& loss, const double* a, std::int32_t gold) {
  { loss.conjugate(a, gold) } -> std::same_as<double>;
};

template <class L>
concept HasRival = requires(const L& loss, const double* s, std::int32_t gold) {
  { loss.rival(s, gold) } -> std::same_as<Rival>;
};

template <class L>
concept HasJointDualStep =
    requires(const L& loss, const double* s, std::int32_t gold, double* out) {
      { loss.share(s, s, gold, 1.0, out) } -> std::same_as<double>;
      loss.dual_step(s, 1.0, 1.0, gold, out, out, out);
      { L::kScratch } -> std::convertible_to<std::int32_t>;
    };

template <class L>
concept HasJointMemory = requires(double p) {
  { L::memory(p) } -> std::same_as<double>;
};

template <class L>
concept HasJointQuadraticDual = requires(const L& loss, const double* s, std::int32_t gold) {
  { L::kMost } -> std::convertible_to<double>;
  { L::kSlack } -> std::convertible_to<double>;
  { loss.augmented(s, gold, gold) } -> std::same_as<double>;
};

}  // namespace linnet
