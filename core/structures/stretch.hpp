// Neighbouring tokens that are all wrong, the rest of the sentence having its gold labels.
//
// A labelling that differs from gold is a set of such stretches with at least one right token
// between any two, and what separates it from gold is a sum over them: a label pair belongs to the
// stretch that has one of its labels, and never to two.
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

  std::int64_t wrong() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t end() const { return first + wrong(); }
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
  const Potentials p = packed.potentials(buffer);
  double lead = 0.0;
  for (std::int64_t t = one.first; t <= last; ++t) {
    lead += packed.lead(buffer, begin + t, gold[t], one.label(t, gold));
  }
  for (std::int64_t t = std::max<std::int64_t>(one.first, 1); t <= std::min(last + 1, n - 1); ++t) {
    lead += p.transition[gold[t - 1] * L + gold[t]] -
            p.transition[one.label(t - 1, gold) * L + one.label(t, gold)];
  }
  if (one.first == 0) lead += p.start[gold[0]] - p.start[one.labels.front()];
  if (last == n - 1) lead += p.stop[gold[last]] - p.stop[one.labels.back()];
  return lead;
}

// The stretches of a labelling of n tokens, from left to right.
inline std::vector<Stretch> stretches_of(const std::int32_t* labels, const std::int32_t* gold,
                                         std::int64_t n) {
  std::vector<Stretch> out;
  for (std::int64_t t = 0; t < n; ++t) {
    if (labels[t] == gold[t]) continue;
    if (out.empty() || out.back().end() != t) out.push_back({t, {}});
    out.back().labels.push_back(labels[t]);
  }
  return out;
}

// Values nearer than this are a tie, which the earlier stretch wins: steps make values equal up to
// rounding, and rounding is not to decide.
constexpr double kTie = 1e-9;

// Which stretches of n tokens the labelling of largest value has: chosen[k] is 1 for them and 0 for
// the others. stretch(k) gives them by ascending first token, value[k] what each is worth.
template <class StretchAt>
void best_set(std::int64_t n, StretchAt&& stretch, const std::vector<double>& value,
              std::vector<double>& chosen) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<double> best(static_cast<std::size_t>(n) + 2, 0.0);  // of the tokens from t on
  std::vector<std::size_t> pick(static_cast<std::size_t>(n), kNone);
  std::size_t end = value.size();
  for (std::int64_t t = n - 1; t >= 0; --t) {
    best[t] = best[t + 1];
    std::size_t first = end;
    while (first > 0 && stretch(first - 1).first == t) --first;
    for (std::size_t k = first; k < end; ++k) {
      const double with = value[k] + best[stretch(k).end() + 1];
      if (with > best[t] + kTie) best[t] = with, pick[t] = k;
    }
    end = first;
  }
  chosen.assign(value.size(), 0.0);
  for (std::int64_t t = 0; t < n;) {
    if (pick[t] != kNone) chosen[pick[t]] = 1.0;
    t = pick[t] == kNone ? t + 1 : stretch(pick[t]).end() + 1;
  }
}

}  // namespace linnet::chain
