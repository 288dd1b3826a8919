// The structured perceptron, MIRA and AROW (SPEC M-116, M-123; Collins 2002; Crammer and Singer
// 2003; Crammer, Kulesza and Dredze 2009).
//
//   guess = argmax_y w . Phi(x, y)                        MIRA may add the cost of y
//   if guess != gold:  w += step delta,  delta = Phi(x, gold) - Phi(x, guess)
//
//   perceptron   step = 1
//   mira         step = min(C, loss / |delta|^2),
//                loss = w . Phi(x, guess) - w . Phi(x, gold) + cost, the number of wrong labels
//   arow         every weight has a variance v:  step = v loss / (gamma + sum v delta^2),
//                and then  1 / v += delta^2 / gamma
//
// Given sentences in an order, one step each; `cost` of the problem is the weight of a sentence: it
// multiplies a perceptron's step and MIRA's C, and 0 leaves the sentence out of account. Weights
// are laid out as those of a CRF; those of labels that the problem has frozen stay as they are. The
// average is lazy (lazy_average.hpp), of weights that never decay; AROW has none.
#pragma once

#include <cstdint>
#include <functional>

#include "../parallel.hpp"
#include "../solvers/online.hpp"
#include "crf.hpp"

namespace linnet {

enum class StructuredRule { perceptron, mira, arow };

// What a guess costs: its wrong labels, the root of their number, or 1 however many there are.
enum class Cost { wrong, root, one };

struct StructuredOptions {
  StructuredRule rule = StructuredRule::perceptron;
  Averaging averaging = Averaging::none;
  Variant variant = Variant::pa1;
  double cap = 1.0;        // C of MIRA, gamma of AROW
  bool augmented = false;  // MIRA adds the cost to the scores before it guesses
  std::int64_t beam = 0;   // width of a beam search; 0 = Viterbi
  Cost cost = Cost::wrong;
};

struct StructuredState {
  double steps = 0.0;    // sentences met
  double updates = 0.0;  // of which changed the weights
};

// What each sentence of a pass met; null where nobody asks.
struct StructuredTrace {
  std::int32_t* guess = nullptr;  // [tokens of the pass], in its order
  double* loss = nullptr;         // [sentences of the pass]
  double* step = nullptr;         // [sentences of the pass]
};

struct StructuredPass {
  double loss = 0.0;  // sum of weight times loss, each sentence at the weights it met
  std::int64_t updates = 0;
  std::int64_t wrong = 0;  // tokens
};

// Rounds of `count` sentences each, in the order orders[round][0] .. orders[round][count - 1].
// After each round `seen` is called; when it answers false, that was the last. `sums` is A, or null
// without averaging; of AROW the variances. `trace` is of the first round.
void structured_rounds(const ChainProblem& problem, const StructuredOptions& options,
                       const std::int64_t* orders, std::int64_t rounds, std::int64_t count,
                       double* weights, double* sums, StructuredState& state,
                       const StructuredTrace& trace,
                       const std::function<bool(const StructuredPass&)>& seen, ThreadPool& pool);

}  // namespace linnet
