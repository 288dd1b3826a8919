// Probabilities of labels and label pairs (chain.hpp; Baum et al. 1970; SPEC M-119).
//
//   a_1[j] = e^(start + state_1)[j],      a_t[j] = (sum_i a_{t-1}[i] e^transition[i][j])
//   e^state_t[j] b_n[i] = e^stop[i],                   b_t[i] = sum_j e^transition[i][j]
//   e^state_{t+1}[j] b_{t+1}[j]
//
// Given state scores [n][L] and potentials. Returned: ln Z, the probability of each label of each
// token, proportional to a_t b_t, and the expected number of each label pair. Every a_t is scaled
// to sum 1, and scores are exponentiated once, their largest taken off; where numbers get too small
// for that, logarithms take over.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../numeric.hpp"
#include "../strips.hpp"
#include "chain.hpp"
#include "row_products.hpp"

namespace linnet::chain {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// e^0 minus (e^0 - e^score) keeps ten digits of e^score down to this score.
constexpr double kDeep = -14.0;

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = kNever;
};

// Of the scores that have a weight; of all of them without lists.
Range range_of(const Potentials& p, const Following& f) {
  Range range;
  const auto see = [&](double value) {
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  };
  const std::int64_t L = p.labels;
  for (std::int64_t i = 0; f && i < L; ++i) {
    for (std::int64_t k = f.start[i]; k < f.start[i + 1]; ++k) see(p.transition[i * L + f.next[k]]);
  }
  for (std::int64_t k = 0; !f && k < L * L; ++k) see(p.transition[k]);
  if (f) range.most = std::max(range.most, 0.0);
  if (range.most == kNever) range.most = 0.0;
  return range;
}

// out[j] = sum_i weight[i] matrix[i][j] for j < W, matrix rows `width` apart: sums in registers,
// two of each so that one addition need not wait for the last.
template <std::int32_t W>
LINNET_INLINE void strip(const double* weight, const double* matrix, std::int32_t L,
                         std::int32_t width, double* out) {
  double even[W] = {}, odd[W] = {};
  std::int32_t i = 0;
  for (; i + 2 <= L; i += 2) {
    const double v = weight[i], w = weight[i + 1];
    const double* const row = matrix + std::int64_t{i} * width;
    for (std::int32_t j = 0; j < W; ++j) even[j] += v * row[j];
    for (std::int32_t j = 0; j < W; ++j) odd[j] += w * row[width + j];
  }
  if (i < L) {
    const double* const row = matrix + std::int64_t{i} * width;
    for (std::int32_t j = 0; j < W; ++j) even[j] += weight[i] * row[j];
  }
  for (std::int32_t j = 0; j < W; ++j) out[j] = even[j] + odd[j];
}

}  // namespace

LINNET_CLONES
void times(const double* weight, const double* matrix, std::int32_t L, std::int32_t width,
           double* out) {
  in_strips<32, 24, 16, kVector>(width, [&]<std::int32_t W>(std::int64_t j) LINNET_INLINE_LAMBDA {
    strip<W>(weight, matrix + j, L, width, out + j);
  });
}

namespace {

// pairs[i][j] += weight sum_t a[t][i] b[t][j] over four tokens, or one; W columns at a time.
template <std::int32_t W>
LINNET_INLINE void add_four(const double* a, const double* b, double weight, std::int32_t L,
                            std::int32_t width, double* pairs) {
  double held[4][W];
  for (std::int32_t t = 0; t < 4; ++t) {
    for (std::int32_t j = 0; j < W; ++j) held[t][j] = weight * b[std::int64_t{t} * width + j];
  }
  for (std::int32_t i = 0; i < L; ++i) {
    double* const row = pairs + std::int64_t{i} * width;
    const double a0 = a[i], a1 = a[width + i], a2 = a[2 * width + i], a3 = a[3 * width + i];
    for (std::int32_t j = 0; j < W; ++j) {
      row[j] += (a0 * held[0][j] + a1 * held[1][j]) + (a2 * held[2][j] + a3 * held[3][j]);
    }
  }
}

template <std::int32_t W>
LINNET_INLINE void add_one(const double* a, const double* b, double weight, std::int32_t L,
                           std::int32_t width, double* pairs) {
  double held[W];
  for (std::int32_t j = 0; j < W; ++j) held[j] = weight * b[j];
  for (std::int32_t i = 0; i < L; ++i) {
    double* const row = pairs + std::int64_t{i} * width;
    for (std::int32_t j = 0; j < W; ++j) row[j] += a[i] * held[j];
  }
}

template <std::int32_t W>
LINNET_INLINE void add_strip(const double* a, const double* b, double weight, std::int64_t n,
                             std::int32_t L, std::int32_t width, double* pairs) {
  std::int64_t t = 0;
  for (; t + 4 <= n; t += 4) add_four<W>(a + t * width, b + t * width, weight, L, width, pairs);
  for (; t < n; ++t) add_one<W>(a + t * width, b + t * width, weight, L, width, pairs);
}

}  // namespace

