// What the joint hinges share (Crammer and Singer 2001; Keerthi et al. 2008).
//
//   violation   v = max_k (s_k + cost of guessing k) - s_gold
//   loss        outer(v): v for the hinge, v^2 for its square
//
// Such a loss names itself and gives
//   outer(v), slope(v)       value and derivative
//   conjugate_of_mass(t)     sup_v (t v - outer(v))
//   share_of(v, t, cost)     cost (outer(v) + conjugate_of_mass(t / cost)), t = alpha_gold
//   kMost, kSlack            bound and curvature of the dual variable of gold
#pragma once

#include <algorithm>

#include "joint_loss.hpp"

namespace linnet {

template <class Loss>
class MaxMargin {
 public:
  static constexpr std::int32_t kScratch = 2;

  explicit MaxMargin(const JointTerms& terms) : terms_(terms) {}

  // What the cost-augmented argmax runs over.
  double augmented(const double* s, std::int32_t gold, std::int32_t k) const {
    return k == gold ? s[k] : s[k] + terms_.cost_of(k, gold);
  }

  double differentiate(const double* s, std::int32_t gold, double* residual) const {
    const std::int32_t guess = worst(s, gold);
    const double v = augmented(s, gold, guess) - s[gold], slope = Loss::slope(v);
    std::fill(residual, residual + terms_.classes, 0.0);
    residual[guess] += slope;
    residual[gold] -= slope;
    return Loss::outer(v);
  }

  double conjugate(const double* a, std::int32_t gold) const {
    double sum = Loss::conjugate_of_mass(a[gold]);
    for (std::int32_t k = 0; k < terms_.classes; ++k) {
      if (k != gold) sum += a[k] * terms_.cost_of(k, gold);
    }
    return sum;
  }

  double share(const double* s, const double* alpha, std::int32_t gold, double cost,
               double*) const {
    if (cost == 0.0) return 0.0;
    double top = s[gold], cross = 0.0;
    for (std::int32_t k = 0; k < terms_.classes; ++k) {
      const double g = augmented(s, gold, k);
      top = std::max(top, g);
      cross += alpha[k] * g;
    }
    return Loss::share_of(top - s[gold], alpha[gold], cost) + cross;
  }

  void dual_step(const double* s, double q, double cost, std::int32_t gold, double*, double* alpha,
                 double* scratch) const {
    if (q > 0.0) {
      balance(s, q, cost, gold, alpha, scratch, scratch + terms_.classes);
    } else {
      step_without_features(s, cost, gold, alpha);
    }
  }

 protected:
  // The label of the largest augmented score: gold if it is one, else the lowest.
  std::int32_t worst(const double* s, std::int32_t gold) const {
    std::int32_t best = gold;
    double top = s[gold];
    for (std::int32_t k = 0; k < terms_.classes; ++k) {
      const double g = augmented(s, gold, k);
      if (g > top) best = k, top = g;
    }
    return best;
  }

  JointTerms terms_;

 private:
  // alpha_k = min(cap_k, (B_k - theta) / q_k) with zero sum, B_k = q alpha_k - augmented_k; the cap
  // is 0 for wrong labels. Those below theta are a prefix of the sorted B; theta is found by
  // growing it.
  void balance(const double* s, double q, double cost, std::int32_t gold, double* alpha,
               double* bounds, double* order) const {
    const double gold_q = q + slack_of<Loss>(cost), cap = Loss::kMost * cost;
    std::int32_t wrong = 0;
    double gold_b = 0.0;
    for (std::int32_t k = 0; k < terms_.classes; ++k) {
      bounds[k] = q * alpha[k] - augmented(s, gold, k);
      if (k == gold) {
        gold_b = bounds[k];
      } else {
        order[wrong++] = bounds[k];
      }
    }
    std::sort(order, order + wrong);
    double theta = gold_b, total = 0.0;
    for (std::int32_t r = 0; r < wrong && order[r] < theta; ++r) {
      total += order[r];
      const double n = static_cast<double>(r + 1);
      theta = (gold_b / gold_q + total / q) / (1.0 / gold_q + n / q);
      if ((gold_b - theta) / gold_q > cap) theta = (q * cap + total) / n;
    }
    double gold_value = 0.0;
    for (std::int32_t k = 0; k < terms_.classes; ++k) {
      if (k == gold) continue;
      alpha[k] = std::min(0.0, (bounds[k] - theta) / q);
      gold_value -= alpha[k];
    }
    alpha[gold] = std::min(gold_value, cap);
  }

  // Scores of 0 whatever the weights: all the mass goes to the costliest guess.
  void step_without_features(const double* s, double cost, std::int32_t gold, double* alpha) const {
    const std::int32_t guess = worst(s, gold);
    std::fill(alpha, alpha + terms_.classes, 0.0);
    if (guess == gold) return;
    const double mass = cost * Loss::slope(augmented(s, gold, guess) - s[gold]);
    alpha[gold] = mass;
    alpha[guess] = -mass;
  }
};

}  // namespace linnet
