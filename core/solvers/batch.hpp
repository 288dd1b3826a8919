// The batch solvers: each turns an Objective into weights.
//
//   minimise  F(w) + l1 |w|_1        (l1 = 0 except for `lbfgs`, which is then orthant-wise)
//
// Given: w, the starting point. Returned: w at the last iterate; every iteration is recorded with
// the objective, a certified bound on its distance from the optimum, and the gradient's norm.
#pragma once

#include "../vectors.hpp"
#include "objective.hpp"

namespace linnet {

struct BatchOptions {
  double tolerance = 1e-4;  // stop when the gap is at most this share of the objective
  std::int64_t max_iterations = 1000;
  double l1 = 0.0;
  std::int64_t l1_size = 0;   // how many leading weights l1 holds; the rest is a free bias
  int memory = 10;            // L-BFGS: pairs kept
  double initial_step = 1.0;  // gradient descent: where Armijo's search starts
  double decrease = 1e-4;     // its c1: the share of the slope that a step must gain
  double shrink = 0.5;        // what a step that gains less is multiplied by
  bool visible = false;       // `w` is to be the point of every record, not of the last one only
  int tangents = 1;           // kept besides their average, for the certificate (floor.hpp)
};

// Truncated Newton: conjugate gradients for the step, a line search for its length (SPEC M-61,
// M-85).
void newton(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool);

// Limited-memory BFGS; orthant-wise when l1 > 0 (SPEC M-59, M-66).
void lbfgs(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool);

// Gradient descent with Armijo's line search (SPEC M-56, M-57).
void gradient_descent(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool);

// Non-linear conjugate gradients, Polak-Ribiere+ with restarts (SPEC M-58).
void conjugate_gradient(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool);

// The duality gap of the point f was last evaluated at. With a = -(d loss / d scores) as the dual
// point, v = X^T a and penalty P(w) = sum_j l2_j w_j^2 / 2 + l1 |w_j|, the losses contribute
// nothing and the gap is P(w) + P*(v) - w.v, a sum of one term for each weight; for l2 alone that
// is |gradient|^2 / (2 l2). A weight without any penalty has P* infinite unless v_j = 0; for it the
// first-order estimate |v_j| max(1, |w_j|) stands in, no certificate but 0 at the optimum. With l1
// alone the dual point is scaled until feasible. `objective` is F(w) + l1 |w|_1, `gradient` that of
// F.
double weight_gap(double l2, double w, double gradient);  // the term of one weight without l1
double duality_gap(Objective& f, const double* w, const double* gradient, double objective,
                   double l1, Vectors& vectors);

}  // namespace linnet
