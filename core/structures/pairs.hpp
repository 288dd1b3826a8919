// State scores of tokens from sparse weights: each feature has weights for some labels only, so the
// cost grows with the pairs that were observed, not with features times labels.
#pragma once

#include <cstdint>
#include <vector>

#include "../large_pages.hpp"
#include "../views.hpp"

namespace linnet::chain {

// Which (feature, label) pairs occur: feature j with the labels of the tokens that have it.
struct ObservedPairs {
  ObservedPairs(const AnyCsr& tokens, const std::int32_t* gold, std::int32_t labels);

  std::vector<std::int64_t> start;  // [features + 1]
  std::vector<std::int32_t> label;  // ascending within a feature
};

// The weights of those features that were met so far, in the order in which tokens meet them:
// labels and weights of a feature side by side, features with many labels as whole rows. Worth the
// copy when there are many tokens; the scores are those of `state_scores`, bit for bit.
class MetPairs {
 public:
  MetPairs(const Pairs& pairs, const double* weights, std::int32_t labels);

  static bool fit(const Pairs& pairs) { return 2 * (pairs.size() + pairs.features) < INT32_MAX; }

  // Whole vectors are written, so `out` needs room for this many numbers more.
  static constexpr std::int64_t kRoom = 7;
  void score(const AnyCsr& tokens, std::int64_t first, std::int64_t last, double* out);

 private:
  template <class V>
  void score_tokens(const Csr<V>& x, std::int64_t first, std::int64_t last, double* out);
  void find_places(const std::int32_t* feature, std::int64_t n);
  std::int32_t meet(std::int32_t feature);

  const Pairs pairs_;
  const double* const weights_;
  const std::int32_t labels_, width_;  // of a row: labels rounded up to whole vectors
  const bool single_;                  // whether a cell has one label
  std::vector<std::int32_t> place_;    // [features] number of a row, ~(place of a cell), or unmet
  LargeVector<double> rows_;           // [rows][width]
  LargeVector<double> cells_;          // count and labels as int32, then the weights
  std::vector<std::int32_t> places_;   // of the tokens at hand
  std::vector<std::int32_t> row_;      // of one token: its rows and their factors,
  std::vector<double> factor_;
  std::vector<std::int64_t> few_;  // and the features with few labels
};

// out[t - first][l] = sum_j x_tj w_jl for the tokens first .. last - 1.
void state_scores(const AnyCsr& tokens, const Pairs& pairs, const double* weights,
                  std::int32_t labels, std::int64_t first, std::int64_t last, double* out);

// gradient[j, l] += x_tj residual[t - first][l] for those tokens, but only for the features
// from .. to - 1: a thread for each range of features gives every sum its own order of terms.
void add_state_gradient(const AnyCsr& tokens, const Pairs& pairs, const double* residual,
                        std::int32_t labels, std::int64_t first, std::int64_t last,
                        std::int32_t from, std::int32_t to, double* gradient);

}  // namespace linnet::chain
