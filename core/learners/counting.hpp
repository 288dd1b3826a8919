// Counting: the whole of training for naive Bayes (SPEC M-15, M-18, M-22).
//
//   counts[k][j] = sum over the examples i of class k of weight_i x_ij
//
// Given: rows x_i, their classes and weights. Returned: one pass over the stored values, whatever
// the number of classes. Tables are class-major [K][J]: an example touches the counts of its own
// class only, so examples are visited class by class and one row of J numbers stays in the cache.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

struct Labelled {
  const std::int32_t* gold;  // [rows], 0..classes-1
  const double* weight;      // [rows]
  std::int32_t classes;
};

void count(const AnyCsr& x, const Labelled& labels, double* counts, ThreadPool& pool);

// Counts [K][J], to be smoothed: alpha > 0 is added to each.
struct Counts {
  const double* counts;
  std::int32_t classes;
  std::int64_t features;
  double alpha;
};

// totals[k] = sum_j counts[k][j]
void count_totals(const Counts& from, double* totals, ThreadPool& pool);

// ln p(j | k) = ln(alpha + counts[k][j]) - log_size[k], feature-major [J][K], and where `odds` is
// not null ln p(j | 1) - ln p(j | 0), [J]. Returns sum_kj counts[k][j] ln p(j | k). One pass over
// blocks of features that stay in the cache: logarithms, differences, sums, the turned table.
double log_probabilities(const Counts& from, const double* log_size, double* out, double* odds,
                         ThreadPool& pool);

}  // namespace linnet
