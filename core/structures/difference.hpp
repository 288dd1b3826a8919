// What separates two labellings of a sentence: Phi(x, gold) - Phi(x, guess), over the packed
// weights of a chain. Only tokens, neighbours and ends that differ take part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../learners/crf.hpp"
#include "../views.hpp"
#include "packed.hpp"

namespace linnet::chain {

// Calls change(weight, amount) for the features of tokens whose labels differ. A weight may come
// several times.
template <class Change>
void state_changes(const ChainProblem& problem, const Packed& packed, const double* buffer,
                   std::int64_t s, const std::int32_t* guess, Change&& change) {
  const std::int64_t begin = problem.sentences.start[s];
  const std::int64_t n = problem.sentences.length(s);
  const std::int32_t* const gold = problem.gold + begin;
  for (std::int64_t t = 0; t < n; ++t) {
    if (guess[t] == gold[t]) continue;
    packed.for_each(buffer, begin + t, gold[t], change);
    packed.for_each(buffer, begin + t, guess[t], [&](std::int64_t k, double v) { change(k, -v); });
  }
}

// The same for label pairs, triples, starts and stops.
template <class Change>
void label_changes(const ChainProblem& problem, const Packed& packed, std::int64_t s,
                   const std::int32_t* guess, Change&& change) {
  const std::int64_t n = problem.sentences.length(s), L = problem.labels;
  if (n == 0) return;
  const std::int32_t* const gold = problem.gold + problem.sentences.start[s];
  const std::int64_t transition = packed.tail();
  const std::int64_t start = transition + L * L, stop = start + L;
  for (std::int64_t t = 1; t < n; ++t) {
    if (guess[t] == gold[t] && guess[t - 1] == gold[t - 1]) continue;
    change(transition + gold[t - 1] * L + gold[t], 1.0);
    change(transition + guess[t - 1] * L + guess[t], -1.0);
  }
  const std::int64_t triples = packed.triples();
  for (std::int64_t t = 2; triples >= 0 && t < n; ++t) {
    if (std::equal(guess + t - 2, guess + t + 1, gold + t - 2)) continue;
    change(triples + (gold[t - 2] * L + gold[t - 1]) * L + gold[t], 1.0);
    change(triples + (guess[t - 2] * L + guess[t - 1]) * L + guess[t], -1.0);
  }
  if (guess[0] != gold[0]) {
    change(start + gold[0], 1.0);
    change(start + guess[0], -1.0);
  }
  if (guess[n - 1] != gold[n - 1]) {
    change(stop + gold[n - 1], 1.0);
    change(stop + guess[n - 1], -1.0);
  }
}

template <class Change>
void for_each_change(const ChainProblem& problem, const Packed& packed, const double* buffer,
                     std::int64_t s, const std::int32_t* guess, Change&& change) {
  state_changes(problem, packed, buffer, s, guess, change);
  label_changes(problem, packed, s, guess, change);
}

// A sum of such differences, each weight once, so that its length can be taken.
class Difference {
 public:
  explicit Difference(const Packed& packed)
      : value_(static_cast<std::size_t>(packed.size()), 0.0), held_(value_.size(), 0) {}

  void add(const ChainProblem& problem, const Packed& packed, const double* buffer, std::int64_t s,
           const std::int32_t* guess, double amount) {
    for_each_change(problem, packed, buffer, s, guess,
                    [&](std::int64_t k, double v) { add(k, amount * v); });
  }
  void add(std::int64_t k, double amount) {
    if (!held_[k]) {
      held_[k] = 1;
      touched_.push_back(k);
    }
    value_[k] += amount;
  }

  double squared_length() const {
    double sum = 0.0;
    for (const std::int64_t k : touched_) sum += value_[k] * value_[k];
    return sum;
  }
  double dot(const double* w) const {
    double sum = 0.0;
    for (const std::int64_t k : touched_) sum += value_[k] * w[k];
    return sum;
  }
  void add_to(double step, double* w) const {
    for (const std::int64_t k : touched_) w[k] += step * value_[k];
  }
  // AROW: w += step v, each weight by its variance v, which shrinks; returns the step without it.
  double add_surely(double gamma, double loss, double* variance, double* w) const {
    double sum = gamma;
    for (const std::int64_t k : touched_) sum += value_[k] * value_[k] * variance[k];
    const double step = loss / sum;
    for (const std::int64_t k : touched_) {
      w[k] += step * variance[k] * value_[k];
      variance[k] = 1.0 / (1.0 / variance[k] + value_[k] * value_[k] / gamma);
    }
    return step;
  }
  void clear() {
    for (const std::int64_t k : touched_) {
      value_[k] = 0.0;
      held_[k] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<double> value_;
  std::vector<std::uint8_t> held_;
  std::vector<std::int64_t> touched_;
};

// Adds 1 to the score of every wrong label: the best labelling is then the cost-augmented one, its
// cost being the number of wrong labels.
inline void augment(double* state, std::int64_t n, std::int32_t labels, const std::int32_t* gold,
                    double amount) {
  for (std::int64_t k = 0; k < n * labels; ++k) state[k] += amount;
  for (std::int64_t t = 0; t < n; ++t) state[t * labels + gold[t]] -= amount;
}

inline std::int64_t hamming(const std::int32_t* a, const std::int32_t* b, std::int64_t n) {
  std::int64_t wrong = 0;
  for (std::int64_t t = 0; t < n; ++t) wrong += a[t] != b[t];
  return wrong;
}

}  // namespace linnet::chain
