// State scores from the weights of observed (feature, label) pairs, and their gradient (pairs.hpp).
#include "pairs.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>
#include <vector>

#include "../numeric.hpp"
#include "../strips.hpp"

namespace linnet::chain {
namespace {

constexpr std::int32_t kVector = 8;
constexpr std::int32_t kUnmet = INT32_MAX;

LINNET_CLONES
void add_full(double amount, const double* weights, std::int32_t n, double* out) {
  for (std::int32_t l = 0; l < n; ++l) out[l] += amount * weights[l];
}

// out[l] = sum_r factor[r] rows[r][l] for l < W: W sums in registers.
template <std::int32_t W>
LINNET_INLINE void gather(const double* const* rows, const double* factor, std::int64_t n,
                          std::int64_t first, double* out) {
  double sum[W] = {};
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int32_t l = 0; l < W; ++l) sum[l] += factor[r] * rows[r][first + l];
  }
  for (std::int32_t l = 0; l < W; ++l) out[first + l] = sum[l];
}

LINNET_CLONES
void gather_rows(const double* const* rows, const double* factor, std::int64_t n, std::int32_t L,
                 double* out) {
  in_strips<32, 16, 8, 4, 2, 1>(L, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
    gather<W>(rows, factor, n, l, out);
  });
}

// The same for rows by their numbers in a table whose rows are whole vectors. Without factors they
// are 1.
template <std::int32_t W, bool kOnes>
LINNET_INLINE void gather(const double* table, const std::int32_t* row, const double* factor,
                          std::int64_t n, std::int32_t width, double* out) {
  double sum[W] = {};
  for (std::int64_t r = 0; r < n; ++r) {
    const double* const from = table + std::int64_t{row[r]} * width;
    for (std::int32_t l = 0; l < W; ++l) sum[l] += kOnes ? from[l] : factor[r] * from[l];
  }
  for (std::int32_t l = 0; l < W; ++l) out[l] = sum[l];
}

LINNET_CLONES
void gather_numbered(const double* table, const std::int32_t* row, const double* factor,
                     std::int64_t n, std::int32_t width, double* out) {
  if (n == 0) {  // perhaps there is no table
    std::fill_n(out, width, 0.0);
    return;
  }
  if (factor) {
    in_strips<32, 24, 16, kVector>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      gather<W, false>(table + l, row, factor, n, width, out + l);
    });
  } else {
    in_strips<32, 24, 16, kVector>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      gather<W, true>(table + l, row, nullptr, n, width, out + l);
    });
  }
}

// A cell is count and labels as int32, filled up to whole doubles, then the weights.
std::int64_t head_of(std::int64_t count) { return (count + 2) / 2; }
std::int32_t number(const char* head, std::int64_t k) {
  std::int32_t n;
  std::memcpy(&n, head + k * static_cast<std::int64_t>(sizeof n), sizeof n);
  return n;
}

// The cell of a feature with one label.
struct Single {
  std::int32_t count, label;
  double weight;
};

// A feature with this many labels is added by whole rows. With few labels a row is a few vectors,
// which cost less than a loop whose length cannot be foreseen: then only a single label is no row.
constexpr std::int32_t kFewLabels = 32;
std::int32_t least_wide(std::int32_t labels) {
  return std::min(labels, labels <= kFewLabels ? 2 : std::max(4, labels / 4));
}
bool is_wide(std::int64_t count, std::int32_t labels) { return count >= least_wide(labels); }

// Of one token at a time.
struct Scratch {
  std::vector<const double*> rows;
  std::vector<double> factors, widened;
  std::vector<std::int64_t> few;

  void make_room(std::size_t features, std::int32_t labels) {
    if (rows.size() >= features && widened.size() >= features * labels) return;
    rows.resize(std::max(rows.size(), features));
    factors.resize(rows.size());
    few.resize(rows.size());
    widened.resize(rows.size() * labels);
  }
};

