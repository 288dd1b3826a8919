// How fast the bias of dual coordinate descent follows its dual variables.
//
// With f(b) = min_w P(w, b) the optimum has f'(b) = b - beta = 0, where beta = B sum_i A_i is what
// the dual variables make of a bias of value B. Steps that keep b = beta feel B^2 as part of every
// product x_i x_k. On imdb that is 30 times what the words add, so that each step undoes much of
// those before: 17 epochs where 4 do without a bias.
//
// But f is nearly flat, because frequent words make up for a wrong bias: f'' = 1 + B^2 / kappa with
// kappa = 1 / sum_i cost_i + the mean of x_i x_k over pairs of rows. So b may lag: it takes the
// part pace = 1 / f'' of every change of beta, and before each epoch this part of what is left,
// b += pace (beta - b). That is the proximal point method in one variable, f plus
// (1 / pace - 1) (b - b_before)^2 / 2 in each epoch, and its end is the same optimum. Its steps
// raise the dual of that sum; nothing says that each epoch raises the dual of f alone.
//
// Where a bias is no stiffer than the features are, the pace is near 1 and b is beta.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../views.hpp"
#include "likeness.hpp"

namespace linnet {

// The pace of a bias of value examples.bias, from the products of some rows spread over all.
// `zeros` are [cols], and 0 again afterwards.
template <class V>
double bias_pace(const Csr<V>& x, const Examples& examples, double* zeros) {
  constexpr std::int64_t kSome = 128;
  const double square = examples.bias * examples.bias;
  const double cost = std::accumulate(examples.cost, examples.cost + x.rows, 0.0);
  if (square == 0.0 || !(cost > 0.0)) return 1.0;
  const std::int64_t some = std::min(x.rows, kSome);
  const auto spread = [&](std::int64_t n) { return n * x.rows / some; };
  const double likeness = some > 1 ? mean_product(x, some, spread, zeros) : 0.0;
  const double kappa = 1.0 / cost + std::max(0.0, likeness);
  return kappa / (kappa + square);
}

// The bias of each column, and beta, the aim that it follows. Without a bias (value 0) all is 0.
class SlowBias {
 public:
  SlowBias(double value, double pace, std::int32_t columns, double* weights)
      : value_(value), pace_(pace), weights_(weights), aim_(static_cast<std::size_t>(columns)) {}

  double operator[](std::int32_t c) const { return value_ == 0.0 ? 0.0 : weights_[c]; }
  double aim(std::int32_t c) const { return aim_[c]; }
  // What it adds to the gap of a column that it is not where it aims.
  double lag(std::int32_t c) const { return 0.5 * ((*this)[c] - aim_[c]) * ((*this)[c] - aim_[c]); }
  // What it adds to |x_i|^2: once as the steps feel it, once in truth.
  double felt() const { return pace_ * value_ * value_; }
  double square() const { return value_ * value_; }
  bool is_zero() const {
    return value_ == 0.0 ||
           std::all_of(weights_, weights_ + aim_.size(), [](double b) { return b == 0.0; });
  }

  void forget_aim() { std::fill(aim_.begin(), aim_.end(), 0.0); }
  void aim_at(const double* amount) {  // the coefficients of one row more
    for (std::size_t c = 0; c < aim_.size(); ++c) aim_[c] += value_ * amount[c];
  }
  void move(std::size_t c, double amount, double pace) {
    if (value_ == 0.0) return;
    aim_[c] += value_ * amount;
    weights_[c] += pace * (value_ * amount);
  }
  void move(const double* amount) {
    for (std::size_t c = 0; c < aim_.size(); ++c) move(c, amount[c], pace_);
  }
  void follow(std::int32_t c) {
    if (value_ != 0.0) weights_[c] += pace_ * (aim_[c] - weights_[c]);
  }
  void arrive(std::int32_t c) {
    if (value_ != 0.0) weights_[c] = aim_[c];
  }
  void hurry() { pace_ = 1.0; }  // from now on it is where it aims

 private:
  const double value_;
  double pace_;
  double* const weights_;    // [columns] b
  std::vector<double> aim_;  // [columns] beta
};

}  // namespace linnet
