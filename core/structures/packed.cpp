#include "packed.hpp"

#include <algorithm>
#include <type_traits>

#include "../numeric.hpp"

namespace linnet::chain {
namespace {

// out[l] = sum_r factor[r] rows[r][l] for l < W: W sums in registers. Without factors they are 1.
template <std::int32_t W, bool kUnit>
LINNET_INLINE void strip(const double* const* rows, const double* factor, std::int64_t n,
                         std::int64_t first, double* out) {
  double sum[W] = {};
  for (std::int64_t r = 0; r < n; ++r) {
    const double* const row = rows[r] + first;
    for (std::int32_t l = 0; l < W; ++l) sum[l] += kUnit ? row[l] : factor[r] * row[l];
  }
  for (std::int32_t l = 0; l < W; ++l) out[first + l] = sum[l];
}

template <bool kUnit>
LINNET_INLINE void add_rows(const double* const* rows, const double* factor, std::int64_t n,
                            std::int64_t width, double* out) {
  std::int64_t l = 0;
  for (; l + 32 <= width; l += 32) strip<32, kUnit>(rows, factor, n, l, out);
  for (; l + 24 <= width; l += 24) strip<24, kUnit>(rows, factor, n, l, out);
  for (; l + 16 <= width; l += 16) strip<16, kUnit>(rows, factor, n, l, out);
  for (; l < width; l += 8) strip<8, kUnit>(rows, factor, n, l, out);
}

LINNET_CLONES
void add_unit_rows(const double* const* rows, std::int64_t n, std::int64_t width, double* out) {
  add_rows<true>(rows, nullptr, n, width, out);
}

LINNET_CLONES
void add_scaled_rows(const double* const* rows, const double* factor, std::int64_t n,
                     std::int64_t width, double* out) {
  add_rows<false>(rows, factor, n, width, out);
}

}  // namespace

Packed::Packed(const ChainProblem& problem)
    : pairs_(problem.pairs),
      labels_(problem.labels),
      width_((labels_ + kRoom) / 8 * 8),
      place_(static_cast<std::size_t>(problem.pairs.features)) {
  for (const bool rows : {true, false}) {  // rows first, so that they begin at whole vectors
    for (std::int32_t j = 0; j < pairs_.features; ++j) {
      const std::int64_t count = pairs_.start[j + 1] - pairs_.start[j];
      const bool is_row = count > labels_ / 8 || count >= kRow;
      if (is_row != rows) continue;
      place_[j] = tail_ << kShift | (is_row ? kRow : count);
      tail_ += is_row ? width_ : count + (count + 1) / 2;
    }
  }
}

void Packed::pack(const double* weights, double* buffer) const {
  std::fill(buffer, buffer + tail_, 0.0);
  for (std::int32_t j = 0; j < pairs_.features; ++j) {
    const std::int64_t at = place_[j] >> kShift, count = place_[j] & kRow;
    const std::int64_t from = pairs_.start[j], to = pairs_.start[j + 1];
    for (std::int64_t p = from; p < to; ++p) {
      buffer[at + (count == kRow ? pairs_.label[p] : p - from)] = weights[p];
    }
    if (count != kRow && count > 0) {
      std::memcpy(buffer + at + count, pairs_.label + from,
                  static_cast<std::size_t>(count) * sizeof(std::int32_t));
    }
  }
  std::copy(weights + pairs_.size(), weights + pairs_.size() + size() - tail_, buffer + tail_);
}

void Packed::unpack(const double* buffer, double* weights) const {
  for (std::int32_t j = 0; j < pairs_.features; ++j) {
    const std::int64_t at = place_[j] >> kShift, count = place_[j] & kRow;
    for (std::int64_t p = pairs_.start[j]; p < pairs_.start[j + 1]; ++p) {
      weights[p] = buffer[at + (count == kRow ? pairs_.label[p] : p - pairs_.start[j])];
    }
  }
  std::copy(buffer + tail_, buffer + size(), weights + pairs_.size());
}

template <class V>
void Packed::score(const Csr<V>& x, const double* buffer, std::int64_t first, std::int64_t last,
                   double* out, Scratch& scratch) const {
  constexpr bool kUnit = std::is_same_v<V, Unit>;
  constexpr std::int64_t kAhead = 24;  // features
  const std::int64_t end = x.start[last];
  for (std::int64_t t = first; t < last; ++t) {
    double* const row = out + (t - first) * labels_;
    const std::int64_t from = x.start[t], to = x.start[t + 1];
    const auto most = static_cast<std::size_t>(to - from);
    if (scratch.rows.size() < most) {
      scratch.rows.resize(most);
      scratch.few.resize(most);
      scratch.factors.resize(2 * most);
    }
    const double** const rows = scratch.rows.data();
    double* const factors = scratch.factors.data();  // of rows
    double* const few_factors = factors + scratch.rows.size();
    std::int64_t n = 0, m = 0;
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t place = place_[x.index[k]];
      const bool is_row = (place & kRow) == kRow;
      rows[n] = buffer + (place >> kShift);
      scratch.few[m] = place;
      if constexpr (!kUnit) factors[n] = few_factors[m] = value_at(x.value, k);
      n += is_row;
      m += !is_row;
      if (k + 2 * kAhead < end) LINNET_PREFETCH(place_.data() + x.index[k + 2 * kAhead]);
      if (k + kAhead < end) {
        const double* const next = buffer + (place_[x.index[k + kAhead]] >> kShift);
        LINNET_PREFETCH(next);
        LINNET_PREFETCH(next + 8);
      }
    }
    if constexpr (kUnit) {
      add_unit_rows(rows, n, width_, row);
    } else {
      add_scaled_rows(rows, factors, n, width_, row);
    }
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t count = scratch.few[k] & kRow;
      const double* const cell = buffer + (scratch.few[k] >> kShift);
      const double v = kUnit ? 1.0 : few_factors[k];
      for (std::int64_t p = 0; p < count; ++p) row[label_at(cell + count, p)] += v * cell[p];
    }
  }
}

void Packed::score(const AnyCsr& tokens, const double* buffer, std::int64_t first,
                   std::int64_t last, double* out, Scratch& scratch) const {
  std::visit([&](const auto& x) { score(x, buffer, first, last, out, scratch); }, tokens);
}

}  // namespace linnet::chain
