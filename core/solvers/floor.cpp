// The bound from averaged tangents (floor.hpp).
#include "floor.hpp"

#include <algorithm>
#include <array>

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 1 << 15;

}  // namespace

double Floor::at(const Objective& f, const double* w, const double* gradient, double objective,
                 Vectors& vectors) {
  const std::int64_t n = vectors.size();
  const bool first_point = slope_.empty();
  if (first_point) slope_.assign(static_cast<std::size_t>(n), 0.0);
  double* const kept = slope_.data();
  // The new tangent's w . (gradient - l2 w / 2); and in the metric of 1 / l2 the squares of the
  // kept slope and of the way to the new one, and their product.
  using Sums = std::array<double, 4>;
  std::vector<Sums> parts(static_cast<std::size_t>((n + kGrain - 1) / kGrain));
  vectors.pool().ranges(n, kGrain, [&](std::int64_t first, std::int64_t last) {
    Sums sums{};
    for (std::int64_t j = first; j < last; ++j) {
      const double l2 = f.l2(j), away = gradient[j] - l2 * w[j] - kept[j];
      sums[0] += w[j] * (gradient[j] - 0.5 * l2 * w[j]);
      sums[1] += kept[j] * kept[j] / l2;
      sums[2] += kept[j] * away / l2;
      sums[3] += away * away / l2;
    }
    parts[static_cast<std::size_t>(first / kGrain)] = sums;
  });
  Sums all{};
  for (const Sums& part : parts) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += part[k];
  }
  const auto [moved, square, product, way] = all;
  const double offset = objective - moved;
  double share = 1.0;  // of the new tangent
  if (!first_point) {
    const double rise = offset - offset_ - product;
    share = way > 0.0 ? std::clamp(rise / way, 0.0, 1.0) : 0.0;
  }
  if (share > 0.0) {
    vectors.pool().ranges(n, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        kept[j] += share * (gradient[j] - f.l2(j) * w[j] - kept[j]);
      }
    });
  }
  offset_ = first_point ? offset : offset_ + share * (offset - offset_);
  return offset_ - 0.5 * (square + share * (2.0 * product + share * way));
}

}  // namespace linnet
