// The flat structure: one label a row. Scores are X W, the decision is the largest score.
//
// Weights are feature-major, W[J + 1][columns], the last row belonging to the folded-in bias. One
// stored value of x touches one contiguous row of W, so all classes move in one sweep.
#pragma once

#include <cstdint>

#include "../numeric.hpp"
#include "../parallel.hpp"
#include "../row_lines.hpp"
#include "../views.hpp"

namespace linnet::flat {

// Where the weights of features and of the bias lie. Without a bias (0) its row is missing.
struct Layout {
  std::int64_t features;
  std::int32_t columns;
  double bias;

  std::int64_t rows() const { return features + (bias != 0.0 ? 1 : 0); }
  std::int64_t size() const { return rows() * columns; }
  std::int64_t bias_from() const { return features * columns; }  // its first weight

  // scores[k] += bias W[J][k]
  void score_bias(const double* weights, double* scores) const {
    if (bias == 0.0) return;
    const double* row = weights + bias_from();
    for (std::int32_t k = 0; k < columns; ++k) scores[k] += bias * row[k];
  }
  // W[J][k] += bias amount[k]
  void add_bias(const double* amount, double* weights) const {
    if (bias == 0.0) return;
    double* row = weights + bias_from();
    for (std::int32_t k = 0; k < columns; ++k) row[k] += bias * amount[k];
  }
};

// One column: sum_j x_j w[j], added up in double; w[j] += amount x_j. With `next`, the memory of
// that row is asked for meanwhile (row_lines.hpp).
#define LINNET_COLUMN_FUNCTIONS(V, W)                                  \
  double score(const Row<V>& x, const W* weights);                     \
  double score(const Row<V>& x, const W* weights, const Row<V>& next); \
  void add(const Row<V>& x, double amount, W* weights);                \
  void add(const Row<V>& x, double amount, W* weights, const Row<V>& next);
LINNET_COLUMN_FUNCTIONS(Unit, double)
LINNET_COLUMN_FUNCTIONS(float, double)
LINNET_COLUMN_FUNCTIONS(double, double)
LINNET_COLUMN_FUNCTIONS(Unit, float)
LINNET_COLUMN_FUNCTIONS(float, float)
LINNET_COLUMN_FUNCTIONS(double, float)
#undef LINNET_COLUMN_FUNCTIONS

// Several columns.
#define LINNET_COLUMNS_FUNCTIONS(V)                                                              \
  void score_columns(const Row<V>& x, const double* weights, std::int32_t columns, double* out); \
  void add_columns(const Row<V>& x, const double* amount, std::int32_t columns, double* weights);
LINNET_COLUMNS_FUNCTIONS(Unit)
LINNET_COLUMNS_FUNCTIONS(float)
LINNET_COLUMNS_FUNCTIONS(double)
#undef LINNET_COLUMNS_FUNCTIONS

// out[k] = sum_j x_j W[j][k] for k < columns. Column k is summed over j in storage order.
template <class V>
void score(const Row<V>& x, const double* weights, std::int32_t columns, double* out) {
  if (columns == 1) {
    *out = score(x, weights);
  } else {
    score_columns(x, weights, columns, out);
  }
}

// The same while the memory of the row `next` is asked for.
template <class V>
LINNET_INLINE void score(const Row<V>& x, const double* weights, std::int32_t columns, double* out,
                         const Row<V>& next) {
  if (columns == 1) {
    *out = score(x, weights, next);
  } else {
    RowLines<V>(next).all();
    score_columns(x, weights, columns, out);
  }
}

// W[j][k] += amount[k] x_j
template <class V>
void add(const Row<V>& x, const double* amount, std::int32_t columns, double* weights) {
  if (columns == 1) {
    add(x, *amount, weights);
  } else {
    add_columns(x, amount, columns, weights);
  }
}

// The same while the memory of the row `next` is asked for.
template <class V>
LINNET_INLINE void add(const Row<V>& x, const double* amount, std::int32_t columns, double* weights,
                       const Row<V>& next) {
  if (columns == 1) {
    add(x, *amount, weights, next);
  } else {
    RowLines<V>(next).all();
    add_columns(x, amount, columns, weights);
  }
}

// sum_j x_j^2
double squared_norm(const Row<Unit>& x);
double squared_norm(const Row<float>& x);
double squared_norm(const Row<double>& x);

// out[i] = |x_i|^2 + bias^2 of every row, in parallel.
void squared_norms(const AnyCsr& x, double bias, double* out, ThreadPool& pool);

// scores[i][k] for all rows, in parallel; `bias` is the value of the folded-in feature or 0.
void scores(const AnyCsr& x, const double* weights, std::int32_t columns, double bias, double* out,
            ThreadPool& pool);

// The index of the largest score, the lowest on ties (SPEC C-04).
inline std::int32_t decode(const double* scores, std::int32_t columns) {
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < columns; ++k) {
    if (scores[k] > scores[best]) best = k;
  }
  return best;
}

}  // namespace linnet::flat
