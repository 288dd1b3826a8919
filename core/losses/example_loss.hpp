// The loss of one example, whatever its name: what solvers see that know all scores of an example
// at once (the batch solvers, the certificate). One virtual call an example.
//
// The scores are one for each column, every column a binary problem of its own, or one for each
// label, all labels competing.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "joint_loss.hpp"

namespace linnet {

class ExampleLoss {
 public:
  virtual ~ExampleLoss() = default;

  virtual std::string_view name() const = 0;
  virtual bool has_curvature() const = 0;
  virtual bool has_conjugate() const = 0;

  // Replaces the scores by cost * d loss / d score and returns the loss. Writes what `curve` and
  // `diagonal` need of this point, unless `curve` is null, and by columns the loss of each into
  // `values`, unless null.
  virtual double differentiate(std::int32_t gold, double cost, double* scores, double* curve,
                               double* values) const = 0;

  // v becomes cost * (second derivative at the point) v; out = its diagonal.
  virtual void curve(double cost, const double* curve, double* v) const = 0;
  virtual void diagonal(double cost, const double* curve, double* out) const = 0;

  // loss*(shrink r), r the derivative of the loss: residual[] is cost * r; scratch is as long.
  virtual double conjugate(std::int32_t gold, double cost, double shrink, const double* residual,
                           double* scratch) const = 0;

  // The same loss of the columns first .. first + count - 1 alone; null where labels compete.
  virtual std::unique_ptr<ExampleLoss> some(std::int32_t first, std::int32_t count) const = 0;
};

// Two classes are one column, the score of class 1 against class 0; more are one column each.
std::unique_ptr<ExampleLoss> columns_loss(std::string_view name, std::int32_t classes);
std::unique_ptr<ExampleLoss> joint_loss(std::string_view name, const JointTerms& terms);

}  // namespace linnet
