#include "window.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <tuple>

#include "nearest.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kFirst = 32;  // instances on each side of the query that are asked first
// Rounding makes the distance by one feature larger than that by all by less than this.
constexpr double kRounding = 1e-9;

}  // namespace

bool Window::serves(const Instances& memory, const Settings& settings) {
  const Feature& f = memory.feature[0];
  return settings.combine != Combine::sum && f.delta == Delta::number && f.scale > 0.0;
}

// The distance by the first feature alone.
double Window::alone(double x, std::int64_t u) const {
  const Feature& f = memory_.feature[0];
  const double d = std::abs((x - f.number[u]) / f.scale);
  if (settings_.combine == Combine::maximum) return d * f.weight;
  const double p = settings_.power;
  return p == 2.0 ? std::sqrt(d * d * f.weight) : std::pow(std::pow(d, p) * f.weight, 1.0 / p);
}

// Those on both sides of the query that the first feature alone does not place beyond a limit.
std::pair<std::int64_t, std::int64_t> Window::within(double x, std::int64_t middle,
                                                     double limit) const {
  const double most = limit * (1.0 + kRounding) + 4.0 * kSame;
  const auto beyond = [&](std::int64_t u) { return alone(x, u) > most; };
  const auto inside = [&](std::int64_t u) { return !beyond(u); };
  const auto below = std::views::iota(std::int64_t{0}, middle);
  const auto above = std::views::iota(middle, memory_.size);
  return {std::ranges::partition_point(below, beyond) - below.begin(),
          middle + (std::ranges::partition_point(above, inside) - above.begin())};
}

void Window::find(const std::int32_t* code, const double* number, std::int64_t wanted,
                  std::vector<double>& limits, std::vector<std::pair<double, std::int64_t>>& near) {
  measured_.resize(static_cast<std::size_t>(memory_.size));
  const double x = number[0];
  const double* column = memory_.feature[0].number;
  const std::int64_t middle = std::lower_bound(column, column + memory_.size, x) - column;
  std::int64_t low = middle, high = middle;     // measured
  std::int64_t least = 0, most = memory_.size;  // to be measured
  for (std::int64_t width = kFirst; low > least || high < most; width *= 2) {
    const std::int64_t from = std::min(low, std::max(least, middle - width));
    const std::int64_t to = std::max(high, std::min(most, middle + width));
    distances_.measure(code, number, 0, from, low, measured_.data() + from);
    distances_.measure(code, number, 0, high, to, measured_.data() + high);
    low = from;
    high = to;
    smallest(measured_.data() + low, high - low, wanted, limits);
    if (std::ssize(limits) == wanted) std::tie(least, most) = within(x, middle, limits.back());
  }
  near.clear();
  for (std::int64_t u = low; u < high; ++u) {
    const double d = measured_[static_cast<std::size_t>(u)];
    if (d <= limits.back() + kSame) near.emplace_back(d, u);
  }
}

}  // namespace linnet::memory
