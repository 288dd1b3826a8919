// Tokens and weights in the order of their use (packed.hpp). Rows are added a strip of labels at a
// time, whose sums stay in registers.
#include "packed.hpp"

#include <bit>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <variant>

#include "../numeric.hpp"
#include "../strips.hpp"

namespace linnet::chain {
namespace {

constexpr std::int64_t kGrain = 4096;  // features
constexpr std::int64_t kManyLabels = 128;
constexpr std::uint32_t kHot = 16384;  // places below are in a near cache most of the time

// out[first + l] = sum_r factor[r] rows[r][first + l] for l < W: W sums in registers. Without
// factors they are 1.
template <std::int32_t W, bool kOnes>
LINNET_INLINE void gather(const double* buffer, const std::uint32_t* place, const double* factor,
                          std::int64_t n, double* out) {
  double sum[W] = {};
  for (std::int64_t r = 0; r < n; ++r) {
    const double* const row = buffer + 2 * std::int64_t{place[r]};
    for (std::int32_t l = 0; l < W; ++l) sum[l] += kOnes ? row[l] : factor[r] * row[l];
  }
  for (std::int32_t l = 0; l < W; ++l) out[l] = sum[l];
}

// rows[r][l] += factor[r] amount[l]
template <std::int32_t W, bool kOnes>
LINNET_INLINE void scatter(double* buffer, const std::uint32_t* place, const double* factor,
                           std::int64_t n, const double* amount) {
  double held[W];
  for (std::int32_t l = 0; l < W; ++l) held[l] = amount[l];
  for (std::int64_t r = 0; r < n; ++r) {
    double* const row = buffer + 2 * std::int64_t{place[r]};
    for (std::int32_t l = 0; l < W; ++l) row[l] += kOnes ? held[l] : factor[r] * held[l];
  }
}

LINNET_CLONES
void gather_rows(const double* buffer, const std::uint32_t* place, const double* factor,
                 std::int64_t n, std::int64_t width, double* out) {
  if (factor) {
    in_strips<32, 24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      gather<W, false>(buffer + l, place, factor, n, out + l);
    });
  } else {
    in_strips<32, 24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      gather<W, true>(buffer + l, place, factor, n, out + l);
    });
  }
}

LINNET_CLONES
void scatter_rows(double* buffer, const std::uint32_t* place, const double* factor, std::int64_t n,
                  std::int64_t width, const double* amount) {
  if (factor) {
    in_strips<32, 24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      scatter<W, false>(buffer + l, place, factor, n, amount + l);
    });
  } else {
    in_strips<32, 24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t l) LINNET_INLINE_LAMBDA {
      scatter<W, true>(buffer + l, place, factor, n, amount + l);
    });
  }
}

}  // namespace

Packed::Packed(const AnyCsr& tokens, const Pairs& pairs, std::int32_t labels, int order)
    : labels_(labels),
      width_((labels_ + kRoom) / 8 * 8),
      labelled_(label_weights(labels, order)),
      pair_start_(pairs.start) {
  std::visit(
      [&](const auto& x) {
        order_features(x, pairs);
        translate(x);
      },
      tokens);
}

