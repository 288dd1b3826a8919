// The end of every iteration of a batch solver: bound the distance from the optimum, record it,
// decide whether to go on.
#pragma once

#include <cmath>

#include "batch.hpp"
#include "floor.hpp"

namespace linnet {

class Stopping {
 public:
  Stopping(Objective& f, const BatchOptions& options, Vectors& vectors)
      : f_(f),
        options_(options),
        vectors_(vectors),
        tangents_(options.tangents),
        certified_(holds(f, options, 0) && holds(f, options, f.size() - 1)) {}

  // Given the point f was last evaluated at: its objective (with l1), the gradient of F, the
  // largest component `norm` of the (pseudo-)gradient and the step that led there. True when the
  // gap is small enough, the gradient zero, the iterations used up, or the caller said stop; and
  // when for 20 iterations neither objective nor gap was the least so far: what moves is rounding.
  bool at(const double* w, const double* gradient, double objective, double norm, double step);

 private:
  static bool holds(Objective& f, const BatchOptions& options, std::int64_t weight) {
    return f.l2(weight) > 0.0 || (options.l1 > 0.0 && weight < options.l1_size);
  }

  double gap(const double* w, const double* gradient, double objective);

  Objective& f_;
  const BatchOptions& options_;
  Vectors& vectors_;
  Floor tangents_;
  const bool certified_;  // every weight has a penalty, so the gap is a certificate
  std::int64_t iteration_ = 0;
  double floor_ = -INFINITY;  // the optimum is not below
  double least_objective_ = INFINITY, least_gap_ = INFINITY;
  int stale_ = 0;  // iterations since either was reached
};

}  // namespace linnet
