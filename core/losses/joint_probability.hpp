// One minus the probability of the gold label under the softmax (SPEC M-64). It is not convex: it
// has no dual.
#pragma once

#include "joint_loss.hpp"

namespace linnet {

class JointProbability {
 public:
  static constexpr std::string_view kName = "probability";

  explicit JointProbability(const JointTerms& terms) : classes_(terms.classes) {}

  // The residual is P(gold) (P - 1[gold]).
  double differentiate(const double* s, std::int32_t gold, double* residual) const {
    copy_scores(s, classes_, residual);
    softmax(residual, classes_);
    const double p = residual[gold];
    residual[gold] -= 1.0;
    for (std::int32_t k = 0; k < classes_; ++k) residual[k] *= p;
    return 1.0 - p;
  }

 private:
  std::int32_t classes_;
};

}  // namespace linnet
