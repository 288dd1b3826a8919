// The best labelling of a sentence (chain.hpp; Viterbi 1967; SPEC M-112).
//
//   best_1[j] = start[j] + state[1][j]
//   best_t[j] = max_i (best_{t-1}[i] + transition[i][j]) + state[t][j]
//
// Given state scores [n][L] and potentials. Returned: the labels of the largest total, found by
// walking back from the best end, and that total. The maxima are kept, not where they came from:
// walking back looks at one column a token, so the way there needs no indices. With many labels,
// rows that cannot win anywhere are left out; a beam keeps the best few labels of each token.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../numeric.hpp"
#include "../strips.hpp"
#include "chain.hpp"

namespace linnet::chain {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

double score(const double* state, std::int64_t n, const Potentials& p, const std::int32_t* labels) {
  if (n == 0) return 0.0;
  const std::int32_t L = p.labels;
  double total = p.start[labels[0]] + p.stop[labels[n - 1]];
  for (std::int64_t t = 0; t < n; ++t) {
    total += state[t * L + labels[t]];
    if (t > 1 && p.second) {
      const std::int64_t pair = std::int64_t{labels[t - 2]} * L + labels[t - 1];
      total += p.second[pair * L + labels[t]];
    } else if (t > 0) {
      total += p.transition[std::int64_t{labels[t - 1]} * L + labels[t]];
    }
  }
  return total;
}

namespace {

// now[j] = max_i before[i] + transition[i][j] + state[j], and where it came from. Going through i
// from the lowest keeps the lowest of equals; all j move together.
LINNET_CLONES
void step(const double* before, const double* transition, const double* state, std::int32_t L,
          double* now, std::int32_t* from) {
  for (std::int32_t j = 0; j < L; ++j) {
    now[j] = before[0] + transition[j];
    from[j] = 0;
  }
  for (std::int32_t i = 1; i < L; ++i) {
    const double* const row = transition + std::int64_t{i} * L;
    const double base = before[i];
    for (std::int32_t j = 0; j < L; ++j) {
      const double reached = base + row[j];
      from[j] = reached > now[j] ? i : from[j];
      now[j] = reached > now[j] ? reached : now[j];
    }
  }
  for (std::int32_t j = 0; j < L; ++j) now[j] += state[j];
}

std::int32_t best_of(const double* values, std::int32_t n) {
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < n; ++k) {
    if (values[k] > values[best]) best = k;
  }
  return best;
}

// now[j] = max_i before[i] + transition[i][j] for j < W, rows `width` apart: W maxima in registers.
template <std::int32_t W>
LINNET_INLINE void reach(const double* before, const double* transition, std::int32_t L,
                         std::int32_t width, double* now) {
  double top[W];
  for (std::int32_t j = 0; j < W; ++j) top[j] = before[0] + transition[j];
  for (std::int32_t i = 1; i < L; ++i) {
    const double base = before[i];
    const double* const row = transition + std::int64_t{i} * width;
    for (std::int32_t j = 0; j < W; ++j) {
      const double reached = base + row[j];
      top[j] = reached > top[j] ? reached : top[j];
    }
  }
  for (std::int32_t j = 0; j < W; ++j) now[j] = top[j];
}

LINNET_CLONES
void reach_all(const double* before, const double* transition, const double* state, std::int32_t L,
               std::int32_t width, double* now) {
  in_strips<32, 24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t j) LINNET_INLINE_LAMBDA {
    reach<W>(before, transition + j, L, width, now + j);
  });
  for (std::int32_t l = 0; l < L; ++l) now[l] += state[l];
}

}  // namespace

namespace {

constexpr std::int32_t kMany = 64;  // labels from which on it pays to look which rows can win

// The least and the largest of each row of transitions.
LINNET_CLONES
void row_bounds(const double* transition, std::int32_t L, double* least, double* most) {
  constexpr std::int32_t kWide = 16;
  for (std::int32_t i = 0; i < L; ++i) {
    const double* const row = transition + std::int64_t{i} * L;
    double low[kWide], high[kWide];
    for (std::int32_t r = 0; r < kWide; ++r) low[r] = high[r] = row[0];
    std::int32_t j = 0;
    for (; j + kWide <= L; j += kWide) {
      for (std::int32_t r = 0; r < kWide; ++r) {
        low[r] = row[j + r] < low[r] ? row[j + r] : low[r];
        high[r] = row[j + r] > high[r] ? row[j + r] : high[r];
      }
    }
    for (; j < L; ++j) {
      low[0] = std::min(low[0], row[j]);
      high[0] = std::max(high[0], row[j]);
    }
    least[i] = *std::min_element(low, low + kWide);
    most[i] = *std::max_element(high, high + kWide);
  }
}

// now[j] = max(now[j], base + row[j]), and where it came from
LINNET_CLONES
void reach_from(std::int32_t i, double base, const double* row, std::int32_t L, double* now,
                std::int32_t* from) {
  for (std::int32_t j = 0; j < L; ++j) {
    const double reached = base + row[j];
    from[j] = reached > now[j] ? i : from[j];
    now[j] = reached > now[j] ? reached : now[j];
  }
}

}  // namespace

