// Views of the data: they never own memory and never copy it.
//
// A matrix of M rows and J features is stored by rows (CSR). Column ids are int32, row pointers
// int64 so that more than 2^31 stored values work. Values are float, double, or absent (`Unit`)
// when every stored value is 1; `AnyCsr` is the choice among the three, made once per call.
#pragma once

#include <cstdint>
#include <variant>

namespace linnet {

struct Unit {};  // the value type of a matrix whose stored values are all 1

inline double value_at(const Unit*, std::int64_t) { return 1.0; }
inline double value_at(const float* v, std::int64_t k) { return v[k]; }
inline double value_at(const double* v, std::int64_t k) { return v[k]; }

// No offset may be added to the null pointer of a Unit matrix.
inline const Unit* advance(const Unit* v, std::int64_t) { return v; }
inline const float* advance(const float* v, std::int64_t k) { return v + k; }
inline const double* advance(const double* v, std::int64_t k) { return v + k; }

template <class V>
struct Row {
  const std::int32_t* index;  // [size], ascending
  const V* value;             // [size]
  std::int64_t size;
};

template <class V>
struct Csr {
  std::int64_t rows;
  std::int32_t cols;
  const std::int64_t* start;  // [rows + 1]
  const std::int32_t* index;  // [start[rows]]
  const V* value;             // [start[rows]]

  Row<V> row(std::int64_t i) const {
    return {index + start[i], advance(value, start[i]), start[i + 1] - start[i]};
  }
  std::int64_t stored() const { return start[rows]; }
};

using AnyCsr = std::variant<Csr<Unit>, Csr<float>, Csr<double>>;

inline std::int64_t rows_of(const AnyCsr& x) {
  return std::visit([](const auto& m) { return m.rows; }, x);
}
inline std::int32_t cols_of(const AnyCsr& x) {
  return std::visit([](const auto& m) { return m.cols; }, x);
}

// Sentences: consecutive rows of one matrix of tokens.
struct Ragged {
  AnyCsr tokens;
  const std::int64_t* start;  // [sentences + 1] first token of each
  std::int64_t sentences;

  std::int64_t length(std::int64_t s) const { return start[s + 1] - start[s]; }
};

// Weights of some (feature, label) pairs: those of feature j are start[j] .. start[j + 1] - 1. A
// feature with all labels has them in order.
struct Pairs {
  const std::int64_t* start;  // [features + 1]
  const std::int32_t* label;  // [start[features]], ascending within a feature
  std::int32_t features;

  std::int64_t size() const { return start[features]; }
};

// The labelled side of a flat problem. Gold labels are 0..classes-1; `cost[i]` is C times the
// weight of example i; `bias` is the value of the extra feature folded in as the last weight row
// (0 = no intercept).
struct Examples {
  const std::int32_t* gold;  // [rows]
  const double* cost;        // [rows]
  std::int32_t classes;      // K >= 2
  double bias;
  bool penalize_bias;

  // Two classes keep one column of weights, the score of class 1 against class 0.
  std::int32_t columns() const { return classes == 2 ? 1 : classes; }
};

// How scores are compared with the gold label.
enum class Form {
  columns,  // each column is a binary problem of its own: one column, or one-vs-rest
  joint,    // the columns of a row compete
  grouped   // rows come K at a time, one for each label: f(x, 0) .. f(x, K-1); the K compete
};

}  // namespace linnet