template <class V>
void Packed::order_features(const Csr<V>& x, const Pairs& pairs) {
  const auto features = static_cast<std::size_t>(pairs.features);
  std::vector<std::int64_t> uses(features, 0);
  for (std::int64_t k = 0; k < x.stored(); ++k) ++uses[x.index[k]];
  // A row is met by whole vectors of eight, and where labels are many its lines come from far away.
  const std::int64_t few = labels_ / (labels_ > kManyLabels ? 4 : 8);
  const auto wide = [&](std::int32_t j) {
    return pairs.start[j + 1] - pairs.start[j] > few && uses[j] > 0;
  };
  // Rows before cells, then by the power of two of their uses, then as the corpus meets them.
  constexpr std::size_t kLevels = 65;
  std::vector<std::int32_t> lists[2 * kLevels];
  std::vector<bool> met(features, false);
  const auto meet = [&](std::int32_t j) {
    if (met[j]) return;
    met[j] = true;
    const auto level = static_cast<std::size_t>(std::bit_width(std::uint64_t(uses[j])));
    lists[(wide(j) ? 0 : kLevels) + kLevels - 1 - level].push_back(j);
  };
  for (std::int64_t k = 0; k < x.stored(); ++k) meet(x.index[k]);
  for (std::int32_t j = 0; j < pairs.features; ++j) meet(j);

  feature_.reserve(features);
  at_.reserve(features);
  from_.reserve(features + 1);
  from_.push_back(0);
  label_.reserve(static_cast<std::size_t>(pairs.size()));
  for (std::size_t list = 0; list < 2 * kLevels; ++list) {
    for (const std::int32_t j : lists[list]) {
      const std::int64_t count = pairs.start[j + 1] - pairs.start[j];
      if (tail_ / kUnit > INT64_C(0xfffffff0)) throw std::length_error("more than 2^32 places");
      feature_.push_back(j);
      at_.push_back(static_cast<std::uint32_t>(tail_ / kUnit));
      from_.push_back(from_.back() + count);
      label_.insert(label_.end(), pairs.label + pairs.start[j], pairs.label + pairs.start[j + 1]);
      tail_ += list < kLevels ? width_ : (head_of(count) + count + kUnit - 1) / kUnit * kUnit;
    }
    if (list + 1 == kLevels) rows_end_ = static_cast<std::uint32_t>(tail_ / kUnit);
  }
  tail_ = (tail_ + 7) / 8 * 8;
  share_work(uses);
}

// Edges between parts of the features with equal work.
void Packed::share_work(const std::vector<std::int64_t>& uses) {
  const auto work = [&](std::size_t k) {
    const std::int64_t each =
        is_row(static_cast<std::int64_t>(k)) ? width_ / 4 : 2 + from_[k + 1] - from_[k];
    return uses[feature_[k]] * each;
  };
  std::int64_t total = 0, done = 0;
  for (std::size_t k = 0; k < feature_.size(); ++k) total += work(k);
  for (std::size_t k = 0; k < feature_.size(); ++k) {
    while (static_cast<std::int64_t>(shares_.size()) < kShares &&
           done >= total / kShares * static_cast<std::int64_t>(shares_.size())) {
      shares_.push_back(at_[k]);
    }
    done += work(k);
  }
  if (!shares_.empty()) shares_[0] = 0;
  shares_.resize(kShares + 1, UINT32_MAX);
}

std::uint32_t Packed::edge(std::int64_t part, std::int64_t parts) const {
  return shares_[static_cast<std::size_t>(part * kShares / parts)];
}

template <class V>
void Packed::translate(const Csr<V>& x) {
  start_ = x.start;
  std::vector<std::uint32_t> place_of(feature_.size());
  for (std::size_t k = 0; k < feature_.size(); ++k) place_of[feature_[k]] = at_[k];
  place_.resize(static_cast<std::size_t>(x.stored()));
  for (std::int64_t k = 0; k < x.stored(); ++k) place_[k] = place_of[x.index[k]];
  if constexpr (std::is_same_v<V, Unit>) {
    for (std::int64_t t = 0; t < x.rows; ++t)
      std::sort(place_.begin() + x.start[t], place_.begin() + x.start[t + 1]);
  } else {
    value_.resize(place_.size());
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::int64_t t = 0; t < x.rows; ++t) {
      row.clear();
      for (std::int64_t k = x.start[t]; k < x.start[t + 1]; ++k)
        row.emplace_back(place_[k], value_at(x.value, k));
      std::sort(row.begin(), row.end());
      for (std::int64_t k = x.start[t]; k < x.start[t + 1]; ++k)
        std::tie(place_[k], value_[k]) = row[k - x.start[t]];
    }
  }
}

// Calls visit(place in an ordered vector, place in a buffer) for the weights of a feature.
template <class Visit>
LINNET_INLINE void Packed::each_pair(std::int64_t k, Visit visit) const {
  const std::int64_t at = std::int64_t{at_[k]} * kUnit, from = from_[k], to = from_[k + 1];
  if (is_row(k)) {
    for (std::int64_t i = from; i < to; ++i) visit(i, at + label_[i]);
  } else {
    for (std::int64_t i = from; i < to; ++i) visit(i, at + head_of(to - from) + i - from);
  }
}

