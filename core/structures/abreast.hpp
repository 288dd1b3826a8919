// Forward and backward in many sentences at once, where only some label pairs have a weight.
//
//   out_j = rest sum_i a_i + sum_{i before j} excess_ij a_i
//
// The lists of pairs are short and scattered, so one sentence cannot use vectors. Eight can: the
// sentences of a block are laid end to end in eight lanes, and every step takes one token of each.
// What comes out is what Marginals gives, sentence by sentence (SPEC M-119).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chain.hpp"

namespace linnet::chain {

inline constexpr std::int32_t kLanes = 8;

// Exponentiated transitions of label pairs, those of label i being [start[i], start[i + 1]).
struct PairLists {
  std::vector<std::int64_t> start;  // [L + 1]
  std::vector<std::int32_t> label;  // [pairs] the other label
  std::vector<double> excess;       // [pairs]
};

// Lists for both directions, made once for all sentences.
struct Neighbours {
  explicit Neighbours(const Exponentials& e);

  PairLists following, preceding;
  double log_growth;  // ln of the largest sum over what may follow a label
};

class Abreast {
 public:
  // Marginals::run for the sentences first .. last - 1, whose tokens begin at start[s]: `state` has
  // the scores from the first one's first token on, log_z[s - first] receives ln Z. With `pairs`
  // adds cost[s] times the expected pairs.
  void run(double* state, const std::int64_t* start, std::int64_t first, std::int64_t last,
           const Potentials& p, const Exponentials& e, const Neighbours& lists, const double* cost,
           PairSums* pairs, double* log_z);

 private:
  struct Place {
    std::int64_t sentence, token, n;  // token: of the block
    std::int64_t step;                // at which it begins
    std::int32_t lane;
    bool failed;  // its numbers left the range, or might
  };
  using Lanes = std::array<double, kLanes>;

  void lay_out(const std::int64_t* start, std::int64_t first, std::int64_t last);
  void exponentiate(const double* state, std::int32_t labels);
  void forward(const Exponentials& e, const Neighbours& lists);
  void sum_up(const Exponentials& e, const Neighbours& lists, std::int64_t first, double* log_z);
  void backward(double* state, const Exponentials& e, const Neighbours& lists, const double* cost,
                PairSums* pairs);
  void add_pairs(const Exponentials& e, std::int64_t step, PairSums& pairs);

  std::vector<Place> places_;
  std::int64_t steps_ = 0;
  std::vector<std::int32_t> at_;          // [steps][lanes] place, or -1
  std::vector<double> emission_, alpha_;  // [steps][L][lanes]
  std::vector<double> tops_, scale_;      // [steps][lanes]
  std::vector<double> beta_, weighted_;   // [L][lanes]
  std::vector<double> after_;             // [L][kept steps][lanes] of label pairs, what follows
  std::vector<double> row_, ends_;        // [lanes][L], [places]
  std::int64_t kept_ = 0;                 // steps in after_
  Marginals alone_;
};

}  // namespace linnet::chain
