// Online learning: one pass over the examples in a given order (SPEC C-14, C-23).
//
// Given weights W and, for each step t, a rate:
//
//   scores = x W;   residual = d loss / d scores;   W <- (1 - decay rate_t) W - step x residual^T
//
// (rules.hpp says which residual and which step). With a batch of several examples the step is the
// mean of theirs at the same weights. Options: truncation (M-45), projection on a ball (M-76), the
// running sum that averages need (M-33..M-36).
//
// The caller owns the weights, their sums and the state (lazy_weights.hpp), so passes can be strung
// together, stopped and resumed at will.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "../views.hpp"
#include "lazy_weights.hpp"
#include "rules.hpp"

namespace linnet {

enum class Averaging {
  none,
  before,   // the sum runs over the weights before each step
  after,    // after each step
  mistakes  // after each step that made an update
};

struct OnlineOptions {
  const Rule* rule;
  Averaging averaging = Averaging::none;
  double decay = 0.0;       // lambda of the penalty lambda / 2 |W|^2
  double truncation = 0.0;  // taken off every weight, the bias apart: by rules that correct at each
                            // update (M-45), by the others before each step (M-67)
  double radius = 0.0;      // project on |W| <= radius after each step; 0 = do not
  std::int64_t batch = 1;   // examples per step
  double pace = 0.0;  // seconds an example takes one thread, or 0: two part if they are slower
};

struct OnlinePass {
  double loss = 0.0;         // sum over the examples of cost * loss, each at the weights it met
  std::int64_t updates = 0;  // examples that changed the weights
  std::int64_t errors = 0;   // examples whose decision was wrong
};

// What each example of a pass met: all pointers are null, or none.
struct OnlineTrace {
  double* scores = nullptr;       // [n][width]
  std::int32_t* guess = nullptr;  // [n]
  double* loss = nullptr;         // [n]
  double* step = nullptr;         // [n], 0 = no update
};

// order[n] lists example numbers, rates[ceil(n / batch)] the rate of each step. squared_norms[rows]
// (bias included) serve MIRA and may be null for the others. `examples.cost` multiplies the steps
// of an example, or its C in MIRA. weights and sums are [(J + 1)][columns]; sums may be null
// without averaging. Long rows are shared between two threads of the pool, to the same result.
OnlinePass online_pass(const AnyCsr& x, const Examples& examples, const OnlineOptions& options,
                       const std::int64_t* order, std::int64_t n, const double* rates,
                       const double* squared_norms, double* weights, double* sums,
                       OnlineState& state, const OnlineTrace& trace, ThreadPool& pool);

// Reads a run's weights: out = W when sums is null, else (sum V - A) / count, the mean over count
// steps. Weights from bias_from to size belong to the bias. Returns whether all are finite.
bool online_weights(const double* weights, const double* sums, const OnlineState& state,
                    double count, std::int64_t bias_from, std::int64_t size, double* out,
                    ThreadPool& pool);

// sum_i cost_i loss_i of all examples at fixed weights, in parallel.
double total_loss(const AnyCsr& x, const Examples& examples, const Rule& rule,
                  const double* weights, ThreadPool& pool);

}  // namespace linnet
