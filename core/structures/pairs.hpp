// State scores of tokens from sparse weights: each feature has weights for some labels only, so the
// cost grows with the pairs that were observed, not with features times labels.
#pragma once

#include <cstdint>
#include <vector>

#include "../views.hpp"

namespace linnet::chain {

// Which (feature, label) pairs occur: feature j with the labels of the tokens that have it.
struct ObservedPairs {
  ObservedPairs(const AnyCsr& tokens, const std::int32_t* gold, std::int32_t labels);

  std::vector<std::int64_t> start;  // [features + 1]
  std::vector<std::int32_t> label;  // ascending within a feature
};

// A copy in which features with many labels have a place for every label: scoring adds whole rows,
// and is worth the copy when there are many tokens. The scores are the same, bit for bit.
class WidePairs {
 public:
  WidePairs(const Pairs& pairs, const double* weights, std::int32_t labels);

  Pairs pairs() const {
    return {start_.data(), label_.data(), static_cast<std::int32_t>(start_.size()) - 1};
  }
  const double* weights() const { return weight_.data(); }

 private:
  std::vector<std::int64_t> start_;
  std::vector<std::int32_t> label_;
  std::vector<double> weight_;
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
