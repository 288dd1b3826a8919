// How fast the bias of dual coordinate descent follows its dual variables.
//
// With f(b) = min_w P(w, b) the optimum has f'(b) = b - beta = 0, where beta = B sum_i A_i is what
// the dual variables make of a bias of value B. Steps that keep b = beta feel B^2 as part of every
// product x_i x_k. In texts that is 20 to 50 times what the words add, so that each step undoes
// much of those before: 17 epochs where 4 do without a bias.
//
// But f is nearly flat, because frequent words make up for a wrong bias: f'' = 1 + B^2 / kappa with
// kappa = 1 / sum_i cost_i + the mean of x_i x_k over pairs of rows. So b may lag: it takes the
// part pace = 1 / f'' of every change of beta, and before each epoch this part of what is left,
// b += pace (beta - b). That is the proximal point method in one variable, f plus
// (1 / pace - 1) (b - b_before)^2 / 2 in each epoch, and its end is the same optimum.
//
// Where a bias is no stiffer than the features are, the pace is near 1 and b is beta.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../views.hpp"

namespace linnet {

// The pace of a bias of value examples.bias, from the products of some rows spread over all.
template <class V>
double bias_pace(const Csr<V>& x, const Examples& examples) {
  constexpr std::int64_t kSome = 128;
  const double square = examples.bias * examples.bias;
  const double cost = std::accumulate(examples.cost, examples.cost + x.rows, 0.0);
  if (square == 0.0 || !(cost > 0.0)) return 1.0;
  const std::int64_t some = std::min(x.rows, kSome);
  std::vector<double> sum(static_cast<std::size_t>(x.cols));  // of these rows
  double diagonal = 0.0, all = 0.0;
  for (std::int64_t n = 0; n < some; ++n) {
    const Row<V> row = x.row(n * x.rows / some);
    for (std::int64_t k = 0; k < row.size; ++k) {
      const double value = value_at(row.value, k);
      diagonal += value * value;
      sum[row.index[k]] += value;
    }
  }
  for (const double value : sum) all += value * value;
  const double pairs = static_cast<double>(some) * static_cast<double>(some - 1);
  const double mean = pairs > 0.0 ? std::max(0.0, (all - diagonal) / pairs) : 0.0;
  const double kappa = mean + 1.0 / cost;
  return kappa / (kappa + square);
}

}  // namespace linnet
