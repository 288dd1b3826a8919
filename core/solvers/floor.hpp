// A value that no weights lie below, from all points a batch solver has visited.
//
//   F(w) = sum_j l2_j w_j^2 / 2 + losses(w),   losses(w) >= c_k + r_k . w
//
// Given: at every visited point w_k the losses' gradient r_k and c_k = losses(w_k) - r_k . w_k, for
// the losses are convex and lie above each of their tangents. So they lie above every average of
// tangents, and with r and c the averages under shares that sum to 1
//
//   F(w) >= c - sum_j r_j^2 / (2 l2_j)    for every w.
//
// The last tangent alone gives the duality gap |gradient|^2 / (2 l2) of batch.hpp. That is mostly
// steep directions, in which the gradients of successive points disagree, and an average has
// little of what they disagree about. Kept is one average; a new tangent is mixed into it with the
// share that raises the bound most, which has a closed form (the same step smooths the residuals of
// conjugate gradients; Schonauer 1987, Weiss 1994). The bound never falls.
#pragma once

#include <cstdint>
#include <vector>

#include "../vectors.hpp"
#include "objective.hpp"

namespace linnet {

class Floor {
 public:
  // Given F and its gradient at w; every weight must have a quadratic penalty. Returns the bound.
  double at(const Objective& f, const double* w, const double* gradient, double objective,
            Vectors& vectors);

 private:
  std::vector<double> slope_;  // r, empty before the first point
  double offset_ = 0.0;        // c
};

}  // namespace linnet
