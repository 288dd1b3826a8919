#include "vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric.hpp"

namespace linnet {

LINNET_CLONES double dot(const double* a, const double* b, std::int64_t n) {
  double lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int c = 0; c < 8; ++c) lanes[c] += a[i + c] * b[i + c];
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += a[i] * b[i];
  for (double lane : lanes) rest += lane;
  return rest;
}

namespace {

constexpr std::int64_t kGrain = 1 << 15;

LINNET_CLONES double dot_range(const double* a, const double* b, const double* c, std::int64_t n) {
  double lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += a[i + l] * b[i + l] * c[i + l];
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += a[i] * b[i] * c[i];
  for (double lane : lanes) rest += lane;
  return rest;
}

LINNET_CLONES void combine_range(const double* a, double factor, const double* b, double* out,
                                 std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] + factor * b[i];
}

}  // namespace

double Vectors::dot(const double* a, const double* b) {
  return pool_.sum(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    return linnet::dot(a + first, b + first, last - first);
  });
}

double Vectors::dot(const double* a, const double* b, const double* c) {
  return pool_.sum(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    return dot_range(a + first, b + first, c + first, last - first);
  });
}

void Vectors::dots(const double* a, const double* b, std::int32_t columns, double* out) {
  if (columns == 1) {
    *out = dot(a, b);
  } else {
    sums(columns, out, [=](std::int64_t n) { return a[n] * b[n]; });
  }
}

double Vectors::max_abs(const double* a) {
  std::vector<double> parts(static_cast<std::size_t>((size_ + kGrain - 1) / kGrain));
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    double top = 0.0;
    for (std::int64_t i = first; i < last; ++i) top = std::max(top, std::abs(a[i]));
    parts[static_cast<std::size_t>(first / kGrain)] = top;
  });
  double top = 0.0;
  for (double part : parts) top = std::max(top, part);
  return top;
}

void Vectors::copy(const double* a, double* out) {
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    std::copy(a + first, a + last, out + first);
  });
}

void Vectors::fill(double* out, double value) {
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    std::fill(out + first, out + last, value);
  });
}

void Vectors::multiply(double* a, const double* b) {
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) a[i] *= b[i];
  });
}

void Vectors::scale(double* a, double factor) {
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) a[i] *= factor;
  });
}

void Vectors::add(double* a, double factor, const double* b) { combine(a, factor, b, a); }

void Vectors::combine(const double* a, double factor, const double* b, double* out) {
  pool_.ranges(size_, kGrain, [&](std::int64_t first, std::int64_t last) {
    combine_range(a + first, factor, b + first, out + first, last - first);
  });
}

}  // namespace linnet
