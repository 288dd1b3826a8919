// Scores of a row and additions to its weights (flat.hpp): tiles of columns whose sums stay in
// registers, the rows of weights fetched ahead.
#include "flat.hpp"

#include <type_traits>

#include "../numeric.hpp"

namespace linnet::flat {
namespace {

constexpr std::int64_t kAhead = 12;  // stored values between a prefetch and its use
constexpr std::int64_t kRowsPerBlock = 256;

// One column: four sums in flight hide the latency of addition.
template <class V, class W>
LINNET_INLINE double dot(const Row<V>& x, const W* w) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::int64_t k = 0;
  for (; k + 4 <= x.size; k += 4) {
    a += value_at(x.value, k) * double{w[x.index[k]]};
    b += value_at(x.value, k + 1) * double{w[x.index[k + 1]]};
    c += value_at(x.value, k + 2) * double{w[x.index[k + 2]]};
    d += value_at(x.value, k + 3) * double{w[x.index[k + 3]]};
  }
  for (; k < x.size; ++k) a += value_at(x.value, k) * double{w[x.index[k]]};
  return (a + b) + (c + d);
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

template <class V>
LINNET_INLINE void score_row(const Row<V>& x, const double* w, std::int32_t columns, double* out) {
  if (columns == 1) {
    *out = dot(x, w);
    return;
  }
  tiles(columns, [&](auto width, std::int32_t first) LINNET_INLINE_LAMBDA {
    score_tile<width>(x, w + first, columns, out + first);
  });
}

template <class V>
LINNET_INLINE void add_row(const Row<V>& x, const double* amount, std::int32_t columns, double* w) {
  tiles(columns, [&](auto width, std::int32_t first) LINNET_INLINE_LAMBDA {
    add_tile<width>(x, amount + first, columns, w + first);
  });
}

template <class V>
LINNET_INLINE void add_rounded(const Row<V>& x, double amount, float* w) {
  for (std::int64_t k = 0; k < x.size; ++k) {
    w[x.index[k]] = static_cast<float>(w[x.index[k]] + value_at(x.value, k) * amount);
  }
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

#define LINNET_ROW_FUNCTIONS(V)                                                                 \
  LINNET_CLONES void score(const Row<V>& x, const double* weights, std::int32_t columns,        \
                           double* out) {                                                       \
    score_row(x, weights, columns, out);                                                        \
  }                                                                                             \
  LINNET_CLONES void add(const Row<V>& x, const double* amount, std::int32_t columns,           \
                         double* weights) {                                                     \
    add_row(x, amount, columns, weights);                                                       \
  }                                                                                             \
  LINNET_CLONES double score(const Row<V>& x, const float* weights) { return dot(x, weights); } \
  LINNET_CLONES void add(const Row<V>& x, double amount, float* weights) {                      \
    add_rounded(x, amount, weights);                                                            \
  }                                                                                             \
  LINNET_CLONES double squared_norm(const Row<V>& x) { return norm_row(x); }

LINNET_ROW_FUNCTIONS(Unit)
LINNET_ROW_FUNCTIONS(float)
LINNET_ROW_FUNCTIONS(double)
#undef LINNET_ROW_FUNCTIONS

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
