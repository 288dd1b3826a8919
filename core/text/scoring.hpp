// From texts to the scores of a linear model, without a matrix.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "blocks.hpp"
#include "facets.hpp"

namespace linnet::text {

// A linear model over such features.
struct Linear {
  const float* weights;     // [J][classes], classes being 1 for two of them
  const double* intercept;  // [classes]
  std::int32_t classes;
};

// out[i][k] = x_i . w_k + intercept_k, from text to score without a matrix. A row does not depend
// on the others.
void score(Texts texts, Facets facets, const Linear& model, double* out, ThreadPool& pool);

}  // namespace linnet::text
