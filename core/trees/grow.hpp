// Growing a decision tree (SPEC M-107, A-50).
//
// Problem: split the rows again and again on one attribute, so that the parts hold one class each.
// Given: codes of J attributes for n rows, one after the other [J][n]; a negative code is missing,
// which is a value of its own. A symbolic attribute has one branch for each value. An ordered one
// has the codes of its sorted values and splits into at most two branches, codes <= low and codes
// >= high, and a third for missing ones.
//
//   gain   = H(Y) - sum_b (n_b / n) H(Y | b)       entropies of weighted class shares, in bits
//   ratio  = gain / H(b)                           b the branch
//
// Returned: nodes in breadth-first order. The children of a node follow each other, by ascending
// branch. A node is a leaf when it is pure, at the depth limit, or no attribute has two branches
// of at least min_leaf; a gain of zero is no reason to stop.
#pragma once

#include <cstdint>
#include <span>

#include "progress.hpp"

namespace linnet::trees {

struct Rows {
  std::int64_t count = 0;
  std::int32_t attributes = 0;
  std::int32_t classes = 0;
  const std::int32_t* codes = nullptr;    // [attributes][count]
  const std::int32_t* values = nullptr;   // [attributes]: codes are below it
  const std::uint8_t* ordered = nullptr;  // [attributes]
  const std::int32_t* gold = nullptr;     // [count]
  const double* weight = nullptr;         // [count], positive
};

struct Limits {
  bool ratio = true;       // gain ratio, else information gain
  double min_leaf = 1.0;   // at least two branches have this weight
  std::int32_t depth = 0;  // negative: no limit
};

// Arrays of 2 * count nodes. A leaf has feature -1. low and high are the neighbouring codes
// between which an ordered attribute was cut; both are -1 when it only tells known from missing.
struct Nodes {
  std::int32_t* parent = nullptr;  // -1 for the root
  std::int32_t* branch = nullptr;  // code, or 0 and 1 below an ordered split; -2 is missing
  std::int32_t* feature = nullptr;
  std::int32_t* low = nullptr;
  std::int32_t* high = nullptr;
  std::int32_t* depth = nullptr;
  double* gain = nullptr;        // information gain of the split in bits
  std::int32_t* leaf = nullptr;  // [count]: the node each row ends in
};

// Returns the number of nodes.
std::int32_t grow(const Rows& rows, const Limits& limits, const Nodes& nodes, Progress& progress);

}  // namespace linnet::trees
