// The labelled side of a flat problem, as Python holds it.
#pragma once

#include "common.hpp"

namespace linnet::bindings {

// Gold labels and costs for the rows of x, checked. Grouped rows come `classes` at a time, one
// group an example.
// With `others`, a label of `classes` is allowed too: that of rows which belong to none of them.
inline Examples examples_of(const Matrix& x, const Array<const std::int32_t>& gold,
                            const Array<const double>& cost, std::int32_t classes, double bias,
                            bool penalize_bias, bool grouped = false, bool others = false) {
  require(classes >= 2, "classes must be 2 or more");
  require(!grouped || x.rows() % classes == 0, "grouped rows come one for each class");
  const std::int64_t examples = grouped ? x.rows() / classes : x.rows();
  require_labels(gold, examples, std::int64_t{classes} + (others ? 1 : 0), "gold");
  require_length(cost, examples, "cost");
  return {gold.data(), cost.data(), classes, bias, penalize_bias};
}

// Weights of each column of x, and of the bias where there is one.
template <class T>
void require_weights(const Matrix& x, const T& weights, std::int64_t columns, double bias,
                     const char* name) {
  require_shape(weights, std::int64_t{x.cols} + (bias != 0.0 ? 1 : 0), columns, name);
}

// How many leading weights a penalty holds: all, or all but those of a free bias.
template <class T>
std::int64_t held_weights(const T& weights, const Examples& examples) {
  const bool free_bias = examples.bias != 0.0 && !examples.penalize_bias;
  return static_cast<std::int64_t>(weights.shape(0) - (free_bias ? 1 : 0)) *
         static_cast<std::int64_t>(weights.shape(1));
}

}  // namespace linnet::bindings
