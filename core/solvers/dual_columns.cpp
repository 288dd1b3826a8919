// Dual coordinate descent where each column is a binary problem of its own (dual_cd.hpp).
//
//   dual of one column   1/2 |sum_i y_i a_i x_i|^2 + sum_i cost_i loss*(-a_i / cost_i)
//
// to be minimised over a. Given a margin loss that has a dual step, which is what a visit of row i
// makes with a_i. Classes that share a sweep read the data once; many are cut into groups.
#include <algorithm>
#include <memory>
#include <vector>

#include "../losses/all.hpp"
#include "dual_rule.hpp"

namespace linnet {
namespace {

// Columns first..first+width-1, each a binary problem of its own.
template <HasDualStep L>
class ColumnsRule final : public DualRule {
 public:
  ColumnsRule(const Examples& examples, const DualOptions& options, const double* alpha,
              std::int64_t rows, std::int32_t first, std::int32_t width)
      : examples_(examples),
        tolerance_(options.tolerance),
        rows_(rows),
        first_(first),
        width_(width),
        alpha_(static_cast<std::size_t>(rows) * width),
        done_(static_cast<std::size_t>(width), 0),
        allowed_(static_cast<std::size_t>(width)),
        negligible_(allowed_) {
    if constexpr (HasMemory<L>) memory_.resize(alpha_.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int32_t c = 0; c < width; ++c) {
        const double a = alpha[i * examples.columns() + first + c];
        alpha_[i * width + c] = a;
        if constexpr (HasMemory<L>) memory_[i * width + c] = L::memory(a, examples.cost[i]);
      }
    }
  }

  std::unique_ptr<DualRule> clone() const override { return std::make_unique<ColumnsRule>(*this); }

  std::int32_t width() const override { return width_; }
  std::int32_t problems() const override { return width_; }

  void coefficients(std::int64_t i, double* amount) const override {
    for (std::int32_t c = 0; c < width_; ++c) amount[c] = sign(i, c) * alpha_[i * width_ + c];
  }

  void prefetch(std::int64_t i) const override {
    LINNET_PREFETCH(alpha_.data() + i * width_);
    LINNET_PREFETCH(examples_.cost + i);
    LINNET_PREFETCH(examples_.gold + i);
  }

  Visit step(std::int64_t i, const double* scores, double q, double* amount) override {
    Visit visit{0.0, false, false};
    const double cost = examples_.cost[i];
    for (std::int32_t c = 0; c < width_; ++c) {
      amount[c] = 0.0;
      if (done_[c] || cost == 0.0) continue;
      const double y = sign(i, c), margin = y * scores[c];
      double& a = alpha_[i * width_ + c];
      const double share = share_of(i, c, margin, a, cost);
      visit.share += share;
      if (share <= negligible_[c]) continue;
      const double next = optimum(i, c, margin, a, cost, q);
      amount[c] = y * (next - a);
      visit.mattered = true;
      visit.moved |= next != a;
      a = next;
    }
    return visit;
  }

  void measure(std::int64_t i, const double* scores, double* loss, double* gap) const override {
    const double cost = examples_.cost[i];
    if (cost == 0.0) return;
    for (std::int32_t c = 0; c < width_; ++c) {
      const double margin = sign(i, c) * scores[c], a = alpha_[i * width_ + c];
      const double value = cost * L::value(margin);
      loss[c] += value;
      gap[c] += value + cost * L::conjugate(a / cost) + a * margin;
    }
  }

  void certified(const double* objective, const double* gap) override {
    expect(objective);
    for (std::int32_t c = 0; c < width_; ++c) done_[c] = gap[c] <= allowed_[c];
  }

  void expect(const double* objective) override {
    for (std::int32_t c = 0; c < width_; ++c) {
      allowed_[c] = tolerance_ * objective[c];
      negligible_[c] =
          kNegligible * allowed_[c] / static_cast<double>(std::max<std::int64_t>(1, rows_));
    }
  }

  bool is_done(std::int32_t c) const override { return done_[c]; }
  double allowed(std::int32_t c) const override { return allowed_[c]; }

  bool is_smooth() const override { return HasCurvature<L>; }
  bool is_quadratic() const override { return HasQuadraticDual<L>; }
  bool is_balanced() const override { return false; }
  double most() const override { return L::kMost; }
  double slack() const override {
    if constexpr (HasQuadraticDual<L>) return L::kSlack;
    return 0.0;
  }
  std::pair<std::int32_t, std::int32_t> columns_of(std::int32_t c) const override { return {c, 1}; }
  double cost(std::int64_t i) const override { return examples_.cost[i]; }

  bool is_inside(std::int32_t c, std::int64_t i) const override {
    const double a = alpha_[i * width_ + c];
    return a > 0.0 && a < L::kMost * examples_.cost[i];
  }

  void free(std::int32_t c, std::int64_t i, const double* score,
            std::vector<Coordinate>& out) const override {
    if constexpr (HasQuadraticDual<L>) {
      const double a = alpha_[i * width_ + c], y = sign(i, c), cost = examples_.cost[i];
      const double slack = slack_of<L>(cost);
      out.assign(1, {0, y, a, 0.0, L::kMost * cost, y * *score - 1.0 + slack * a, slack});
    }
  }

  void take(std::int32_t c, std::int64_t i, const Coordinate* from, const Coordinate*) override {
    alpha_[i * width_ + c] = from->value;
  }

  void copy_alpha(double* out) const override {
    for (std::int64_t i = 0; i < rows_; ++i) {
      std::copy_n(alpha_.data() + i * width_, width_, out + i * examples_.columns() + first_);
    }
  }

 private:
  double sign(std::int64_t i, std::int32_t c) const {
    const std::int32_t positive = examples_.classes == 2 ? 1 : first_ + c;
    return examples_.gold[i] == positive ? 1.0 : -1.0;
  }

  // What `measure` adds to the gap.
  double share_of(std::int64_t i, std::int32_t c, double margin, double a, double cost) const {
    if constexpr (HasMemory<L>) return L::dual_share(a, margin, cost, memory_[i * width_ + c]);
    return cost * (L::value(margin) + L::conjugate(a / cost)) + a * margin;
  }

  double optimum(std::int64_t i, std::int32_t c, double margin, double a, double cost, double q) {
    if constexpr (HasMemory<L>)
      return L::dual_step(a, margin, cost, q, memory_[i * width_ + c]);
    else
      return L::dual_step(a, margin, cost, q);
  }

  Examples examples_;
  double tolerance_;
  std::int64_t rows_;
  std::int32_t first_, width_;
  std::vector<double> alpha_;       // [rows][width]
  std::vector<double> memory_;      // [rows][width] of losses that have one
  std::vector<char> done_;          // [width]
  std::vector<double> allowed_;     // [width] gap
  std::vector<double> negligible_;  // [width]
};

}  // namespace

std::unique_ptr<DualRule> columns_rule(const Examples& examples, const DualOptions& options,
                                       const double* alpha, std::int64_t rows, std::int32_t first,
                                       std::int32_t width) {
  return with_loss(
      MarginLosses{}, options.loss,
      [&]<class L>(std::type_identity<L>) -> std::unique_ptr<DualRule> {
        if constexpr (HasDualStep<L>) {
          return std::make_unique<ColumnsRule<L>>(examples, options, alpha, rows, first, width);
        } else {
          lacks(L::kName, HasConjugate<L> ? "dual step" : "conjugate", "dual coordinate descent");
        }
      });
}

}  // namespace linnet
