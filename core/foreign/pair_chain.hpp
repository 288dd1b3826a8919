// Chains whose transitions depend on the token: at each place a table of scores of label pairs, the
// sum of the weights that the token's features have for pairs, plus the scores of single labels.
// A Markov model of maximum entropy turns each row of the table into logarithms of probabilities.
#pragma once

#include <cstdint>
#include <vector>

namespace linnet::foreign {

struct PairChain {
  std::int32_t labels;
  bool local;                 // whether rows become logarithms of probabilities
  const std::int64_t* start;  // [features + 1]
  const std::int32_t* place;  // label before * labels + label
  const double* weight;

  // The tokens: features index[row[t] .. row[t + 1]), scores of single labels [tokens][labels].
  const std::int64_t* row;
  const std::int32_t* index;
  const double* single;

  // What is allowed, or null: [labels], [labels][labels], [labels].
  const bool* first;
  const bool* between;
  const bool* last;
};

class PairSearch {
 public:
  explicit PairSearch(const PairChain& chain);

  // The labels of the best labelling of the tokens begin .. end - 1, of equal ones the lowest.
  void decode(std::int64_t begin, std::int64_t end, std::int32_t* labels);

  // P(label | sentence) for each of its tokens, [tokens][labels].
  void marginals(std::int64_t begin, std::int64_t end, double* out);

 private:
  void starts(std::int64_t begin, std::int64_t end, bool free);
  void pairs(std::int64_t token, bool ends, bool free);
  bool search(std::int64_t begin, std::int64_t end, bool free, std::int32_t* labels);
  bool sum(std::int64_t begin, std::int64_t end, bool free, double* out);

  const PairChain chain_;
  const std::size_t size_;
  std::vector<double> pair_;         // [labels][labels] of a token
  std::vector<double> best_, next_;  // [labels]
  std::vector<double> forward_;      // [tokens][labels]
  std::vector<std::int32_t> back_;   // [tokens][labels]
};

}  // namespace linnet::foreign
