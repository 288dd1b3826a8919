// The chain structure: one label a token, and a score for every pair of neighbours. Decoding is in
// viterbi.cpp, probabilities are in forward_backward.cpp.
//
//   score(y) = start[y_1] + sum_t state[t][y_t] + sum_{t>1} transition[y_{t-1}][y_t] + stop[y_n]
//
// In a chain of second order a label depends on the two before it (second_order.cpp):
// second[y_{t-2}][y_{t-1}][y_t] stands in the place of the transition from the third token on.
//
// -inf is a legal score: what must not be is data, not code. Ties go to the lowest label, at every
// step of the way (SPEC M-112).
#pragma once

#include <cstdint>
#include <vector>

namespace linnet::chain {

// The scores that do not depend on the sentence; they never own memory.
struct Potentials {
  std::int32_t labels;             // L >= 1
  const double* transition;        // [L][L], previous label first
  const double* start;             // [L]
  const double* stop;              // [L]
  const double* second = nullptr;  // [L][L][L] the label two before first; null: of first order
};

// The scores of labels[L][L] pairs, [L] starts, [L] stops and in a chain of second order [L][L][L]
// triples, all weights in one vector. A triple scores its weight besides that of its last pair;
// their sums are written to `room`, which must stay as long as the answer.
Potentials label_potentials(const double* weights, std::int32_t labels, int order,
                            std::vector<double>& room);

// The score of a labelling of n tokens.
double score(const double* state, std::int64_t n, const Potentials& p, const std::int32_t* labels);

// The best labelling and its score (SPEC M-112); -inf when none is possible, and then every label
// is 0. Scratch is kept between calls.
class Decoder {
 public:
  double best(const double* state, std::int64_t n, const Potentials& p, std::int32_t* labels);

  // The k best labellings, best first: labels[k][n], scores[k]. Returns how many there are. Of
  // labellings with one score the one whose last labels are lower comes first.
  std::int64_t n_best(const double* state, std::int64_t n, const Potentials& p, std::int64_t k,
                      std::int32_t* labels, double* scores);

  // Keeps the `width` best beginnings at every token (SPEC M-115).
  double beam(const double* state, std::int64_t n, const Potentials& p, std::int64_t width,
              std::int32_t* labels);

 private:
  double best_by_steps(const double* state, std::int64_t n, const Potentials& p,
                       std::int32_t* labels);
  double best_of_many(const double* state, std::int64_t n, const Potentials& p,
                      std::int32_t* labels);
  double trace_back(std::int64_t n, const Potentials& p, std::int32_t* labels);
  double best_of_second(const double* state, std::int64_t n, const Potentials& p,
                        std::int32_t* labels);
  std::int64_t n_best_of_second(const double* state, std::int64_t n, const Potentials& p,
                                std::int64_t k, std::int32_t* labels, double* scores);

  std::vector<double> before_, now_, reached_, padded_, least_, most_;
  std::vector<std::int32_t> back_;
  std::vector<std::uint8_t> from_;
};

// The label pairs that have a weight, those of label i being next[start[i] .. start[i + 1]), and
// the triples that have one. All others score 0. Null pointers mean that every one has a weight.
struct Following {
  const std::int64_t* start = nullptr;  // [L + 1]
  const std::int32_t* next = nullptr;
  const std::uint8_t* triple = nullptr;  // [L][L][L] 1 where a triple has a weight

  explicit operator bool() const { return start != nullptr; }
};

// Exponentiated transitions, made once for all sentences. For every pair: rows padded with zeros to
// whole vectors. For some pairs: e^transition is a constant plus an excess for those, and the work
// grows with their number, not with the square of the labels. A very negative excess would leave
// only rounding of the constant, so with such scores all pairs are written out again.
class Exponentials {
 public:
  explicit Exponentials(const Potentials& p, const Following& following = {});

  std::int32_t labels;
  std::int32_t width;  // L rounded up
  double transition_top = 0.0, start_top,
         stop_top;                  // largest finite scores, taken out of the exponents
  Following following;              // the pairs that have a weight
  bool sparse = false;              // whether only they are written out
  double rest = 0.0;                // e^(0 - top), of the pairs without a weight
  std::vector<double> excess;       // [pairs] e^(transition - top) - rest
  std::vector<double> forward;      // [L][width]  e^(transition - top), previous label first
  std::vector<double> backward;     // [L][width]  the same, next label first
  std::vector<double> start, stop;  // [width]
  // Of second order, e^(second - top) with zeros to whole vectors; the middle label comes first:
  double second_top = 0.0;
  std::vector<double> onward;  // [middle][two before][width of the last]
  std::vector<double> back;    // [middle][last][width of two before]
};

// Expected numbers of label pairs and triples, added up over sentences. What the fast way adds has
// still to be multiplied by e^transition; what the safe way adds is final.
struct PairSums {
  explicit PairSums(const Exponentials& e);
  void clear();
  // out[i][j] += the expected number of times that i is followed by j, by its end triples included;
  // of second order also triples[i][j][k] += that of i, j, k.
  void add_to(double* out, double* triples, const Exponentials& e) const;

  std::vector<double> products;       // [L][width], or [pairs] where only some are written out
  std::vector<double> final;          // [L][L], empty until needed
  std::vector<double> triples;        // [middle][two before][width], of second order
  std::vector<double> final_triples;  // the same, empty until needed

 private:
  void add_triples_to(double* out, double* triples_out, const Exponentials& e) const;
};

// Forward and backward in one sentence.
class Marginals {
 public:
  // Returns ln Z and replaces state[n][L] by the marginals P(y_t = l). With `pairs` adds `weight`
  // times the expected pairs. When no labelling is possible: -inf, and uniform marginals.
  double run(double* state, std::int64_t n, const Potentials& p, const Exponentials& e,
             PairSums* pairs = nullptr, double weight = 1.0);

  // The same, and also each[t - 1][i][j] = P(y_{t-1} = i, y_t = j) for t = 1 .. n - 1, in
  // logarithms.
  double run_pairs(double* state, std::int64_t n, const Potentials& p, double* each);

 private:
  double logarithmic(double* state, std::int64_t n, const Potentials& p, PairSums* pairs,
                     double weight, double* each = nullptr);
  // Of second order, n > 2:
  double run_second(double* state, std::int64_t n, const Potentials& p, const Exponentials& e,
                    PairSums* pairs, double weight);
  bool forward_second(std::int64_t n, const Exponentials& e);
  bool backward_second(std::int64_t n, const Exponentials& e, double last);
  void add_second(std::int64_t n, const Exponentials& e, double weight, PairSums& pairs) const;
  double logarithmic_second(double* state, std::int64_t n, const Potentials& p, PairSums* pairs,
                            double weight, double* each = nullptr);
  // e^(state - the largest of its token) into emission_; returns `tops` plus all those largest.
  double exponentiate(const double* state, std::int64_t n, const Exponentials& e, double tops);

  std::vector<double> emission_, alpha_, scale_, beta_, weighted_, log_alpha_, log_beta_;
  std::vector<double> given_;           // the state scores
  std::vector<double> turned_, share_;  // of second order: what comes back; marginals [n][L]
};

}  // namespace linnet::chain