LINNET_CLONES
void add_products(const double* a, const double* b, double weight, std::int64_t n, std::int32_t L,
                  std::int32_t width, double* pairs) {
  in_strips<24, 16, 8>(width, [&]<std::int32_t W>(std::int64_t j) LINNET_INLINE_LAMBDA {
    add_strip<W>(a, b + j, weight, n, L, width, pairs + j);
  });
}

LINNET_CLONES
double multiply(const double* a, const double* b, std::int32_t width, double* out) {
  double sum[kVector] = {};
  for (std::int32_t j = 0; j < width; j += kVector) {
    for (std::int32_t k = 0; k < kVector; ++k) {
      out[j + k] = a[j + k] * b[j + k];
      sum[k] += out[j + k];
    }
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

LINNET_CLONES
void scale_by(double* values, std::int32_t width, double factor) {
  for (std::int32_t j = 0; j < width; ++j) values[j] *= factor;
}

Exponentials::Exponentials(const Potentials& p, const Following& f)
    : labels(p.labels),
      width((p.labels + kVector - 1) / kVector * kVector),
      start_top(largest(p.start, p.labels)),
      stop_top(largest(p.stop, p.labels)),
      following(f),
      start(static_cast<std::size_t>(width), 0.0),
      stop(start) {
  const std::int32_t L = labels;
  for (std::int32_t i = 0; i < L; ++i) {
    start[i] = p.start[i] - start_top;
    stop[i] = p.stop[i] - stop_top;
  }
  exp_in_place(start.data(), L);
  exp_in_place(stop.data(), L);
  const Range range = range_of(p, f);
  transition_top = range.most;
  sparse = f && !p.second && range.least > kDeep;
  if (sparse) {
    rest = std::exp(-transition_top);
    excess.resize(static_cast<std::size_t>(f.start[L]));
    for (std::int32_t i = 0; i < L; ++i) {
      for (std::int64_t k = f.start[i]; k < f.start[i + 1]; ++k) {
        excess[k] = p.transition[std::int64_t{i} * L + f.next[k]] - transition_top;
      }
    }
    exp_in_place(excess.data(), f.start[L]);
    for (double& value : excess) value -= rest;
    return;
  }
  forward.assign(static_cast<std::size_t>(L) * width, 0.0);
  backward.assign(forward.size(), 0.0);
  for (std::int32_t i = 0; i < L; ++i) {
    double* const row = forward.data() + std::int64_t{i} * width;
    for (std::int32_t j = 0; j < L; ++j)
      row[j] = p.transition[std::int64_t{i} * L + j] - transition_top;
    exp_in_place(row, L);
  }
  for (std::int32_t i = 0; i < L; ++i) {
    for (std::int32_t j = 0; j < L; ++j) {
      backward[std::int64_t{j} * width + i] = forward[std::int64_t{i} * width + j];
    }
  }
  if (p.second) exponentiate_second(p, *this);
}

PairSums::PairSums(const Exponentials& e)
    : products(e.sparse ? e.excess.size() : static_cast<std::size_t>(e.labels) * e.width, 0.0),
      triples(e.onward.size(), 0.0) {}

void PairSums::clear() {
  for (std::vector<double>* part : {&products, &final, &triples, &final_triples}) {
    std::fill(part->begin(), part->end(), 0.0);
  }
}

void PairSums::add_to(double* out, double* triples_out, const Exponentials& e) const {
  const std::int32_t L = e.labels;
  const auto add = [&](std::int32_t i, std::int32_t j, double value) {
    const std::int64_t at = std::int64_t{i} * L + j;
    out[at] += final.empty() ? value : value + final[at];
  };
  const auto whole = [&](std::int32_t i, std::int32_t j) {
    const std::int64_t at = std::int64_t{i} * e.width + j;
    return products[at] * e.forward[at];
  };
  for (std::int32_t i = 0; i < L; ++i) {
    if (!e.following) {
      for (std::int32_t j = 0; j < L; ++j) add(i, j, whole(i, j));
      continue;
    }
    for (std::int64_t k = e.following.start[i]; k < e.following.start[i + 1]; ++k) {
      const std::int32_t j = e.following.next[k];
      add(i, j, e.sparse ? products[k] * (e.excess[k] + e.rest) : whole(i, j));
    }
  }
  if (!triples.empty()) add_triples_to(out, triples_out, e);
}

namespace {

// out[j] = sum_i weight[i] e^transition[i][j]
void step_forward(const double* weight, const Exponentials& e, double* out) {
  const std::int32_t L = e.labels;
  if (!e.sparse) return times(weight, e.forward.data(), L, e.width, out);
  double total = 0.0;
  for (std::int32_t i = 0; i < L; ++i) total += weight[i];
  std::fill(out, out + L, e.rest * total);
  for (std::int32_t i = 0; i < L; ++i) {
    const double w = weight[i];
    if (w == 0.0) continue;
    for (std::int64_t k = e.following.start[i]; k < e.following.start[i + 1]; ++k) {
      out[e.following.next[k]] += w * e.excess[k];
    }
  }
}

// out[i] = sum_j e^transition[i][j] weight[j]
void step_backward(const double* weight, const Exponentials& e, double* out) {
  const std::int32_t L = e.labels;
  if (!e.sparse) return times(weight, e.backward.data(), L, e.width, out);
  double total = 0.0;
  for (std::int32_t j = 0; j < L; ++j) total += weight[j];
  for (std::int32_t i = 0; i < L; ++i) {
    double sum = e.rest * total;
    for (std::int64_t k = e.following.start[i]; k < e.following.start[i + 1]; ++k) {
      sum += e.excess[k] * weight[e.following.next[k]];
    }
    out[i] = sum;
  }
}

// Adds weight sum_t a[t][i] b[t][j] over n tokens for the pairs that have a weight.
void add_pairs(const double* a, const double* b, double weight, std::int64_t n,
               const Exponentials& e, double* products) {
  if (!e.sparse) return add_products(a, b, weight, n, e.labels, e.width, products);
  for (std::int64_t t = 0; t < n; ++t, a += e.width, b += e.width) {
    for (std::int32_t i = 0; i < e.labels; ++i) {
      const double w = weight * a[i];
      if (w == 0.0) continue;
      for (std::int64_t k = e.following.start[i]; k < e.following.start[i + 1]; ++k) {
        products[k] += w * b[e.following.next[k]];
      }
    }
  }
}

}  // namespace

double Marginals::exponentiate(const double* state, std::int64_t n, const Exponentials& e,
                               double tops) {
  const std::int32_t L = e.labels, width = e.width;
  const auto all = static_cast<std::size_t>(n * width);
  if (emission_.size() < all) emission_.resize(all);
  for (std::int64_t t = 0; t < n; ++t) {
    double* const row = emission_.data() + t * width;
    const double* const from = state + t * L;
    const double top = largest(from, L);
    for (std::int32_t l = 0; l < L; ++l) row[l] = from[l] - top;
    std::fill(row + L, row + width, kNever);
    tops += top;
  }
  exp_in_place(emission_.data(), n * width);
  return tops;
}

// Scores are exponentiated once, with the largest of each row taken out; sums are scaled to 1 at
// every token. Should a sum vanish nonetheless, logarithms do it again. So they do where the better
// part of a sentence comes last: numbers below 1e-308 are not kept, and one of token t counts
// b_t / scale_t times in the end.
double Marginals::run(double* state, std::int64_t n, const Potentials& p, const Exponentials& e,
                      PairSums* pairs, double weight) {
  if (n == 0) return 0.0;
  if (p.second && n > 2) return run_second(state, n, p, e, pairs, weight);
  const std::int32_t L = e.labels, width = e.width;
  const auto all = static_cast<std::size_t>(n * width);
  if (alpha_.size() < all) alpha_.resize(all);
  scale_.resize(static_cast<std::size_t>(n));
  beta_.assign(static_cast<std::size_t>(width), 0.0);
  weighted_.assign(static_cast<std::size_t>(width), 0.0);
  double log_z = e.start_top + e.stop_top + static_cast<double>(n - 1) * e.transition_top;
  log_z = exponentiate(state, n, e, log_z);
  double product = 1.0;  // of the scales, its logarithm taken before it leaves the range
  for (std::int64_t t = 0; t < n; ++t) {
    double* const a = alpha_.data() + t * width;
    const double* const row = emission_.data() + t * width;
    double sum;
    if (t == 0) {
      sum = multiply(e.start.data(), row, width, a);
    } else {
      step_forward(a - width, e, weighted_.data());
      sum = multiply(weighted_.data(), row, width, a);
    }
    if (!(sum > 1e-280)) return logarithmic(state, n, p, pairs, weight);
    scale_by(a, width, 1.0 / sum);
    scale_[t] = sum;
    if (product * sum < 1e-300) {
      log_z += std::log(product);
      product = 1.0;
    }
    product *= sum;
    if (product < 1e-100 || product > 1e100) {
      log_z += std::log(product);
      product = 1.0;
    }
  }
  const double last = multiply(alpha_.data() + (n - 1) * width, e.stop.data(), width, beta_.data());
  if (!(last > 1e-280)) return logarithmic(state, n, p, pairs, weight);
  log_z += std::log(product) + std::log(last);
  for (std::int32_t j = 0; j < width; ++j) beta_[j] = e.stop[j] / last;
  given_.assign(state, state + n * L);
  for (std::int64_t t = n - 1; t >= 0; --t) {
    if (!(std::accumulate(beta_.begin(), beta_.end(), 0.0) < 1e280 * scale_[t])) {
      std::copy(given_.begin(), given_.end(), state);
      return logarithmic(state, n, p, pairs, weight);
    }
    const double* const a = alpha_.data() + t * width;
    double* const out = state + t * L;
    for (std::int32_t l = 0; l < L; ++l) out[l] = a[l] * beta_[l];
    if (t == 0) break;
    double* const row = emission_.data() + t * width;
    multiply(row, beta_.data(), width, row);
    scale_by(row, width, 1.0 / scale_[t]);
    step_backward(row, e, beta_.data());
  }
  if (pairs && n > 1) {
    add_pairs(alpha_.data(), emission_.data() + width, weight, n - 1, e, pairs->products.data());
  }
  return log_z;
}

// The same in logarithms: slower, and safe whatever the scores.
double Marginals::logarithmic(double* state, std::int64_t n, const Potentials& p, PairSums* pairs,
                              double weight, double* each) {
  const std::int32_t L = p.labels;
  if (pairs && pairs->final.empty()) pairs->final.assign(static_cast<std::size_t>(L) * L, 0.0);
  const auto size = static_cast<std::size_t>(n * L);
  log_alpha_.assign(size, kNever);
  log_beta_.assign(size, kNever);
  std::vector<double> terms(static_cast<std::size_t>(L));
  const auto log_sum = [&] {
    const double top = *std::max_element(terms.begin(), terms.end());
    if (top == kNever) return kNever;
    double sum = 0.0;
    for (const double term : terms) sum += std::exp(term - top);
    return top + std::log(sum);
  };
  for (std::int64_t t = 0; t < n; ++t) {
    for (std::int32_t j = 0; j < L; ++j) {
      double before = p.start[j];
      if (t > 0) {
        for (std::int32_t i = 0; i < L; ++i) {
          terms[i] = log_alpha_[(t - 1) * L + i] + p.transition[std::int64_t{i} * L + j];
        }
        before = log_sum();
      }
      log_alpha_[t * L + j] = before + state[t * L + j];
    }
  }
  for (std::int32_t i = 0; i < L; ++i) {
    log_beta_[(n - 1) * L + i] = p.stop[i];
    terms[i] = log_alpha_[(n - 1) * L + i] + p.stop[i];
  }
  const double log_z = log_sum();
  for (std::int64_t t = n - 1; t > 0; --t) {
    for (std::int32_t i = 0; i < L; ++i) {
      for (std::int32_t j = 0; j < L; ++j) {
        terms[j] = p.transition[std::int64_t{i} * L + j] + state[t * L + j] + log_beta_[t * L + j];
      }
      log_beta_[(t - 1) * L + i] = log_sum();
    }
  }
  if (log_z == kNever) {
    std::fill(state, state + n * L, 1.0 / L);
    if (each) std::fill(each, each + (n - 1) * L * L, 1.0 / (L * L));
    return kNever;
  }
  for (std::int64_t t = 1; (pairs || each) && t < n; ++t) {
    for (std::int32_t i = 0; i < L; ++i) {
      for (std::int32_t j = 0; j < L; ++j) {
        const double whole = log_alpha_[(t - 1) * L + i] + p.transition[std::int64_t{i} * L + j] +
                             state[t * L + j] + log_beta_[t * L + j];
        const double share = std::exp(whole - log_z);
        if (pairs) pairs->final[std::int64_t{i} * L + j] += weight * share;
        if (each) each[((t - 1) * L + i) * L + j] = share;
      }
    }
  }
  for (std::int64_t k = 0; k < n * L; ++k)
    state[k] = std::exp(log_alpha_[k] + log_beta_[k] - log_z);
  return log_z;
}

double Marginals::run_pairs(double* state, std::int64_t n, const Potentials& p, double* each) {
  if (n == 0) return 0.0;
  return p.second && n > 2 ? logarithmic_second(state, n, p, nullptr, 1.0, each)
                           : logarithmic(state, n, p, nullptr, 1.0, each);
}

}  // namespace linnet::chain
