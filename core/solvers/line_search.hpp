// A step along a descent direction d that meets the strong Wolfe conditions (SPEC M-59).
//
//   phi(t) = F(w + t d):   phi(t) <= phi(0) + c1 t phi'(0)   and   |phi'(t)| <= c2 |phi'(0)|
//
// Given: w, phi(0) = `value`, phi'(0) = `slope` < 0, d, the first step to try, c2.
// Returned: the point reached; `trial` = w + step d and `gradient` that of F there, where F was
// last evaluated. The step is 0, and the point w, when rounding leaves no step that decreases F.
#pragma once

#include "../vectors.hpp"
#include "objective.hpp"

namespace linnet {

struct LinePoint {
  double step, value, slope;
};

LinePoint wolfe_search(Objective& f, const double* w, double value, double slope,
                       const double* direction, double first, double c2, double* trial,
                       double* gradient, Vectors& vectors);

}  // namespace linnet
