#include "distances.hpp"

#include <algorithm>
#include <cmath>

#include "numeric.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kBlock = 1024;    // instances whose sums stay in the nearest cache
constexpr std::int64_t kKept = 1 << 20;  // numbers of one feature's table of value differences

// part[i] = weight where the codes differ
LINNET_CLONES void overlaps(const std::int32_t* code, std::int32_t wanted, double weight,
                            std::int64_t n, double* part) {
  for (std::int64_t i = 0; i < n; ++i) part[i] = code[i] == wanted ? 0.0 : weight;
}

// part[i] = row[code[i]]; row[kMissing] is the weight of a missing value
LINNET_CLONES void look_up(const std::int32_t* code, const double* row, std::int64_t n,
                           double* part) {
  for (std::int64_t i = 0; i < n; ++i) part[i] = row[code[i]];
}

// part[i] = |x - number[i]| / scale, 1 where that is not a number: something is missing
LINNET_CLONES void differences(const double* number, double x, double scale, std::int64_t n,
                               double* part) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = std::abs((x - number[i]) / scale);
    part[i] = d == d ? d : 1.0;
  }
}

LINNET_CLONES void multiply(double weight, std::int64_t n, double* part) {
  for (std::int64_t i = 0; i < n; ++i) part[i] *= weight;
}

LINNET_CLONES void square(std::int64_t n, double* part) {
  for (std::int64_t i = 0; i < n; ++i) part[i] *= part[i];
}

LINNET_CLONES void add(const double* part, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] += part[i];
}

LINNET_CLONES void keep_larger(const double* part, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = part[i] > out[i] ? part[i] : out[i];
}

void raise(double power, std::int64_t n, double* part) {
  if (power == 2.0) return square(n, part);
  for (std::int64_t i = 0; i < n; ++i) part[i] = std::pow(part[i], power);
}

// Numbers whose training values are all the same tell nothing: 0, or 1 where one is missing.
void constant_differences(const double* number, double x, std::int64_t n, double* part) {
  for (std::int64_t i = 0; i < n; ++i) part[i] = x == x && number[i] == number[i] ? 0.0 : 1.0;
}

}  // namespace

Distances::Distances(const Instances& memory, const Settings& settings)
    : memory_(memory), settings_(settings), rows_(memory.features), known_(memory.features) {
  for (std::int32_t j = 0; j < memory.features; ++j) {
    const Feature& f = memory.feature[j];
    if (f.delta != Delta::value_difference) continue;
    const std::int64_t width = f.levels + 2;
    const std::int64_t kept = std::int64_t{f.levels} * width <= kKept ? f.levels + 1 : 1;
    rows_[j].resize(static_cast<std::size_t>(kept * width));
    known_[j].assign(static_cast<std::size_t>(kept), kMissing);
  }
}

const double* Distances::value_differences(std::int32_t j, std::int32_t level) {
  const Feature& f = memory_.feature[j];
  const std::int32_t wanted = level < 0 ? kUnseen : level;
  const std::size_t slot = known_[j].size() > 1 ? static_cast<std::size_t>(wanted + 1) : 0;
  double* row = rows_[j].data() + slot * static_cast<std::size_t>(f.levels + 2) + 2;
  if (known_[j][slot] == wanted) return row;
  known_[j][slot] = wanted;
  std::fill(row - 2, row + f.levels, f.weight);
  if (wanted == kUnseen) return row;
  const double* p = f.probability + std::int64_t{wanted} * memory_.classes;
  for (std::int32_t v = 0; v < f.levels; ++v) {
    const double* q = f.probability + std::int64_t{v} * memory_.classes;
    double sum = 0.0;
    for (std::int32_t c = 0; c < memory_.classes; ++c) sum += std::abs(p[c] - q[c]);
    double delta = sum / 2.0;
    if (settings_.combine == Combine::power) delta = std::pow(delta, settings_.power);
    row[v] = delta * f.weight;
  }
  return row;
}

void Distances::add_up(const std::int32_t* code, const double* number, std::int32_t skip,
                       std::int64_t first, std::int64_t last, double* out) {
  double part[kBlock];
  std::fill(out, out + (last - first), 0.0);
  for (std::int32_t j = skip; j < memory_.features; ++j) {
    const Feature& f = memory_.feature[j];
    if (f.weight == 0.0) continue;  // nor may it be multiplied: infinity times 0 is no number
    const double* row =
        f.delta == Delta::value_difference ? value_differences(j, code[j]) : nullptr;
    for (std::int64_t at = first; at < last; at += kBlock) {
      const std::int64_t n = std::min(kBlock, last - at);
      if (f.delta == Delta::overlap) {
        overlaps(f.code + at, code[j] < 0 ? std::int32_t{-9} : code[j], f.weight, n, part);
      } else if (f.delta == Delta::value_difference) {
        look_up(f.code + at, row, n, part);
      } else {
        if (f.scale == 0.0) {
          constant_differences(f.number + at, number[j], n, part);
        } else {
          differences(f.number + at, number[j], f.scale, n, part);
        }
        if (settings_.combine == Combine::power) raise(settings_.power, n, part);
        multiply(f.weight, n, part);
      }
      if (settings_.combine == Combine::maximum) {
        keep_larger(part, n, out + (at - first));
      } else {
        add(part, n, out + (at - first));
      }
    }
  }
}

// (sum_j w_j d_j^p)^(1/p) = m (sum_j w_j (d_j / m)^p)^(1/p) with m the largest difference: the
// power of a large number cannot be held, that of a share can.
double Distances::in_units_of_largest(const std::int32_t* code, const double* number,
                                      std::int32_t skip, std::int64_t u) {
  const auto difference = [&](std::int32_t j) {
    const Feature& f = memory_.feature[j];
    return f.scale == 0.0 ? 0.0 : std::abs((number[j] - f.number[u]) / f.scale);
  };
  double largest = 1.0;  // of symbols
  for (std::int32_t j = skip; j < memory_.features; ++j) {
    const Feature& f = memory_.feature[j];
    if (f.delta == Delta::number && f.weight != 0.0) largest = std::max(largest, difference(j));
  }
  if (largest > kFarthest) return kFarthest;
  double sum = 0.0;
  const double of_symbols = std::pow(1.0 / largest, settings_.power);
  for (std::int32_t j = skip; j < memory_.features; ++j) {
    const Feature& f = memory_.feature[j];
    if (f.weight == 0.0) continue;
    if (f.delta == Delta::number) {
      sum += f.weight * std::pow(difference(j) / largest, settings_.power);
    } else if (f.delta == Delta::value_difference) {
      sum += of_symbols * value_differences(j, code[j])[f.code[u]];
    } else if (code[j] < 0 || f.code[u] != code[j]) {
      sum += of_symbols * f.weight;
    }
  }
  return largest * std::pow(sum, 1.0 / settings_.power);
}

void Distances::measure(const std::int32_t* code, const double* number, std::int32_t skip,
                        std::int64_t first, std::int64_t last, double* out) {
  add_up(code, number, skip, first, last, out);
  const double root = 1.0 / settings_.power;
  for (std::int64_t i = 0; i < last - first; ++i) {
    if (settings_.combine == Combine::power) {
      if (!(out[i] <= kFarthest)) {
        out[i] = in_units_of_largest(code, number, skip, first + i);
      } else {
        out[i] = settings_.power == 2.0 ? std::sqrt(out[i]) : std::pow(out[i], root);
      }
    }
    out[i] = bounded(out[i]);
  }
}

}  // namespace linnet::memory
