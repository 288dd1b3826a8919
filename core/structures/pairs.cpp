#include "pairs.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "../numeric.hpp"

namespace linnet::chain {
namespace {

LINNET_CLONES
void add_full(double amount, const double* weights, std::int32_t n, double* out) {
  for (std::int32_t l = 0; l < n; ++l) out[l] += amount * weights[l];
}

template <class V>
void score_tokens(const Csr<V>& x, const Pairs& pairs, const double* weights, std::int32_t labels,
                  std::int64_t first, std::int64_t last, double* out) {
  constexpr std::int64_t kAhead = 6;
  std::fill(out, out + (last - first) * labels, 0.0);
  for (std::int64_t t = first; t < last; ++t) {
    double* const row = out + (t - first) * labels;
    for (std::int64_t k = x.start[t]; k < x.start[t + 1]; ++k) {
      if (k + kAhead < x.start[last]) {
        LINNET_PREFETCH(weights + pairs.start[x.index[k + kAhead]]);
      }
      const std::int64_t from = pairs.start[x.index[k]], to = pairs.start[x.index[k] + 1];
      const double v = value_at(x.value, k);
      if (to - from == labels) {
        add_full(v, weights + from, labels, row);
      } else {
        for (std::int64_t p = from; p < to; ++p) row[pairs.label[p]] += v * weights[p];
      }
    }
  }
}

template <class V>
void add_gradient(const Csr<V>& x, const Pairs& pairs, const double* residual, std::int32_t labels,
                  std::int64_t first, std::int64_t last, std::int32_t from, std::int32_t to,
                  double* gradient) {
  constexpr std::int64_t kAhead = 6;
  const std::int32_t* const whole_end = x.index + x.start[last];
  for (std::int64_t t = first; t < last; ++t) {
    const double* const row = residual + (t - first) * labels;
    const std::int32_t* const begin = x.index + x.start[t];
    const std::int32_t* const end = x.index + x.start[t + 1];
    for (const std::int32_t* j = std::lower_bound(begin, end, from); j < end && *j < to; ++j) {
      if (j + kAhead < whole_end) LINNET_PREFETCH(gradient + pairs.start[j[kAhead]]);
      const std::int64_t p0 = pairs.start[*j], p1 = pairs.start[*j + 1];
      const double v = value_at(x.value, j - x.index);
      if (p1 - p0 == labels) {
        add_full(v, row, labels, gradient + p0);
      } else {
        for (std::int64_t p = p0; p < p1; ++p) gradient[p] += v * row[pairs.label[p]];
      }
    }
  }
}

}  // namespace

void state_scores(const AnyCsr& tokens, const Pairs& pairs, const double* weights,
                  std::int32_t labels, std::int64_t first, std::int64_t last, double* out) {
  std::visit([&](const auto& x) { score_tokens(x, pairs, weights, labels, first, last, out); },
             tokens);
}

void add_state_gradient(const AnyCsr& tokens, const Pairs& pairs, const double* residual,
                        std::int32_t labels, std::int64_t first, std::int64_t last,
                        std::int32_t from, std::int32_t to, double* gradient) {
  std::visit(
      [&](const auto& x) {
        add_gradient(x, pairs, residual, labels, first, last, from, to, gradient);
      },
      tokens);
}

}  // namespace linnet::chain