// Features with many labels come first, their sums in registers; the others are added to what they
// make. Rows not yet whole are filled up with zeros, so that the bits do not depend on that.
template <class V>
void score_tokens(const Csr<V>& x, const Pairs& pairs, const double* weights, std::int32_t labels,
                  std::int64_t first, std::int64_t last, double* out) {
  constexpr std::int64_t kAhead = 16;
  thread_local Scratch kept;
  Scratch& scratch = kept;
  const std::int64_t end = x.start[last];
  for (std::int64_t t = first; t < last; ++t) {
    const std::int64_t from = x.start[t], to = x.start[t + 1];
    scratch.make_room(static_cast<std::size_t>(to - from), labels);
    std::int64_t n = 0, m = 0;
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t p = pairs.start[x.index[k]];
      const std::int64_t count = pairs.start[x.index[k] + 1] - p;
      const bool wide = is_wide(count, labels);
      scratch.rows[n] = weights + p;
      scratch.factors[n] = value_at(x.value, k);
      scratch.few[m] = k;
      if (wide && count < labels) {
        double* const row = scratch.widened.data() + n * labels;
        std::fill_n(row, labels, 0.0);
        for (std::int64_t q = p; q < p + count; ++q) row[pairs.label[q]] = weights[q];
        scratch.rows[n] = row;
      }
      n += wide;
      m += !wide;
      if (k + 2 * kAhead < end) LINNET_PREFETCH(pairs.start + x.index[k + 2 * kAhead]);
      if (k + kAhead < end) {
        const std::int64_t next = pairs.start[x.index[k + kAhead]];
        LINNET_PREFETCH(weights + next);
        LINNET_PREFETCH(pairs.label + next);
      }
    }
    double* const row = out + (t - first) * labels;
    gather_rows(scratch.rows.data(), scratch.factors.data(), n, labels, row);
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int32_t j = x.index[scratch.few[k]];
      const double v = value_at(x.value, scratch.few[k]);
      for (std::int64_t p = pairs.start[j]; p < pairs.start[j + 1]; ++p)
        row[pairs.label[p]] += v * weights[p];
    }
  }
}

template <class V>
void add_gradient(const Csr<V>& x, const Pairs& pairs, const double* residual, std::int32_t labels,
                  std::int64_t first, std::int64_t last, std::int32_t from, std::int32_t to,
                  double* gradient) {
  constexpr std::int64_t kAhead = 6;
  const std::int32_t* const whole_end = x.index + x.start[last];
  for (std::int64_t t = first; t < last; ++t) {
    const double* const row = residual + (t - first) * labels;
    const std::int32_t* const begin = x.index + x.start[t];
    const std::int32_t* const end = x.index + x.start[t + 1];
    for (const std::int32_t* j = std::lower_bound(begin, end, from); j < end && *j < to; ++j) {
      if (j + kAhead < whole_end) LINNET_PREFETCH(gradient + pairs.start[j[kAhead]]);
      const std::int64_t p0 = pairs.start[*j], p1 = pairs.start[*j + 1];
      const double v = value_at(x.value, j - x.index);
      if (p1 - p0 == labels) {
        add_full(v, row, labels, gradient + p0);
      } else {
        for (std::int64_t p = p0; p < p1; ++p) gradient[p] += v * row[pairs.label[p]];
      }
    }
  }
}

}  // namespace

