// Iterative scaling for the maximum entropy model (SPEC M-60; Darroch and Ratcliff 1972, Della
// Pietra, Della Pietra and Lafferty 1997; the Gaussian prior after Chen and Rosenfeld 1999).
//
//   minimise  F(w) = sum_d l2_d w_d^2 / 2 - sum_i cost_i ln p(gold_i | x_i)
//
// Given: non-negative features, K columns, one column for two classes, or grouped rows; f, the
// same problem, for the record; w, the starting point. Returned: w at the last iterate. F does not
// increase, rounding aside. Each iteration moves every weight by its own delta, the root of
//
//   sum_ik cost_i p(k | x_i) f_d(x_i, k) exp(delta s) + l2_d (w_d + delta)
//       = sum_i cost_i f_d(x_i, gold_i)
//
// where s is the sum of all features of (x_i, k) in improved scaling (IIS), and the largest of
// these sums in generalised scaling (GIS). Without a prior GIS has the slack feature, which fills
// every sum up to the largest, and delta = ln(target / expectation) / s. With a prior the slack
// feature is left out: a weight of its own would change what the prior prefers.
#pragma once

#include "batch.hpp"

namespace linnet {

void iterative_scaling(const AnyCsr& x, const Examples& examples, Form form, Objective& f,
                       bool improved, double* w, const BatchOptions& options, ThreadPool& pool);

}  // namespace linnet
