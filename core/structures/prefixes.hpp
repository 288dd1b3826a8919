// Labels whose scores depend on the labels before them, any number of them.
//
//   score(y) = sum_t local(y_t | t, y_1 .. y_{t-1})
//   local(. | t, ...) = state[t] + sum_{k=1}^{h} after[k - 1][y_{t-k}]
//
// where y_0, y_-1, .. are the start symbol; or the logarithm of its softmax, so that the score is
// that of a product of probabilities. With a history as long as the sentence a label depends on
// the whole prefix, and no dynamic programme is exact in less than L^n steps.
//
// Given N, beam search keeps the N best prefixes and extends each with every label (SPEC M-115);
// equal states are not merged, ties go to the earlier prefix, then to the lower label. N = 1
// is the greedy decision from left to right (M-110).
#pragma once

#include <cstdint>

#include "../parallel.hpp"

namespace linnet::chain {

struct History {
  std::int32_t labels;  // L >= 1
  std::int64_t steps;   // h: how many labels before a token count
  const double* after;  // [h][L + 1][L], the nearest label first; row L is the start symbol
  bool is_probability;  // whether local scores go through the softmax
};

// For sentences with state scores [tokens][L]: the labels of the best of `width` prefixes and their
// score. The same bits at any number of threads.
void decode_prefixes(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                     const History& history, std::int64_t width, std::int32_t* labels,
                     double* scores, ThreadPool& pool);

}  // namespace linnet::chain