// Labels are put together feature by feature, then each feature's are marked and listed.
ObservedPairs::ObservedPairs(const AnyCsr& tokens, const std::int32_t* gold, std::int32_t labels) {
  std::visit(
      [&](const auto& x) {
        const auto features = static_cast<std::size_t>(x.cols);
        start.assign(features + 1, 0);
        std::vector<std::int64_t> next(features + 1, 0);
        for (std::int64_t k = 0; k < x.stored(); ++k) ++next[x.index[k] + 1];
        for (std::size_t j = 0; j < features; ++j) next[j + 1] += next[j];
        std::vector<std::int32_t> met(static_cast<std::size_t>(x.stored()));
        for (std::int64_t t = 0; t < x.rows; ++t) {
          for (std::int64_t k = x.start[t]; k < x.start[t + 1]; ++k)
            met[next[x.index[k]]++] = gold[t];
        }
        std::vector<std::int64_t> seen_at(static_cast<std::size_t>(labels), -1);
        std::int64_t from = 0;
        for (std::size_t j = 0; j < features; ++j) {
          const std::size_t first = label.size();
          for (; from < next[j]; ++from) {
            if (seen_at[met[from]] == static_cast<std::int64_t>(j)) continue;
            seen_at[met[from]] = static_cast<std::int64_t>(j);
            label.push_back(met[from]);
          }
          std::sort(label.begin() + static_cast<std::ptrdiff_t>(first), label.end());
          start[j + 1] = static_cast<std::int64_t>(label.size());
        }
      },
      tokens);
}

// Room for all pairs is asked for, but the system gives only what is used of it, and nothing has to
// move as more features are met.
MetPairs::MetPairs(const Pairs& pairs, const double* weights, std::int32_t labels)
    : pairs_(pairs),
      weights_(weights),
      labels_(labels),
      width_((labels + kVector - 1) / kVector * kVector),
      single_(least_wide(labels) == 2),
      place_(static_cast<std::size_t>(pairs.features), kUnmet) {
  rows_.reserve(static_cast<std::size_t>(pairs.size() / least_wide(labels) * width_));
  cells_.reserve(static_cast<std::size_t>(2 * (pairs.size() + pairs.features)));
}

// Copies the weights of a feature; returns its place.
std::int32_t MetPairs::meet(std::int32_t feature) {
  const std::int64_t from = pairs_.start[feature], to = pairs_.start[feature + 1];
  if (is_wide(to - from, labels_)) {
    const std::size_t at = rows_.size();
    rows_.resize(at + static_cast<std::size_t>(width_), 0.0);
    for (std::int64_t p = from; p < to; ++p) rows_[at + pairs_.label[p]] = weights_[p];
    return place_[feature] = static_cast<std::int32_t>(at / static_cast<std::size_t>(width_));
  }
  const std::size_t at = cells_.size();
  const auto count = static_cast<std::int32_t>(to - from);
  if (single_) {  // none at all is 0 for the first label
    const Single one{count, count > 0 ? pairs_.label[from] : 0, count > 0 ? weights_[from] : 0.0};
    cells_.resize(at + sizeof one / sizeof(double));
    std::memcpy(cells_.data() + at, &one, sizeof one);
    return place_[feature] = ~static_cast<std::int32_t>(at);
  }
  cells_.resize(at + static_cast<std::size_t>(head_of(count) + count));
  auto* const head = reinterpret_cast<char*>(cells_.data() + at);
  std::memcpy(head, &count, sizeof count);
  if (count > 0) {
    std::memcpy(head + sizeof count, pairs_.label + from,
                static_cast<std::size_t>(count) * sizeof count);
  }
  std::copy(weights_ + from, weights_ + to, cells_.data() + at + head_of(count));
  return place_[feature] = ~static_cast<std::int32_t>(at);
}

// Finds the places of features k = 0 .. n - 1, and copies the weights of those not met before.
void MetPairs::find_places(const std::int32_t* feature, std::int64_t n) {
  constexpr std::int64_t kAhead = 8;
  std::int64_t unmet = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k + 4 * kAhead < n) LINNET_PREFETCH(place_.data() + feature[k + 4 * kAhead]);
    places_[k] = place_[feature[k]];
    few_[unmet] = k;
    unmet += places_[k] == kUnmet;
  }
  for (std::int64_t u = 0; u < unmet; ++u) {
    if (u + 2 * kAhead < unmet) LINNET_PREFETCH(pairs_.start + feature[few_[u + 2 * kAhead]]);
    if (u + kAhead < unmet) {
      const std::int64_t next = pairs_.start[feature[few_[u + kAhead]]];
      LINNET_PREFETCH(pairs_.label + next);
      LINNET_PREFETCH(weights_ + next);
    }
    const std::int32_t j = feature[few_[u]], place = place_[j];
    places_[few_[u]] = place != kUnmet ? place : meet(j);
  }
}