template <class T>
void Packed::in_order(const T* weights, T* ordered) const {
  for (std::size_t k = 0; k < feature_.size(); ++k) {
    std::copy_n(weights + pair_start_[feature_[k]], from_[k + 1] - from_[k], ordered + from_[k]);
  }
  std::copy(weights + from_.back(), weights + this->weights(), ordered + from_.back());
}
template void Packed::in_order(const double*, double*) const;
template void Packed::in_order(const std::uint8_t*, std::uint8_t*) const;

void Packed::out_of_order(const double* ordered, double* weights) const {
  for (std::size_t k = 0; k < feature_.size(); ++k) {
    std::copy(ordered + from_[k], ordered + from_[k + 1], weights + pair_start_[feature_[k]]);
  }
  std::copy(ordered + from_.back(), ordered + this->weights(), weights + from_.back());
}

Buffer Packed::empty() const {
  Buffer buffer(static_cast<std::size_t>(size()), 0.0);
  for (std::size_t k = 0; k < feature_.size(); ++k) {
    const auto count = static_cast<std::int32_t>(from_[k + 1] - from_[k]);
    if (is_row(static_cast<std::int64_t>(k))) continue;
    auto* const head = reinterpret_cast<char*>(buffer.data() + std::int64_t{at_[k]} * kUnit);
    std::memcpy(head, &count, sizeof count);
    if (count > 0) {
      std::memcpy(head + sizeof count, label_.data() + from_[k],
                  static_cast<std::size_t>(count) * sizeof count);
    }
  }
  return buffer;
}

void Packed::fill(const double* ordered, double* buffer, ThreadPool& pool) const {
  pool.ranges(features(), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      each_pair(k, [=](std::int64_t i, std::int64_t at) { buffer[at] = ordered[i]; });
    }
  });
  std::copy(ordered + from_.back(), ordered + weights(), buffer + tail_);
}

void Packed::collect(double* buffer, double* ordered, ThreadPool& pool) const {
  pool.ranges(features(), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      each_pair(k, [=](std::int64_t i, std::int64_t at) {
        ordered[i] = buffer[at];
        buffer[at] = 0.0;
      });
      if (is_row(k)) std::fill_n(buffer + std::int64_t{at_[k]} * kUnit, width_, 0.0);
    }
  });
  std::copy(buffer + tail_, buffer + size(), ordered + from_.back());
  std::fill(buffer + tail_, buffer + size(), 0.0);
}

void Packed::pack(const double* weights, double* buffer) const {
  for (std::int64_t k = 0; k < features(); ++k) {
    const std::int64_t shift = pair_start_[feature_[k]] - from_[k];
    each_pair(k, [=](std::int64_t i, std::int64_t at) { buffer[at] = weights[i + shift]; });
  }
  std::copy(weights + from_.back(), weights + this->weights(), buffer + tail_);
}

void Packed::unpack(const double* buffer, double* weights) const {
  for (std::int64_t k = 0; k < features(); ++k) {
    const std::int64_t shift = pair_start_[feature_[k]] - from_[k];
    each_pair(k, [=](std::int64_t i, std::int64_t at) { weights[i + shift] = buffer[at]; });
  }
  std::copy(buffer + tail_, buffer + size(), weights + from_.back());
}

