#include "pairs.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <variant>
#include <vector>

#include "../numeric.hpp"

namespace linnet::chain {
namespace {

LINNET_CLONES
void add_full(double amount, const double* weights, std::int32_t n, double* out) {
  for (std::int32_t l = 0; l < n; ++l) out[l] += amount * weights[l];
}

// out[l] = sum_r factor[r] rows[r][l] for l < W: W sums in registers.
template <std::int32_t W>
LINNET_INLINE void gather(const double* const* rows, const double* factor, std::int64_t n,
                          std::int32_t first, double* out) {
  double sum[W] = {};
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int32_t l = 0; l < W; ++l) sum[l] += factor[r] * rows[r][first + l];
  }
  for (std::int32_t l = 0; l < W; ++l) out[first + l] = sum[l];
}

LINNET_CLONES
void gather_rows(const double* const* rows, const double* factor, std::int64_t n, std::int32_t L,
                 double* out) {
  std::int32_t l = 0;
  for (; l + 32 <= L; l += 32) gather<32>(rows, factor, n, l, out);
  for (; l + 16 <= L; l += 16) gather<16>(rows, factor, n, l, out);
  for (; l + 8 <= L; l += 8) gather<8>(rows, factor, n, l, out);
  for (; l + 4 <= L; l += 4) gather<4>(rows, factor, n, l, out);
  for (; l + 2 <= L; l += 2) gather<2>(rows, factor, n, l, out);
  for (; l < L; ++l) gather<1>(rows, factor, n, l, out);
}

// A feature with this many labels is added by whole rows.
bool is_wide(std::int64_t count, std::int32_t labels) {
  return count == labels || count >= std::max(4, labels / 4);
}

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

WidePairs::WidePairs(const Pairs& pairs, const double* weights, std::int32_t labels) {
  start_.reserve(static_cast<std::size_t>(pairs.features) + 1);
  start_.push_back(0);
  for (std::int32_t j = 0; j < pairs.features; ++j) {
    const std::int64_t count = pairs.start[j + 1] - pairs.start[j];
    start_.push_back(start_.back() + (is_wide(count, labels) ? labels : count));
  }
  label_.resize(static_cast<std::size_t>(start_.back()));
  weight_.resize(label_.size());
  for (std::int32_t j = 0; j < pairs.features; ++j) {
    const std::int64_t from = pairs.start[j], to = pairs.start[j + 1], at = start_[j];
    if (start_[j + 1] - at == to - from) {
      std::copy(pairs.label + from, pairs.label + to, label_.begin() + at);
      std::copy(weights + from, weights + to, weight_.begin() + at);
      continue;
    }
    std::iota(label_.begin() + at, label_.begin() + at + labels, 0);
    for (std::int64_t p = from; p < to; ++p) weight_[at + pairs.label[p]] = weights[p];
  }
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
