// From counts to values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../numeric.hpp"

namespace linnet::text {

// How counts become values: f(count) * scale[column], then the row divided by its norm.
struct Weighting {
  enum class Count : std::uint8_t { plain, binary, logarithm } count = Count::plain;
  enum class Norm : std::uint8_t { none, l1, l2 } norm = Norm::none;
  const float* scale = nullptr;  // [columns], or none
};

// f(count) * scale: what a count becomes before the norm.
class Raised {
 public:
  explicit Raised(const Weighting& weighting)
      : count_(weighting.count), scale_(weighting.scale), logarithms_(table().data()) {}

  LINNET_INLINE double operator()(std::int32_t column, double count) const {
    return scale_ ? of(count) * static_cast<double>(scale_[column]) : of(count);
  }

  // The scale of a column is on its way.
  LINNET_INLINE void ask_for(std::int32_t column) const {
    if (scale_) LINNET_PREFETCH(scale_ + column);
  }

  // f(count).
  LINNET_INLINE double of(double count) const {
    if (count_ == Weighting::Count::binary) {
      count = 1.0;
    } else if (count_ == Weighting::Count::logarithm && count != 0.0) {
      count = logarithmic(count);
    }
    return count;
  }

 private:
  static constexpr std::size_t kSmall = 64;

  // 1 + ln count, of the small counts.
  static const std::array<double, kSmall>& table() {
    static const std::array<double, kSmall> logarithms = [] {
      std::array<double, kSmall> t{};
      for (std::size_t c = 1; c < kSmall; ++c) t[c] = 1.0 + std::log(static_cast<double>(c));
      return t;
    }();
    return logarithms;
  }

  LINNET_INLINE double logarithmic(double count) const {
    const double size = std::abs(count);
    const auto whole = static_cast<std::int32_t>(size < kSmall ? size : 0.0);
    const double raised =
        whole > 0 && static_cast<double>(whole) == size ? logarithms_[whole] : 1.0 + std::log(size);
    return std::copysign(raised, count);
  }

  const Weighting::Count count_;
  const float* const scale_;
  const double* const logarithms_;
};

// 1 / norm of values given one by one; 1 when they are all zero.
class Norm {
 public:
  explicit Norm(Weighting::Norm kind) : kind_(kind) {}
  void add(double v) { total_ += kind_ == Weighting::Norm::l2 ? v * v : std::abs(v); }
  double divisor() const {
    if (kind_ == Weighting::Norm::none || total_ == 0.0) return 1.0;
    return kind_ == Weighting::Norm::l2 ? std::sqrt(total_) : total_;
  }

 private:
  Weighting::Norm kind_;
  double total_ = 0.0;
};

// Turns n counts of a row's part into values, in place.
template <class Column, class Value>
LINNET_INLINE void weigh(const Weighting& weighting, std::int64_t n, Column column, Value value) {
  constexpr std::int64_t kAhead = 32;
  const Raised raised(weighting);
  Norm norm(weighting.norm);
  for (std::int64_t k = 0; k < std::min(kAhead, n); ++k) raised.ask_for(column(k));
  for (std::int64_t k = 0; k < n; ++k) {
    if (k + kAhead < n) raised.ask_for(column(k + kAhead));
    const double v = raised(column(k), value(k));
    norm.add(v);
    value(k) = static_cast<float>(v);
  }
  const double divisor = norm.divisor();
  if (divisor == 1.0) return;
  const double factor = 1.0 / divisor;
  for (std::int64_t k = 0; k < n; ++k) {
    value(k) = static_cast<float>(factor * static_cast<double>(value(k)));
  }
}

}  // namespace linnet::text
