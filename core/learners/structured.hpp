// The structured perceptron and MIRA (SPEC M-116, M-123; Collins 2002; Crammer and Singer 2003).
//
//   guess = argmax_y w . Phi(x, y)                        MIRA may add the cost of y
//   if guess != gold:  w += step (Phi(x, gold) - Phi(x, guess))
//
//   perceptron   step = 1
//   mira         step = min(C, loss / |Phi(x, gold) - Phi(x, guess)|^2),
//                loss = w . Phi(x, guess) - w . Phi(x, gold) + cost, the number of wrong labels
//
// Given sentences in an order, one step each; `cost` of the problem is the weight of a sentence: it
// multiplies a perceptron's step and MIRA's C, and 0 leaves the sentence out of account. Weights
// are laid out as those of a CRF. The average is lazy (lazy_average.hpp), of weights that never
// decay.
#pragma once

#include <cstdint>
#include <functional>

#include "../parallel.hpp"
#include "../solvers/online.hpp"
#include "crf.hpp"

namespace linnet {

struct StructuredOptions {
  bool mira = false;
  Averaging averaging = Averaging::none;
  Variant variant = Variant::pa1;
  double cap = 1.0;        // C of MIRA
  bool augmented = false;  // MIRA adds the cost to the scores before it guesses
  std::int64_t beam = 0;   // width of a beam search; 0 = Viterbi
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
// without averaging; `trace` is of the first round.
void structured_rounds(const ChainProblem& problem, const StructuredOptions& options,
                       const std::int64_t* orders, std::int64_t rounds, std::int64_t count,
                       double* weights, double* sums, StructuredState& state,
                       const StructuredTrace& trace,
                       const std::function<bool(const StructuredPass&)>& seen, ThreadPool& pool);

}  // namespace linnet
