// What dual coordinate descent asks of a loss: the dual variables of a group of columns.
//
// The sweeps, the weights and the certificate (dual_machine.hpp, dual_solver.hpp) know no loss.
// One virtual call a visit; what is inside it knows the loss by its type.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../views.hpp"
#include "dual_cd.hpp"

namespace linnet {

constexpr double kNegligible = 0.1;  // share of the tolerated gap that is not worth a step

struct Visit {
  double share;   // of the row in the duality gap, before the step
  bool mattered;  // false: the row may sleep
  bool moved;     // some amount is not 0
};

// One dual variable inside its bounds; the coefficient of its row in `column` is sign * value.
struct Coordinate {
  std::int32_t column;
  double sign;
  double value, low, high;
  double gradient;  // of the dual (as a minimum) at value
  double slack;     // curvature that does not come from the weights
};

class DualRule {
 public:
  virtual ~DualRule() = default;
  virtual std::unique_ptr<DualRule> clone() const = 0;

  virtual std::int32_t width() const = 0;     // columns of weights
  virtual std::int32_t problems() const = 0;  // independent objectives among them

  // The coefficient of x_i in each column.
  virtual void coefficients(std::int64_t i, double* amount) const = 0;

  // Asks for the memory that the step of row i needs.
  virtual void prefetch(std::int64_t i) const = 0;

  // Sets the duals of row i to their optimum given its scores and q = |x_i|^2; amount = the change
  // of the coefficients.
  virtual Visit step(std::int64_t i, const double* scores, double q, double* amount) = 0;

  // Adds row i to each problem's sums.
  virtual void measure(std::int64_t i, const double* scores, double* loss, double* gap) const = 0;

  // Takes the result of a certificate, of each problem; may rest those that are done.
  virtual void certified(const double* objective, const double* gap) = 0;
  // Takes what the objective of each problem is expected to be, before a certificate says it.
  virtual void expect(const double* objective) = 0;
  virtual bool is_done(std::int32_t problem) const = 0;
  virtual double allowed(std::int32_t problem) const = 0;  // gap

  // The loss bends: an error of the scores matters to the gap by its square.
  virtual bool is_smooth() const = 0;

  // For the variables inside their bounds all at once (dual_face.hpp), where the dual is quadratic:
  // its columns (first, count), whether the coefficients of a row add up to zero, the bound and the
  // curvature of a dual variable of cost 1.
  virtual bool is_quadratic() const = 0;
  virtual bool is_balanced() const = 0;
  virtual double most() const = 0;
  virtual double slack() const = 0;
  virtual std::pair<std::int32_t, std::int32_t> columns_of(std::int32_t problem) const = 0;
  virtual double cost(std::int64_t i) const = 0;
  virtual bool is_inside(std::int32_t problem, std::int64_t i) const = 0;
  virtual void free(std::int32_t problem, std::int64_t i, const double* scores,
                    std::vector<Coordinate>& out) const = 0;
  virtual void take(std::int32_t problem, std::int64_t i, const Coordinate* from,
                    const Coordinate* to) = 0;

  virtual void copy_alpha(double* out) const = 0;
};

// Columns first .. first + width - 1, each a binary problem of its own; alpha[rows][columns].
std::unique_ptr<DualRule> columns_rule(const Examples& examples, const DualOptions& options,
                                       const double* alpha, std::int64_t rows, std::int32_t first,
                                       std::int32_t width);

// All labels in one loss: the dual variables of a row are one block.
std::unique_ptr<DualRule> joint_rule(const Examples& examples, const DualOptions& options,
                                     const double* alpha, std::int64_t rows);

}  // namespace linnet
