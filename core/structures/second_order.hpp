// Chains of second order: the score of a label depends on the two before it.
//
//   score(y) = start[y_1] + transition[y_1][y_2] + sum_{t>2} second[y_{t-2}][y_{t-1}][y_t]
//              + sum_t state[t][y_t] + stop[y_n]
//
// The dynamic programmes are those of the first order over pairs of neighbouring labels, in time
// n L^3 (SPEC M-112, M-119). Ties go to the lowest label, the last one first.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel.hpp"

namespace linnet::chain {

struct SecondOrder {
  static constexpr std::int32_t kMostLabels = 255;

  std::int32_t labels;       // 1 .. kMostLabels
  const double* start;       // [L]
  const double* transition;  // [L][L] from the first token to the second
  const double* second;      // [L][L][L] from the third token on
  const double* stop;        // [L]
};

// For sentences with state scores [tokens][L]: the best labels and their scores. -inf when no
// labelling is possible, and then every label is 0.
void decode_second(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                   const SecondOrder& p, std::int32_t* labels, double* scores, ThreadPool& pool);

// marginals[token][l] = P(y_t = l), log_z[sentence]; uniform and -inf when none is possible.
void marginals_second(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                      const SecondOrder& p, double* marginals, double* log_z, ThreadPool& pool);

}  // namespace linnet::chain
