// The perceptron criterion of several labels: how far the guess is above gold (SPEC M-31, M-44).
//
//   max_k s_k - s_gold, or with a margin max(0, margin + max over k != gold of s_k - s_gold)
#pragma once

#include "../structures/flat.hpp"
#include "joint_loss.hpp"

namespace linnet {

class JointPerceptron {
 public:
  static constexpr std::string_view kName = "perceptron";
  static constexpr bool kCorrects = true;

  explicit JointPerceptron(const JointTerms& terms) : terms_(terms) {}

  Rival rival(const double* s, std::int32_t gold) const {
    const double margin = terms_.margin;
    const std::int32_t guess = margin > 0.0 ? best_other(s, gold) : flat::decode(s, terms_.classes);
    const bool acts = margin > 0.0 ? s[gold] - s[guess] <= margin : guess != gold;
    return {guess, std::max(0.0, margin + s[guess] - s[gold]), acts};
  }

  double differentiate(const double* s, std::int32_t gold, double* residual) const {
    const Rival other = rival(s, gold);
    std::fill(residual, residual + terms_.classes, 0.0);
    residual[other.label] += other.acts ? 1.0 : 0.0;
    residual[gold] -= other.acts ? 1.0 : 0.0;
    return other.violation;
  }

 private:
  std::int32_t best_other(const double* s, std::int32_t gold) const {
    std::int32_t best = gold == 0 ? 1 : 0;
    for (std::int32_t k = best + 1; k < terms_.classes; ++k) {
      if (k != gold && s[k] > s[best]) best = k;
    }
    return best;
  }

  JointTerms terms_;
};

}  // namespace linnet