// The same with many labels. Every label can be reached from i with before[i] + least[i], so a row
// whose largest sum is below the best of these cannot win anywhere, and is passed over: exact, and
// of hundreds of rows few remain.
double Decoder::best_of_many(const double* state, std::int64_t n, const Potentials& p,
                             std::int32_t* labels) {
  const std::int32_t L = p.labels;
  before_.resize(static_cast<std::size_t>(L));
  for (std::vector<double>* room : {&now_, &least_, &most_}) room->resize(before_.size());
  back_.assign(static_cast<std::size_t>(n * L), 0);
  row_bounds(p.transition, L, least_.data(), most_.data());
  for (std::int32_t l = 0; l < L; ++l) before_[l] = p.start[l] + state[l];
  for (std::int64_t t = 1; t < n; ++t) {
    double sure = kNever;
    for (std::int32_t i = 0; i < L; ++i) sure = std::max(sure, before_[i] + least_[i]);
    std::fill(now_.begin(), now_.end(), kNever);
    for (std::int32_t i = 0; i < L; ++i) {
      if (before_[i] + most_[i] < sure) continue;
      reach_from(i, before_[i], p.transition + std::int64_t{i} * L, L, now_.data(),
                 back_.data() + t * L);
    }
    for (std::int32_t l = 0; l < L; ++l) now_[l] += state[t * L + l];
    before_.swap(now_);
  }
  return trace_back(n, p, labels);
}

// Keeps the scores of all beginnings instead of where they came from, which only the labels of the
// best path need to know; very long sentences keep the smaller table.
double Decoder::best(const double* state, std::int64_t n, const Potentials& p,
                     std::int32_t* labels) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const std::int32_t L = p.labels, width = (L + 7) / 8 * 8;
  if (n > 2 && p.second) return best_of_second(state, n, p, labels);
  if (n > 1 && L >= kMany) return best_of_many(state, n, p, labels);
  if (n <= 1 || n * width > kMost) return best_by_steps(state, n, p, labels);
  if (reached_.size() < static_cast<std::size_t>(n * width)) reached_.resize(n * width);
  padded_.resize(static_cast<std::size_t>(L) * width, kNever);
  for (std::int32_t i = 0; i < L; ++i) {
    std::copy_n(p.transition + std::int64_t{i} * L, L, padded_.data() + std::int64_t{i} * width);
  }
  double* const first = reached_.data();
  for (std::int32_t l = 0; l < L; ++l) first[l] = p.start[l] + state[l];
  for (std::int64_t t = 1; t < n; ++t) {
    double* const now = first + t * width;
    reach_all(now - width, padded_.data(), state + t * L, L, width, now);
  }
  double* const end = first + (n - 1) * width;
  for (std::int32_t l = 0; l < L; ++l) end[l] += p.stop[l];
  std::int32_t label = best_of(end, L);
  const double total = end[label];
  if (total == kNever) {
    std::fill(labels, labels + n, 0);
    return kNever;
  }
  labels[n - 1] = label;
  for (std::int64_t t = n - 1; t > 0; --t) {
    const double* const before = first + (t - 1) * width;
    const double* const column = padded_.data() + label;
    label = 0;
    double top = before[0] + column[0];
    for (std::int32_t i = 1; i < L; ++i) {
      const double reached = before[i] + column[std::int64_t{i} * width];
      if (reached > top) top = reached, label = i;
    }
    labels[t - 1] = label;
  }
  return total;
}

// Keeps where each label came from, and no scores but those of the last token.
double Decoder::best_by_steps(const double* state, std::int64_t n, const Potentials& p,
                              std::int32_t* labels) {
  if (n == 0) return 0.0;
  const std::int32_t L = p.labels;
  before_.resize(static_cast<std::size_t>(L));
  now_.resize(before_.size());
  back_.resize(static_cast<std::size_t>(n * L));
  for (std::int32_t l = 0; l < L; ++l) before_[l] = p.start[l] + state[l];
  for (std::int64_t t = 1; t < n; ++t) {
    step(before_.data(), p.transition, state + t * L, L, now_.data(), back_.data() + t * L);
    before_.swap(now_);
  }
  return trace_back(n, p, labels);
}