void Packed::score(const double* buffer, std::int64_t first, std::int64_t last, double* out) const {
  constexpr std::int64_t kAhead = 32;  // features
  const std::uint32_t* const place = place_.data();
  const double* const value = value_.empty() ? nullptr : value_.data();
  const std::int64_t end = start_[last];
  for (std::int64_t t = first; t < last; ++t) {
    const std::int64_t from = start_[t], to = start_[t + 1];
    for (std::int64_t k = std::min(from + kAhead, end); k < std::min(to + kAhead, end); ++k) {
      if (place[k] < kHot) continue;
      const double* const next = buffer + std::int64_t{place[k]} * kUnit;
      LINNET_PREFETCH(next);
      LINNET_PREFETCH(next + 8);
    }
    std::int64_t k = from;
    while (k < to && place[k] < rows_end_) ++k;
    double* const row = out + (t - first) * labels_;
    gather_rows(buffer, place + from, value ? value + from : nullptr, k - from, width_, row);
    for (; k < to; ++k) {
      const double* const cell = buffer + std::int64_t{place[k]} * kUnit;
      const std::int64_t count = number(cell, 0);
      const double* const w = cell + head_of(count);
      const double v = value ? value[k] : 1.0;
      for (std::int64_t p = 0; p < count; ++p) row[number(cell, p + 1)] += v * w[p];
    }
  }
}

double Packed::lead(const double* buffer, std::int64_t token, std::int32_t a,
                    std::int32_t b) const {
  double sum = 0.0;
  for (std::int64_t k = start_[token]; k < start_[token + 1]; ++k) {
    const double* const at = buffer + std::int64_t{place_[k]} * kUnit;
    double d = 0.0;
    if (place_[k] < rows_end_) {
      d = at[a] - at[b];  // a label without a weight has a zero in the row
    } else {
      const std::int64_t count = number(at, 0);
      const double* const w = at + head_of(count);
      for (std::int64_t p = 0; p < count; ++p) {
        const std::int32_t label = number(at, p + 1);
        if (label == a) d += w[p];
        if (label == b) d -= w[p];
      }
    }
    sum += value_.empty() ? d : value_[k] * d;
  }
  return sum;
}

void Packed::add(const double* residual, std::int64_t first, std::int64_t last, std::int64_t part,
                 std::int64_t parts, double* buffer) const {
  constexpr std::int64_t kAhead = 32;  // features
  const std::uint32_t low = edge(part, parts), high = edge(part + 1, parts);
  const std::uint32_t* const place = place_.data();
  const double* const value = value_.empty() ? nullptr : value_.data();
  const std::int64_t end = start_[last];
  for (std::int64_t t = first; t < last; ++t) {
    const double* const row = residual + (t - first) * labels_;
    std::int64_t from = start_[t];
    const std::int64_t to = start_[t + 1];
    for (std::int64_t k = std::min(from + kAhead, end); k < std::min(to + kAhead, end); ++k) {
      if (place[k] < std::max(low, kHot) || place[k] >= high) continue;
      const double* const next = buffer + std::int64_t{place[k]} * kUnit;
      LINNET_PREFETCH(next);
      LINNET_PREFETCH(next + 8);
    }
    while (from < to && place[from] < low) ++from;
    const std::uint32_t rows_end = std::min(high, rows_end_);
    std::int64_t k = from;
    while (k < to && place[k] < rows_end) ++k;
    scatter_rows(buffer, place + from, value ? value + from : nullptr, k - from, width_, row);
    for (; k < to && place[k] < high; ++k) {
      double* const cell = buffer + std::int64_t{place[k]} * kUnit;
      const std::int64_t count = number(cell, 0);
      double* const g = cell + head_of(count);
      const double v = value ? value[k] : 1.0;
      for (std::int64_t p = 0; p < count; ++p) g[p] += v * row[number(cell, p + 1)];
    }
  }
}

void Packed::count(const std::int32_t* gold, double cost, std::int64_t first, std::int64_t last,
                   std::int64_t part, std::int64_t parts, double* buffer) const {
  const std::uint32_t low = edge(part, parts), high = edge(part + 1, parts);
  for (std::int64_t t = first; t < last; ++t) {
    for (std::int64_t k = start_[t]; k < start_[t + 1] && place_[k] < high; ++k) {
      if (place_[k] < low) continue;
      const double v = value_.empty() ? 1.0 : value_[k];
      if (const std::int64_t at = find(buffer, place_[k], gold[t]); at >= 0) {
        buffer[at] += cost * v * v;
      }
    }
  }
}

}  // namespace linnet::chain
