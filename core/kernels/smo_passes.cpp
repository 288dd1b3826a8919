#include "kernels/smo_passes.hpp"

#include <limits>

#include "lanes.hpp"

namespace linnet {
namespace {

constexpr int kLanes = 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Doubles = Lanes<double, kLanes>;
using Places = Lanes<std::int64_t, kLanes>;

// Largest up and smallest low so far, lane by lane.
struct Best {
  Doubles up = all_lanes<Doubles>(-kInfinity), low = all_lanes<Doubles>(kInfinity);
  Places up_at = all_lanes<Places>(std::int64_t{0}), low_at = up_at, at = up_at;

  LINNET_INLINE Best() {
    for (int c = 0; c < kLanes; ++c) at[c] = c;
  }
  LINNET_INLINE void take(const Doubles& u, const Doubles& l) {
    const auto higher = u > up;
    const auto lower = low > l;
    up = choose(higher, u, up);
    up_at = choose(higher, at, up_at);
    low = choose(lower, l, low);
    low_at = choose(lower, at, low_at);
    at = at + all_lanes<Places>(std::int64_t{kLanes});
  }
  LINNET_INLINE Extremes result() const {
    Extremes e{-kInfinity, kInfinity, 0, 0};
    for (int c = 0; c < kLanes; ++c) {
      const double u = up[c], l = low[c];
      const std::int64_t ua = up_at[c], la = low_at[c];
      if (u > e.up || (u == e.up && ua < e.up_at)) e.up = u, e.up_at = ua;
      if (l < e.low || (l == e.low && la < e.low_at)) e.low = l, e.low_at = la;
    }
    return e;
  }
};

template <class V>
LINNET_INLINE Extremes subtract_body(const V* row_i, const V* row_j, double step, double* up,
                                     double* low, std::int64_t n) {
  using Part = Lanes<V, kLanes>;
  const Doubles size = all_lanes<Doubles>(step);
  Best best;
  for (std::int64_t t = 0; t < n; t += kLanes) {
    Part k = load_lanes<Part>(row_i + t);
    if (row_j) k = k - load_lanes<Part>(row_j + t);
    const Doubles change = size * convert_lanes<Doubles>(k);
    const Doubles u = load_lanes<Doubles>(up + t) - change;
    const Doubles l = load_lanes<Doubles>(low + t) - change;
    store_lanes(u, up + t);
    store_lanes(l, low + t);
    best.take(u, l);
  }
  return best.result();
}

template <class V, class I>
LINNET_INLINE std::int64_t partner_body(const V* row_i, const V* diagonal, V own, double f_i,
                                        const double* low, std::int64_t n) {
  using Part = Lanes<V, kLanes>;
  using Index = Lanes<I, kLanes>;
  const Part zero = all_lanes<Part>(V{0}), tiny = all_lanes<Part>(static_cast<V>(1e-12));
  const Part self = all_lanes<Part>(own), two = all_lanes<Part>(V{2});
  const Doubles f = all_lanes<Doubles>(f_i);
  Part best = zero;
  Index best_at = all_lanes<Index>(I{-1}), at = best_at;
  for (int c = 0; c < kLanes; ++c) at[c] = c;
  for (std::int64_t t = 0; t < n; t += kLanes) {
    Part difference = convert_lanes<Part>(f - load_lanes<Doubles>(low + t));
    difference = choose(difference > zero, difference, zero);
    Part curve = self + load_lanes<Part>(diagonal + t) - two * load_lanes<Part>(row_i + t);
    curve = choose(curve > tiny, curve, tiny);
    const Part gain = difference * difference / curve;
    const auto better = gain > best;
    best = choose(better, gain, best);
    best_at = choose(better, at, best_at);
    at = at + all_lanes<Index>(I{kLanes});
  }
  V top = 0;
  std::int64_t where = -1;
  for (int c = 0; c < kLanes; ++c) {
    const V value = best[c];
    const std::int64_t place = best_at[c];
    if (place >= 0 && (value > top || (value == top && place < where))) top = value, where = place;
  }
  return where;
}

}  // namespace

LINNET_CLONES Extremes extremes(const double* up, const double* low, std::int64_t n) {
  Best best;
  for (std::int64_t t = 0; t < n; t += kLanes) {
    best.take(load_lanes<Doubles>(up + t), load_lanes<Doubles>(low + t));
  }
  return best.result();
}

LINNET_CLONES Extremes subtract_rows(const float* row_i, const float* row_j, double step,
                                     double* up, double* low, std::int64_t n) {
  return subtract_body(row_i, row_j, step, up, low, n);
}
LINNET_CLONES Extremes subtract_rows(const double* row_i, const double* row_j, double step,
                                     double* up, double* low, std::int64_t n) {
  return subtract_body(row_i, row_j, step, up, low, n);
}

LINNET_CLONES std::int64_t best_partner(const float* row_i, const float* diagonal, float own,
                                        double f_i, const double* low, std::int64_t n) {
  return partner_body<float, std::int32_t>(row_i, diagonal, own, f_i, low, n);
}
LINNET_CLONES std::int64_t best_partner(const double* row_i, const double* diagonal, double own,
                                        double f_i, const double* low, std::int64_t n) {
  return partner_body<double, std::int64_t>(row_i, diagonal, own, f_i, low, n);
}

}  // namespace linnet