// From the scores of the last token in before_ and where each came from in back_.
double Decoder::trace_back(std::int64_t n, const Potentials& p, std::int32_t* labels) {
  const std::int32_t L = p.labels;
  for (std::int32_t l = 0; l < L; ++l) before_[l] += p.stop[l];
  const std::int32_t last = best_of(before_.data(), L);
  const double total = before_[last];
  if (total == kNever) {
    std::fill(labels, labels + n, 0);
    return kNever;
  }
  labels[n - 1] = last;
  for (std::int64_t t = n - 1; t > 0; --t) labels[t - 1] = back_[t * L + labels[t]];
  return total;
}

// Every label of every token keeps its k best beginnings: (score, previous label, which of its).
std::int64_t Decoder::n_best(const double* state, std::int64_t n, const Potentials& p,
                             std::int64_t k, std::int32_t* labels, double* scores) {
  struct Beginning {
    double score;
    std::int32_t label;
    std::int32_t rank;
  };
  if (n == 0 || k <= 0) return 0;
  if (n > 2 && p.second) return n_best_of_second(state, n, p, k, labels, scores);
  const std::int32_t L = p.labels;
  std::vector<std::vector<Beginning>> kept(static_cast<std::size_t>(n * L));
  std::vector<Beginning> found;
  const auto take = [&](std::vector<Beginning>& out) {
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(k), found.size());
    const auto better = [](const Beginning& a, const Beginning& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.label != b.label ? a.label < b.label : a.rank < b.rank;
    };
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                      better);
    out.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most));
  };
  for (std::int32_t l = 0; l < L; ++l) {
    const double value = p.start[l] + state[l];
    if (value > kNever) kept[l].push_back({value, -1, 0});
  }
  const auto gather = [&](std::int64_t t, auto&& extra) {
    found.clear();
    for (std::int32_t i = 0; i < L; ++i) {
      const auto& list = kept[(t - 1) * L + i];
      for (std::size_t r = 0; r < list.size(); ++r) {
        const double value = list[r].score + extra(i);
        if (value > kNever) found.push_back({value, i, static_cast<std::int32_t>(r)});
      }
    }
  };
  // The state's score comes last, as in `best`, so that both add up the same and agree on ties.
  for (std::int64_t t = 1; t < n; ++t) {
    for (std::int32_t j = 0; j < L; ++j) {
      const double here = state[t * L + j];
      if (here == kNever) continue;
      gather(t, [&](std::int32_t i) { return p.transition[std::int64_t{i} * L + j]; });
      take(kept[t * L + j]);
      for (Beginning& one : kept[t * L + j]) one.score += here;
    }
  }
  std::vector<Beginning> whole;
  gather(n, [&](std::int32_t i) { return p.stop[i]; });
  take(whole);
  for (std::size_t r = 0; r < whole.size(); ++r) {
    scores[r] = whole[r].score;
    Beginning at = whole[r];
    for (std::int64_t t = n - 1; t >= 0; --t) {
      labels[static_cast<std::int64_t>(r) * n + t] = at.label;
      at = kept[t * L + at.label][static_cast<std::size_t>(at.rank)];
    }
  }
  return static_cast<std::int64_t>(whole.size());
}

double Decoder::beam(const double* state, std::int64_t n, const Potentials& p, std::int64_t width,
                     std::int32_t* labels) {
  struct Prefix {
    double score;
    std::int32_t label;
    std::int64_t parent;  // into the list of all prefixes kept so far
  };
  if (n == 0) return 0.0;
  const std::int32_t L = p.labels;
  std::vector<Prefix> all, found;
  std::vector<std::int64_t> beam, next;
  const auto keep = [&] {
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(width), found.size());
    std::stable_sort(found.begin(), found.end(),
                     [](const Prefix& a, const Prefix& b) { return a.score > b.score; });
    next.clear();
    for (std::size_t k = 0; k < most; ++k) {
      next.push_back(static_cast<std::int64_t>(all.size()));
      all.push_back(found[k]);
    }
    beam.swap(next);
  };
  const auto ending = [&](std::int64_t t, std::int32_t l) { return t == n - 1 ? p.stop[l] : 0.0; };
  for (std::int32_t l = 0; l < L; ++l) {
    found.push_back({p.start[l] + state[l] + ending(0, l), l, -1});
  }
  keep();
  for (std::int64_t t = 1; t < n; ++t) {
    found.clear();
    for (const std::int64_t b : beam) {
      const double* between = p.transition + std::int64_t{all[b].label} * L;
      if (t > 1 && p.second) {
        const std::int64_t pair = std::int64_t{all[all[b].parent].label} * L + all[b].label;
        between = p.second + pair * L;
      }
      for (std::int32_t j = 0; j < L; ++j) {
        found.push_back({all[b].score + between[j] + state[t * L + j] + ending(t, j), j, b});
      }
    }
    keep();
  }
  std::int64_t at = beam[0];
  const double top = all[at].score;
  for (std::int64_t t = n - 1; t >= 0; --t, at = all[at].parent) labels[t] = all[at].label;
  return top;
}

}  // namespace linnet::chain
