// AdaGrad: a step for each example, with a rate of its own for each weight (Duchi, Hazan and
// Singer 2011). No SPEC item; it is what one pass over more text than memory needs.
//
// Given rows x_1 .. x_M in the order they are met, with g = d loss_i / d W at the weights that meet
// example i:
//
//   G <- G + g^2,      W <- W - rate g / (sqrt G + tiny),      each weight by itself
//
// so a rare feature moves as far at its first occurrence as a frequent one did at its own. There is
// no penalty: one pass, or a few, does not overfit much.
//
// Weights and G lie side by side in 32 bits, table[J + 1][2 columns]: the weights of a feature,
// then their G, then those of the next feature, so that an update touches one piece of memory. The
// last row belongs to the bias. The caller owns the table, so that passes can be strung together.
#pragma once

#include "../parallel.hpp"
#include "../views.hpp"
#include "online.hpp"
#include "rules.hpp"

namespace linnet {

// Meets every row in turn; a row has a feature at most once. scores[rows][width] gets what each was
// met with, before its own step.
OnlinePass adagrad_pass(const AnyCsr& x, const Examples& examples, const Rule& rule, double rate,
                        float* table, double* scores, ThreadPool& pool);

}  // namespace linnet
