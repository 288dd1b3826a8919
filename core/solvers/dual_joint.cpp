// Dual coordinate descent where all labels compete (dual_cd.hpp).
//
//   dual   1/2 |X^T A|^2 + sum_i cost_i loss*(-A_i / cost_i)
//
// to be minimised over A, whose row A_i, the coefficients of x_i in the K columns, adds up to zero.
// Given a joint loss that has a dual step, which is what a visit of row i makes with A_i.
#include <algorithm>
#include <memory>
#include <vector>

#include "../losses/all.hpp"
#include "dual_rule.hpp"

namespace linnet {
namespace {

template <HasJointDualStep L>
class JointRule final : public DualRule {
 public:
  JointRule(const Examples& examples, const DualOptions& options, const double* alpha,
            std::int64_t rows)
      : examples_(examples),
        tolerance_(options.tolerance),
        rows_(rows),
        classes_(examples.classes),
        alpha_(alpha, alpha + rows * classes_),
        loss_({classes_, options.margins}),
        scratch_(static_cast<std::size_t>(L::kScratch * classes_)) {
    if constexpr (HasJointMemory<L>) {
      // p starts where alpha says; a fresh start (alpha = 0) has all mass on the gold label.
      memory_.resize(alpha_.size());
      for (std::int64_t n = 0; n < rows * classes_; ++n) {
        const double cost = examples.cost[n / classes_];
        const double gold = n % classes_ == examples.gold[n / classes_] ? 1.0 : 0.0;
        memory_[n] = L::memory(cost > 0.0 ? gold - alpha_[n] / cost : gold);
      }
    }
  }

  std::unique_ptr<DualRule> clone() const override { return std::make_unique<JointRule>(*this); }

  std::int32_t width() const override { return classes_; }
  std::int32_t problems() const override { return 1; }

  void coefficients(std::int64_t i, double* amount) const override {
    std::copy_n(alpha_.data() + i * classes_, classes_, amount);
  }

  void prefetch(std::int64_t i) const override { LINNET_PREFETCH(alpha_.data() + i * classes_); }

  Visit step(std::int64_t i, const double* scores, double q, double* amount) override {
    double* alpha = alpha_.data() + i * classes_;
    const double cost = examples_.cost[i];
    const double share = loss_.share(scores, alpha, examples_.gold[i], cost, scratch_.data());
    if (share <= negligible_ || cost == 0.0) return {share, false, false};
    double* memory = memory_.empty() ? nullptr : memory_.data() + i * classes_;
    std::copy_n(alpha, classes_, amount);
    loss_.dual_step(scores, q, cost, examples_.gold[i], memory, alpha, scratch_.data());
    bool moved = false;
    for (std::int32_t k = 0; k < classes_; ++k) {
      amount[k] = alpha[k] - amount[k];
      moved |= amount[k] != 0.0;
    }
    return {share, true, moved};
  }

  void measure(std::int64_t i, const double* scores, double* loss, double* gap) const override {
    std::vector<double> scratch(scratch_.size());
    const double cost = examples_.cost[i];
    *loss += cost * loss_.differentiate(scores, examples_.gold[i], scratch.data());
    *gap +=
        loss_.share(scores, alpha_.data() + i * classes_, examples_.gold[i], cost, scratch.data());
  }

  void certified(const double* objective, const double*) override { expect(objective); }

  void expect(const double* objective) override {
    allowed_ = tolerance_ * *objective;
    negligible_ = kNegligible * allowed_ / static_cast<double>(std::max<std::int64_t>(1, rows_));
  }

  bool is_done(std::int32_t) const override { return false; }
  double allowed(std::int32_t) const override { return allowed_; }

  bool is_smooth() const override { return false; }
  bool is_quadratic() const override { return HasJointQuadraticDual<L>; }
  bool is_balanced() const override { return true; }
  double most() const override {
    if constexpr (HasJointQuadraticDual<L>) return L::kMost;
    return kUnbounded;
  }
  double slack() const override {
    if constexpr (HasJointQuadraticDual<L>) return L::kSlack;
    return 0.0;
  }
  std::pair<std::int32_t, std::int32_t> columns_of(std::int32_t) const override {
    return {0, classes_};
  }
  double cost(std::int64_t i) const override { return examples_.cost[i]; }

  bool is_inside(std::int32_t, std::int64_t i) const override {
    const double* alpha = alpha_.data() + i * classes_;
    int count = 0;
    for (std::int32_t k = 0; k < classes_; ++k) count += alpha[k] != 0.0 && !at_cap(i, k);
    return count > 1;
  }

  void free(std::int32_t, std::int64_t i, const double* scores,
            std::vector<Coordinate>& out) const override {
    if constexpr (HasJointQuadraticDual<L>) {
      const double* alpha = alpha_.data() + i * classes_;
      out.clear();
      for (std::int32_t k = 0; k < classes_; ++k) {
        if (alpha[k] == 0.0 || at_cap(i, k)) continue;
        const bool gold = k == examples_.gold[i];
        const double slack = gold ? slack_of<L>(examples_.cost[i]) : 0.0;
        const double high = gold ? cap(i) : 0.0;
        const double gradient = loss_.augmented(scores, examples_.gold[i], k) + slack * alpha[k];
        out.push_back({k, 1.0, alpha[k], -kUnbounded, high, gradient, slack});
      }
    }
  }

  void take(std::int32_t, std::int64_t i, const Coordinate* from, const Coordinate* to) override {
    double* alpha = alpha_.data() + i * classes_;
    const std::int32_t gold = examples_.gold[i];
    for (; from != to; ++from) alpha[from->column] = from->value;
    double wrong = 0.0;  // the gold label takes what rounding has left of a zero sum
    for (std::int32_t k = 0; k < classes_; ++k) wrong += k == gold ? 0.0 : alpha[k];
    alpha[gold] = std::min(-wrong, cap(i));
  }

  void copy_alpha(double* out) const override { std::copy(alpha_.begin(), alpha_.end(), out); }

 private:
  double cap(std::int64_t i) const { return most() * examples_.cost[i]; }
  bool at_cap(std::int64_t i, std::int32_t k) const {
    return k == examples_.gold[i] && alpha_[i * classes_ + k] >= cap(i);
  }

  Examples examples_;
  double tolerance_;
  std::int64_t rows_;
  std::int32_t classes_;
  std::vector<double> alpha_;   // [rows][K]
  std::vector<double> memory_;  // [rows][K] of losses that have one
  L loss_;
  std::vector<double> scratch_;
  double allowed_ = 0.0, negligible_ = 0.0;
};

}  // namespace

std::unique_ptr<DualRule> joint_rule(const Examples& examples, const DualOptions& options,
                                     const double* alpha, std::int64_t rows) {
  return with_loss(JointLosses{}, options.loss,
                   [&]<class L>(std::type_identity<L>) -> std::unique_ptr<DualRule> {
                     if constexpr (HasJointDualStep<L>) {
                       return std::make_unique<JointRule<L>>(examples, options, alpha, rows);
                     } else {
                       lacks(L::kName, HasJointConjugate<L> ? "dual step" : "conjugate",
                             "joint dual coordinate descent");
                     }
                   });
}

}  // namespace linnet