// What is needed next is asked for early.
template <class V>
void MetPairs::score_tokens(const Csr<V>& x, std::int64_t first, std::int64_t last, double* out) {
  constexpr std::int64_t kAhead = 16;
  constexpr bool kOnes = std::is_same_v<V, Unit>;
  const std::int64_t begin = x.start[first], end = x.start[last];
  if (static_cast<std::int64_t>(places_.size()) < end - begin + kAhead) {
    places_.resize(static_cast<std::size_t>(end - begin + kAhead));
    row_.resize(places_.size());
    factor_.resize(places_.size());
    few_.resize(places_.size());
  }
  find_places(x.index + begin, end - begin);
  std::fill_n(places_.begin() + (end - begin), kAhead, 0);
  const auto rows = reinterpret_cast<std::uintptr_t>(rows_.data());
  const auto cells = reinterpret_cast<std::uintptr_t>(cells_.data());
  for (std::int64_t t = first; t < last; ++t) {
    const std::int64_t from = x.start[t] - begin, to = x.start[t + 1] - begin;
    std::int64_t n = 0, m = 0;
    for (std::int64_t k = from; k < to; ++k) {
      row_[n] = places_[k];
      if constexpr (!kOnes) factor_[n] = value_at(x.value, begin + k);
      few_[m] = k;
      n += places_[k] >= 0;
      m += places_[k] < 0;
      const std::int64_t next = places_[k + kAhead];
      const std::uintptr_t at =
          next < 0 ? cells + sizeof(double) * static_cast<std::uint64_t>(~next)
                   : rows + sizeof(double) * static_cast<std::uint64_t>(next * width_);
      LINNET_PREFETCH(reinterpret_cast<const void*>(at));
      LINNET_PREFETCH(reinterpret_cast<const void*>(at + 64));
      LINNET_PREFETCH(reinterpret_cast<const void*>(at + 128));
    }
    double* const sum = out + (t - first) * labels_;  // what is written behind it comes next
    gather_numbered(rows_.data(), row_.data(), kOnes ? nullptr : factor_.data(), n, width_, sum);
    for (std::int64_t k = 0; single_ && k < m; ++k) {
      Single one;
      std::memcpy(&one, cells_.data() + ~places_[few_[k]], sizeof one);
      sum[one.label] += value_at(x.value, begin + few_[k]) * one.weight;
    }
    for (std::int64_t k = 0; !single_ && k < m; ++k) {
      const double* const cell = cells_.data() + ~places_[few_[k]];
      const auto* const head = reinterpret_cast<const char*>(cell);
      const std::int32_t count = number(head, 0);
      const double* const w = cell + head_of(count);
      const double v = value_at(x.value, begin + few_[k]);
      for (std::int32_t p = 0; p < count; ++p) sum[number(head, p + 1)] += v * w[p];
    }
  }
}

void MetPairs::score(const AnyCsr& tokens, std::int64_t first, std::int64_t last, double* out) {
  std::visit([&](const auto& x) { score_tokens(x, first, last, out); }, tokens);
}

void state_scores(const AnyCsr& tokens, const Pairs& pairs, const double* weights,
                  std::int32_t labels, std::int64_t first, std::int64_t last, double* out) {
  std::visit([&](const auto& x) { score_tokens(x, pairs, weights, labels, first, last, out); },
             tokens);
}

void add_state_gradient(const AnyCsr& tokens, const Pairs& pairs, const double* residual,
                        std::int32_t labels, std::int64_t first, std::int64_t last,
                        std::int32_t from, std::int32_t to, double* gradient) {
  std::visit(
      [&](const auto& x) {
        add_gradient(x, pairs, residual, labels, first, last, from, to, gradient);
      },
      tokens);
}

}  // namespace linnet::chain
