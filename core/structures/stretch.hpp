// Neighbouring tokens that are wrong, the rest of the sentence having its gold labels.
//
// A labelling that differs from gold is a set of such stretches with right tokens between any two,
// and what separates it from gold is a sum over them: a label pair belongs to the stretch that has
// one of its labels, and never to two. One right token between them sees to that; in a chain of
// second order two do, and a stretch may have single right tokens within.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../learners/crf.hpp"
#include "packed.hpp"

namespace linnet::chain {

struct Stretch {
  std::int64_t first;                // token, within the sentence
  std::vector<std::int32_t> labels;  // of the tokens from there on
  std::int64_t wrong = 0;            // how many of them

  std::int64_t length() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t end() const { return first + length(); }
  std::int32_t label(std::int64_t t, const std::int32_t* gold) const {
    return t < first || t >= end() ? gold[t] : labels[static_cast<std::size_t>(t - first)];
  }
  bool operator==(const Stretch&) const = default;
  auto operator<=>(const Stretch&) const = default;
};

// Calls change(weight, amount) for Phi(x, gold) - Phi(x, gold with the stretch). A weight may come
// several times.
template <class Change>
void stretch_changes(const ChainProblem& problem, const double* buffer, std::int64_t s,
                     const Stretch& one, Change&& change) {
  const Packed& packed = *problem.packed;
  const std::int64_t begin = problem.sentences.start[s], n = problem.sentences.length(s);
  const std::int64_t L = problem.labels, last = one.end() - 1;
  const std::int32_t* const gold = problem.gold + begin;
  for (std::int64_t t = one.first; t <= last; ++t) {
    packed.for_each(buffer, begin + t, gold[t], change);
    packed.for_each(buffer, begin + t, one.label(t, gold),
                    [&](std::int64_t k, double v) { change(k, -v); });
  }
  const std::int64_t transition = packed.tail();
  const std::int64_t start = transition + L * L, stop = start + L;
  for (std::int64_t t = std::max<std::int64_t>(one.first, 1); t <= std::min(last + 1, n - 1); ++t) {
    change(transition + gold[t - 1] * L + gold[t], 1.0);
    change(transition + one.label(t - 1, gold) * L + one.label(t, gold), -1.0);
  }
  const std::int64_t triples = packed.triples();
  for (std::int64_t t = std::max<std::int64_t>(one.first, 2);
       triples >= 0 && t <= std::min(last + 2, n - 1); ++t) {
    change(triples + (gold[t - 2] * L + gold[t - 1]) * L + gold[t], 1.0);
    change(triples + (one.label(t - 2, gold) * L + one.label(t - 1, gold)) * L + one.label(t, gold),
           -1.0);
  }
  if (one.first == 0) {
    change(start + gold[0], 1.0);
    change(start + one.labels.front(), -1.0);
  }
  if (last == n - 1) {
    change(stop + gold[last], 1.0);
    change(stop + one.labels.back(), -1.0);
  }
}

// The sum of those changes times their weights: how far gold leads the stretch.
inline double lead_over(const ChainProblem& problem, const double* buffer, std::int64_t s,
                        const Stretch& one) {
  const Packed& packed = *problem.packed;
  const std::int64_t begin = problem.sentences.start[s], n = problem.sentences.length(s);
  const std::int64_t L = problem.labels, last = one.end() - 1;
  const std::int32_t* const gold = problem.gold + begin;
  const double* const transition = buffer + packed.tail();
  const double* const start = transition + L * L;
  const double* const stop = start + L;
  double lead = 0.0;
  for (std::int64_t t = one.first; t <= last; ++t) {
    lead += packed.lead(buffer, begin + t, gold[t], one.label(t, gold));
  }
  for (std::int64_t t = std::max<std::int64_t>(one.first, 1); t <= std::min(last + 1, n - 1); ++t) {
    lead += transition[gold[t - 1] * L + gold[t]] -
            transition[one.label(t - 1, gold) * L + one.label(t, gold)];
  }
  const double* const triples = buffer + std::max<std::int64_t>(packed.triples(), 0);
  for (std::int64_t t = std::max<std::int64_t>(one.first, 2);
       packed.triples() >= 0 && t <= std::min(last + 2, n - 1); ++t) {
    lead += triples[(gold[t - 2] * L + gold[t - 1]) * L + gold[t]] -
            triples[(one.label(t - 2, gold) * L + one.label(t - 1, gold)) * L + one.label(t, gold)];
  }
  if (one.first == 0) lead += start[gold[0]] - start[one.labels.front()];
  if (last == n - 1) lead += stop[gold[last]] - stop[one.labels.back()];
  return lead;
}

// The stretches of a labelling of n tokens, from left to right, with `apart` right tokens or more
// between them: the order of the chain.
inline std::vector<Stretch> stretches_of(const std::int32_t* labels, const std::int32_t* gold,
                                         std::int64_t n, int apart) {
  std::vector<Stretch> out;
  for (std::int64_t t = 0; t < n; ++t) {
    if (labels[t] == gold[t]) continue;
    if (out.empty() || out.back().end() + apart <= t) out.push_back({t, {}});
    Stretch& one = out.back();
    one.labels.insert(one.labels.end(), labels + one.end(), labels + t + 1);
    ++one.wrong;
  }
  return out;
}

// Values nearer than this are a tie, which the earlier stretch wins: steps make values equal up to
// rounding, and rounding is not to decide.
constexpr double kTie = 1e-9;

// Which stretches of n tokens the labelling of largest value has: chosen[k] is 1 for them and 0 for
// the others. stretch(k) gives them by ascending first token, value[k] what each is worth; `apart`
// right tokens must be between any two.
template <class StretchAt>
void best_set(std::int64_t n, StretchAt&& stretch, const std::vector<double>& value, int apart,
              std::vector<double>& chosen) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<double> best(static_cast<std::size_t>(n + apart) + 1, 0.0);  // from token t on
  std::vector<std::size_t> pick(static_cast<std::size_t>(n), kNone);
  std::size_t end = value.size();
  for (std::int64_t t = n - 1; t >= 0; --t) {
    best[t] = best[t + 1];
    std::size_t first = end;
    while (first > 0 && stretch(first - 1).first == t) --first;
    for (std::size_t k = first; k < end; ++k) {
      const double with = value[k] + best[stretch(k).end() + apart];
      if (with > best[t] + kTie) best[t] = with, pick[t] = k;
    }
    end = first;
  }
  chosen.assign(value.size(), 0.0);
  for (std::int64_t t = 0; t < n;) {
    if (pick[t] != kNone) chosen[pick[t]] = 1.0;
    t = pick[t] == kNone ? t + 1 : stretch(pick[t]).end() + apart;
  }
}

}  // namespace linnet::chain
