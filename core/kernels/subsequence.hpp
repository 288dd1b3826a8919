// The gap-weighted subsequence kernel of two strings (Lodhi et al. 2002, "Text classification using
// string kernels").
//
//   K(s, t) = sum over all strings u of `length` symbols, and over all places where u occurs in s
//             and in t, gaps allowed, of decay^(extent in s + extent in t)
//
// where the extent of an occurrence is the distance from its first to its last symbol plus one.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace linnet {

struct Strings {
  const std::int32_t* symbols;
  const std::int64_t* start;  // [count + 1] first symbol of each
  std::int64_t count;
};

struct Subsequences {
  int length;
  double decay;
  bool normalize;  // K(s, t) / sqrt(K(s, s) K(t, t)), 0 where that is 0 / 0
};

// out[i][j] = K(s_i, t_j)
void subsequence_gram(const Strings& s, const Strings& t, const Subsequences& how, double* out,
                      ThreadPool& pool);

}  // namespace linnet
