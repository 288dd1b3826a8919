// Losses by name as losses of an example (example_loss.hpp): column by column, or all labels at
// once.
#include "example_loss.hpp"

#include "all.hpp"

namespace linnet {
namespace {

template <MarginLoss L>
class ColumnsLoss final : public ExampleLoss {
 public:
  ColumnsLoss(std::int32_t classes, std::int32_t first, std::int32_t width)
      : classes_(classes), first_(first), width_(width) {}

  std::string_view name() const override { return L::kName; }
  bool has_curvature() const override { return HasCurvature<L>; }
  bool has_conjugate() const override { return HasConjugate<L>; }

  double differentiate(std::int32_t gold, double cost, double* scores, double* curve,
                       double* values) const override {
    double sum = 0.0;
    for (std::int32_t c = 0; c < width_; ++c) {
      const double y = sign(gold, c), m = y * scores[c];
      double derivative;
      const double value = value_and_derivative<L>(m, derivative);
      sum += value;
      if (values != nullptr) values[c] = value;
      if constexpr (HasCurvature<L>) {
        if (curve != nullptr) curve[c] = cost * L::curvature(m);
      }
      scores[c] = cost * y * derivative;
    }
    return sum;
  }

  void curve(double, const double* curve, double* v) const override {
    for (std::int32_t c = 0; c < width_; ++c) v[c] *= curve[c];
  }

  void diagonal(double, const double* curve, double* out) const override {
    std::copy(curve, curve + width_, out);
  }

  double conjugate(std::int32_t gold, double cost, double shrink, const double* residual,
                   double*) const override {
    double sum = 0.0;
    if constexpr (HasConjugate<L>) {
      for (std::int32_t c = 0; c < width_; ++c) {
        sum += L::conjugate(sign(gold, c) * (-shrink * residual[c] / cost));
      }
    }
    return sum;
  }

  std::unique_ptr<ExampleLoss> some(std::int32_t first, std::int32_t count) const override {
    return std::make_unique<ColumnsLoss>(classes_, first_ + first, count);
  }

 private:
  double sign(std::int32_t gold, std::int32_t column) const {
    const std::int32_t positive = classes_ == 2 ? 1 : first_ + column;
    return gold == positive ? 1.0 : -1.0;
  }

  const std::int32_t classes_, first_, width_;  // the class of the first column; columns
};

template <JointLoss L>
class WholeLoss final : public ExampleLoss {
 public:
  explicit WholeLoss(const JointTerms& terms) : loss_(terms), classes_(terms.classes) {}

  std::string_view name() const override { return L::kName; }
  bool has_curvature() const override { return HasJointCurvature<L>; }
  bool has_conjugate() const override { return HasJointConjugate<L>; }

  double differentiate(std::int32_t gold, double cost, double* scores, double* curve,
                       double*) const override {
    const double value = evaluate(gold, scores, curve);
    for (std::int32_t k = 0; k < classes_; ++k) scores[k] *= cost;
    return value;
  }

  void curve(double cost, const double* curve, double* v) const override {
    if constexpr (HasJointCurvature<L>) loss_.curve(cost, curve, v);
  }

  void diagonal(double cost, const double* curve, double* out) const override {
    if constexpr (HasJointCurvature<L>) loss_.diagonal(cost, curve, out);
  }

  double conjugate(std::int32_t gold, double cost, double shrink, const double* residual,
                   double* a) const override {
    for (std::int32_t k = 0; k < classes_; ++k) a[k] = -shrink * residual[k] / cost;
    if constexpr (HasJointConjugate<L>) return loss_.conjugate(a, gold);
    return 0.0;
  }

  std::unique_ptr<ExampleLoss> some(std::int32_t, std::int32_t) const override { return nullptr; }

 private:
  double evaluate(std::int32_t gold, double* scores, double* curve) const {
    if constexpr (HasJointCurvature<L>) {
      if (curve != nullptr) return loss_.differentiate(scores, gold, scores, curve);
    }
    return loss_.differentiate(scores, gold, scores);
  }

  const L loss_;
  const std::int32_t classes_;
};

}  // namespace

std::unique_ptr<ExampleLoss> columns_loss(std::string_view name, std::int32_t classes) {
  return with_loss(
      MarginLosses{}, name, [&]<class L>(std::type_identity<L>) -> std::unique_ptr<ExampleLoss> {
        return std::make_unique<ColumnsLoss<L>>(classes, 0, classes == 2 ? 1 : classes);
      });
}

std::unique_ptr<ExampleLoss> joint_loss(std::string_view name, const JointTerms& terms) {
  return with_loss(JointLosses{}, name,
                   [&]<class L>(std::type_identity<L>) -> std::unique_ptr<ExampleLoss> {
                     return std::make_unique<WholeLoss<L>>(terms);
                   });
}

}  // namespace linnet
