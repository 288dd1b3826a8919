// A search for the strong Wolfe conditions (line_search.hpp; Nocedal and Wright 2006,
// algorithms 3.5 and 3.6): steps grow until a minimum is bracketed, then the bracket shrinks around
// the minimum of the cubic through its ends.
#include "line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linnet {
namespace {

constexpr double kDecrease = 1e-4;  // c1
constexpr int kTrials = 40;

// The minimiser of the cubic through the values and slopes of two points; NaN if it has none.
double cubic_minimiser(const LinePoint& a, const LinePoint& b) {
  const double width = b.step - a.step;
  const double d = a.slope + b.slope - 3.0 * (b.value - a.value) / width;
  const double root = std::sqrt(d * d - a.slope * b.slope);
  return b.step - width * (b.slope + root - d) / (b.slope - a.slope + 2.0 * root);
}

// Inside the bracket, kept a tenth of its width off the ends so that it shrinks every time.
double interpolate(const LinePoint& low, const LinePoint& high) {
  const double width = high.step - low.step;
  const double guess = cubic_minimiser(low, high);
  if (!std::isfinite(guess)) return low.step + 0.5 * width;
  return std::clamp(guess, low.step + 0.1 * width, high.step - 0.1 * width);
}

// Beyond a point where F still falls: to where its slope would vanish, two to ten times as far.
double extrapolate(const LinePoint& before, const LinePoint& low) {
  const double rise = (low.slope - before.slope) / (low.step - before.step);
  const double guess = rise > 0.0 ? low.step - low.slope / rise : 10.0 * low.step;
  return std::clamp(guess, 2.0 * low.step, 10.0 * low.step);
}

}  // namespace

LinePoint wolfe_search(Objective& f, const double* w, double value, double slope,
                       const double* direction, double first, double c2, double* trial,
                       double* gradient, Vectors& vectors) {
  auto evaluate = [&](double step) {
    vectors.combine(w, step, direction, trial);
    const double at = f.evaluate(trial, gradient);
    return LinePoint{step, at, vectors.dot(gradient, direction)};
  };
  // The last iterations change F by less than its rounding error; slopes still tell the way.
  const double slack = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(value);
  LinePoint low{0.0, value, slope}, high{};
  bool bracketed = false;
  double step = first;
  for (int round = 0; round < kTrials; ++round) {
    const LinePoint point = evaluate(step);
    const bool falls = point.value <= value + kDecrease * step * slope + slack;
    if (falls && std::abs(point.slope) <= -c2 * slope) return point;
    if (falls && point.slope < 0.0) {
      if (!bracketed) step = extrapolate(low, point);
      low = point;
    } else {
      high = point;
      bracketed = true;
    }
    if (bracketed) step = interpolate(low, high);
    if (!(step > low.step) || (bracketed && !(step < high.step))) break;
  }
  return evaluate(low.step);
}

}  // namespace linnet
