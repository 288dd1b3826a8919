// Scores of a row and additions to its weights (flat.hpp): tiles of columns whose sums stay in
// registers, the rows of weights fetched ahead.
#include "flat.hpp"

#include <type_traits>

#include "../lanes.hpp"
#include "../numeric.hpp"

namespace linnet::flat {
namespace {

constexpr std::int64_t kAhead = 12;  // stored values between a prefetch and its use
constexpr std::int64_t kRowsPerBlock = 256;

using Four = Lanes<double, 4>;

// x_k .. x_{k+3} times four weights
LINNET_INLINE Four times(const Unit*, const Four& w) { return w; }
LINNET_INLINE Four times(const float* x, const Four& w) {
  return convert_lanes<Four>(load_lanes<Lanes<float, 4>>(x)) * w;
}
LINNET_INLINE Four times(const double* x, const Four& w) { return load_lanes<Four>(x) * w; }

// One column: four sums in flight hide the latency of addition, and four values are widened at
// once.
template <class V, class W, class Lines>
LINNET_INLINE double dot(const Row<V>& x, const W* w, const Lines& lines) {
  Four sum = all_lanes<Four>(0.0);
  std::int64_t k = in_steps<4>(x.size, lines, [&](std::int64_t at) LINNET_INLINE_LAMBDA {
    const std::int32_t* j = x.index + at;
    const Lanes<W, 4> four = {w[j[0]], w[j[1]], w[j[2]], w[j[3]]};
    sum = sum + times(advance(x.value, at), convert_lanes<Four>(four));
  });
  double first = sum[0];
  for (; k < x.size; ++k) first += value_at(x.value, k) * double{w[x.index[k]]};
  return (first + sum[1]) + (sum[2] + sum[3]);
}

// The ids of a row differ, so four weights are read before the first of them is written: a
// processor need not find out that the writes do not concern the reads.
template <class V, class W, class Lines>
LINNET_INLINE void add_column(const Row<V>& x, double amount, W* w, const Lines& lines) {
  const auto moved = [&](std::int64_t k) LINNET_INLINE_LAMBDA {
    return static_cast<W>(w[x.index[k]] + value_at(x.value, k) * amount);
  };
  std::int64_t k = in_steps<4>(x.size, lines, [&](std::int64_t at) LINNET_INLINE_LAMBDA {
    const W next[4] = {moved(at), moved(at + 1), moved(at + 2), moved(at + 3)};
    for (int u = 0; u < 4; ++u) w[x.index[at + u]] = next[u];
  });
  for (; k < x.size; ++k) w[x.index[k]] = moved(k);
}

// Weights in single precision: all of it in single precision, eight at once. How many values are
// left over differs from row to row, and a processor that has to guess how long a loop runs guesses
// wrong. So the last eight are taken whole, those of them that were taken before times 0.
using Eight = Lanes<float, 8>;

LINNET_INLINE Eight eight_weights(const std::int32_t* j, const float* w) {
  return Eight{w[j[0]], w[j[1]], w[j[2]], w[j[3]], w[j[4]], w[j[5]], w[j[6]], w[j[7]]};
}

// x_{n-8} .. x_{n-1} without those of the n / 8 * 8 values that whole vectors have had
LINNET_INLINE Eight last_eight(const Row<float>& x) {
  alignas(64) static constexpr float kTaken[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  return load_lanes<Eight>(x.value + x.size - 8) * load_lanes<Eight>(kTaken + x.size % 8);
}

template <class Lines>
LINNET_INLINE double dot(const Row<float>& x, const float* w, const Lines& lines) {
  if (x.size < 8) {
    lines.rest(0);
    double total = 0.0;
    for (std::int64_t k = 0; k < x.size; ++k) total += double{x.value[k]} * w[x.index[k]];
    return total;
  }
  Eight sum = last_eight(x) * eight_weights(x.index + x.size - 8, w);
  in_steps<8>(x.size, lines, [&](std::int64_t k) LINNET_INLINE_LAMBDA {
    sum = sum + load_lanes<Eight>(x.value + k) * eight_weights(x.index + k, w);
  });
  return (double{sum[0] + sum[4]} + double{sum[1] + sum[5]}) +
         (double{sum[2] + sum[6]} + double{sum[3] + sum[7]});
}

LINNET_INLINE void add_eight(const std::int32_t* j, const Eight& amount, float* w) {
  const Eight next = eight_weights(j, w) + amount;
  for (int u = 0; u < 8; ++u) w[j[u]] = next[u];
}

template <class Lines>
LINNET_INLINE void add_column(const Row<float>& x, double amount, float* w, const Lines& lines) {
  const auto by = static_cast<float>(amount);
  if (x.size < 8) {
    lines.rest(0);
    for (std::int64_t k = 0; k < x.size; ++k) w[x.index[k]] += x.value[k] * by;
    return;
  }
  const Eight all = all_lanes<Eight>(by);
  in_steps<8>(x.size, lines, [&](std::int64_t k) LINNET_INLINE_LAMBDA {
    add_eight(x.index + k, load_lanes<Eight>(x.value + k) * all, w);
  });
  add_eight(x.index + x.size - 8, last_eight(x) * all, w);
}

template <int Width>
LINNET_INLINE void prefetch(const double* row) {
  for (int c = 0; c < Width; c += 8) LINNET_PREFETCH(row + c);
  LINNET_PREFETCH(row + Width - 1);
}

// `Width` neighbouring columns, their sums in registers.
template <int Width, class V>
LINNET_INLINE void score_tile(const Row<V>& x, const double* w, std::int64_t stride, double* out) {
  double sum[Width] = {};
  for (std::int64_t k = 0; k < x.size; ++k) {
    if (k + kAhead < x.size) prefetch<Width>(w + x.index[k + kAhead] * stride);
    const double v = value_at(x.value, k);
    const double* row = w + x.index[k] * stride;
    for (int c = 0; c < Width; ++c) sum[c] += v * row[c];
  }
  for (int c = 0; c < Width; ++c) out[c] = sum[c];
}

// `Width` neighbouring columns of W += amount x.
template <int Width, class V>
LINNET_INLINE void add_tile(const Row<V>& x, const double* amount, std::int64_t stride, double* w) {
  double a[Width];
  for (int c = 0; c < Width; ++c) a[c] = amount[c];
  for (std::int64_t k = 0; k < x.size; ++k) {
    const double v = value_at(x.value, k);
    double* row = w + x.index[k] * stride;
    for (int c = 0; c < Width; ++c) row[c] += v * a[c];
  }
}

// Calls body with the number of columns as a constant, so that its inner loops unroll: tiles of
// kWidest, then one of the exact rest.
constexpr std::int32_t kWidest = 24;

template <int Width, class Body>
LINNET_INLINE void rest_tile(std::int32_t rest, std::int32_t first, Body&& body) {
  if (rest == Width) {
    body(std::integral_constant<int, Width>{}, first);
  } else if constexpr (Width > 1) {
    rest_tile<Width - 1>(rest, first, body);
  }
}

template <class Body>
LINNET_INLINE void tiles(std::int32_t columns, Body&& body) {
  std::int32_t first = 0;
  for (; columns - first > kWidest; first += 16) body(std::integral_constant<int, 16>{}, first);
  rest_tile<kWidest>(columns - first, first, body);
}

// Eight sums in flight, which hide the latency of addition and fill a vector register.
template <class V>
LINNET_INLINE double norm_row(const Row<V>& x) {
  constexpr int kSums = 8;
  double sum[kSums] = {};
  std::int64_t k = 0;
  for (; k + kSums <= x.size; k += kSums) {
    for (int s = 0; s < kSums; ++s) {
      const double v = value_at(x.value, k + s);
      sum[s] += v * v;
    }
  }
  for (; k < x.size; ++k) sum[0] += value_at(x.value, k) * value_at(x.value, k);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

}  // namespace

#define LINNET_COLUMN_FUNCTIONS(V, W)                                                      \
  LINNET_CLONES double score(const Row<V>& x, const W* weights) {                          \
    return dot(x, weights, NoLines());                                                     \
  }                                                                                        \
  LINNET_CLONES double score(const Row<V>& x, const W* weights, const Row<V>& next) {      \
    return dot(x, weights, RowLines<V>(next));                                             \
  }                                                                                        \
  LINNET_CLONES void add(const Row<V>& x, double amount, W* weights) {                     \
    add_column(x, amount, weights, NoLines());                                             \
  }                                                                                        \
  LINNET_CLONES void add(const Row<V>& x, double amount, W* weights, const Row<V>& next) { \
    add_column(x, amount, weights, RowLines<V>(next));                                     \
  }
#define LINNET_ROW_FUNCTIONS(V)                                                                  \
  LINNET_COLUMN_FUNCTIONS(V, double)                                                             \
  LINNET_COLUMN_FUNCTIONS(V, float)                                                              \
  LINNET_CLONES void score_columns(const Row<V>& x, const double* weights, std::int32_t columns, \
                                   double* out) {                                                \
    tiles(columns, [&](auto width, std::int32_t first) LINNET_INLINE_LAMBDA {                    \
      score_tile<width>(x, weights + first, columns, out + first);                               \
    });                                                                                          \
  }                                                                                              \
  LINNET_CLONES void add_columns(const Row<V>& x, const double* amount, std::int32_t columns,    \
                                 double* weights) {                                              \
    tiles(columns, [&](auto width, std::int32_t first) LINNET_INLINE_LAMBDA {                    \
      add_tile<width>(x, amount + first, columns, weights + first);                              \
    });                                                                                          \
  }                                                                                              \
  LINNET_CLONES double squared_norm(const Row<V>& x) { return norm_row(x); }

LINNET_ROW_FUNCTIONS(Unit)
LINNET_ROW_FUNCTIONS(float)
LINNET_ROW_FUNCTIONS(double)
#undef LINNET_ROW_FUNCTIONS
#undef LINNET_COLUMN_FUNCTIONS

void scores(const AnyCsr& any, const double* weights, std::int32_t columns, double bias,
            double* out, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        const Layout layout{x.cols, columns, bias};
        pool.ranges(x.rows, kRowsPerBlock, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            double* row = out + i * columns;
            score(x.row(i), weights, columns, row);
            layout.score_bias(weights, row);
          }
        });
      },
      any);
}

void squared_norms(const AnyCsr& any, double bias, double* out, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        pool.ranges(x.rows, kRowsPerBlock, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            out[i] = squared_norm(x.row(i)) + bias * bias;
          }
        });
      },
      any);
}

}  // namespace linnet::flat
