#include "second_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../numeric.hpp"

namespace linnet::chain {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::int64_t kGrain = 8;  // sentences

// now[b][c] = max_a before[a][b] + second[a][b][c]; the lowest a of equals is kept.
LINNET_CLONES
void step(const double* before, const double* second, std::int64_t L, double* now,
          std::uint8_t* from) {
  std::fill(now, now + L * L, kNever);
  std::fill(from, from + L * L, std::uint8_t{0});
  for (std::int64_t a = 0; a < L; ++a) {
    for (std::int64_t b = 0; b < L; ++b) {
      const double base = before[a * L + b];
      if (base == kNever) continue;
      const double* const row = second + (a * L + b) * L;
      double* const to = now + b * L;
      std::uint8_t* const came = from + b * L;
      for (std::int64_t c = 0; c < L; ++c) {
        const double reached = base + row[c];
        came[c] = reached > to[c] ? static_cast<std::uint8_t>(a) : came[c];
        to[c] = reached > to[c] ? reached : to[c];
      }
    }
  }
}

// pairs[a][b] = start[a] + state[0][a] + transition[a][b] + state[1][b]
void first_pairs(const double* state, const SecondOrder& p, double* pairs) {
  const std::int64_t L = p.labels;
  for (std::int64_t a = 0; a < L; ++a) {
    for (std::int64_t b = 0; b < L; ++b) {
      pairs[a * L + b] = p.start[a] + state[a] + p.transition[a * L + b] + state[L + b];
    }
  }
}

double decode_one(const double* state, std::int64_t n, const SecondOrder& p, std::int32_t* labels) {
  const std::int64_t L = p.labels, pairs = L * L;
  if (n == 0) return 0.0;
  std::fill(labels, labels + n, 0);
  double best = kNever;
  if (n == 1) {
    for (std::int64_t l = 0; l < L; ++l) {
      const double score = p.start[l] + state[l] + p.stop[l];
      if (score > best) best = score, labels[0] = static_cast<std::int32_t>(l);
    }
    return best;
  }
  std::vector<double> before(static_cast<std::size_t>(pairs)), now(before.size());
  std::vector<std::uint8_t> back(static_cast<std::size_t>((n - 2) * pairs));
  first_pairs(state, p, before.data());
  for (std::int64_t t = 2; t < n; ++t) {
    step(before.data(), p.second, L, now.data(), back.data() + (t - 2) * pairs);
    for (std::int64_t k = 0; k < pairs; ++k) now[k] += state[t * L + k % L];
    before.swap(now);
  }
  for (std::int64_t c = 0; c < L; ++c) {
    for (std::int64_t b = 0; b < L; ++b) {
      const double score = before[b * L + c] + p.stop[c];
      if (!(score > best)) continue;
      best = score;
      labels[n - 2] = static_cast<std::int32_t>(b);
      labels[n - 1] = static_cast<std::int32_t>(c);
    }
  }
  if (best == kNever) return best;
  for (std::int64_t t = n - 1; t > 1; --t) {
    labels[t - 2] = back[(t - 2) * pairs + labels[t - 1] * L + labels[t]];
  }
  return best;
}

// ln sum e^value; the values are at `values`, `apart` from each other.
double log_sum(const double* values, std::int64_t n, std::int64_t apart) {
  double top = kNever, sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) top = std::max(top, values[k * apart]);
  if (top == kNever) return kNever;
  for (std::int64_t k = 0; k < n; ++k) sum += std::exp(values[k * apart] - top);
  return top + std::log(sum);
}

// In logarithms: alpha[t][b][c] and beta[t][b][c] for the pair that ends at token t >= 1. A step
// takes the largest value of each sum out of the exponents.
class Forward {
 public:
  Forward(const double* state, std::int64_t n, const SecondOrder& p)
      : state_(state), n_(n), p_(p), L_(p.labels), terms_(static_cast<std::size_t>(L_ * L_)) {}

  double run(double* out) {
    if (n_ == 0) return 0.0;
    if (n_ == 1) return alone(out);
    const std::int64_t pairs = L_ * L_;
    alpha_.resize(static_cast<std::size_t>((n_ - 1) * pairs));
    first_pairs(state_, p_, alpha_.data());
    for (std::int64_t t = 2; t < n_; ++t) onward(t);
    std::vector<double> beta(static_cast<std::size_t>(pairs));
    for (std::int64_t k = 0; k < pairs; ++k) {
      beta[k] = p_.stop[k % L_];
      terms_[k] = alpha_[(n_ - 2) * pairs + k] + beta[k];
    }
    const double log_z = log_sum(terms_.data(), pairs, 1);
    if (log_z == kNever) {
      std::fill(out, out + n_ * L_, 1.0 / static_cast<double>(L_));
      return log_z;
    }
    std::fill(out, out + n_ * L_, 0.0);
    for (std::int64_t t = n_ - 1; t > 0; --t) {
      const double* const alpha = alpha_.data() + (t - 1) * pairs;
      for (std::int64_t k = 0; k < pairs; ++k) {
        const double share = std::exp(alpha[k] + beta[k] - log_z);
        out[t * L_ + k % L_] += share;
        if (t == 1) out[k / L_] += share;
      }
      if (t > 1) back(t, beta);
    }
    return log_z;
  }

 private:
  double alone(double* out) {
    for (std::int64_t l = 0; l < L_; ++l) out[l] = p_.start[l] + state_[l] + p_.stop[l];
    const double log_z = log_sum(out, L_, 1);
    for (std::int64_t l = 0; l < L_; ++l) {
      out[l] = log_z == kNever ? 1.0 / static_cast<double>(L_) : std::exp(out[l] - log_z);
    }
    return log_z;
  }

  // alpha[t][b][c] = state[t][c] + ln sum_a e^(alpha[t - 1][a][b] + second[a][b][c])
  void onward(std::int64_t t) {
    const std::int64_t pairs = L_ * L_;
    const double* const before = alpha_.data() + (t - 2) * pairs;
    double* const now = alpha_.data() + (t - 1) * pairs;
    for (std::int64_t b = 0; b < L_; ++b) {
      for (std::int64_t a = 0; a < L_; ++a) {
        for (std::int64_t c = 0; c < L_; ++c) {
          terms_[a * L_ + c] = before[a * L_ + b] + p_.second[(a * L_ + b) * L_ + c];
        }
      }
      sum_rows(now + b * L_);
      for (std::int64_t c = 0; c < L_; ++c) now[b * L_ + c] += state_[t * L_ + c];
    }
  }

  // out[c] = ln sum_a e^terms[a][c]
  void sum_rows(double* out) {
    top_.assign(static_cast<std::size_t>(L_), kNever);
    for (std::int64_t k = 0; k < L_ * L_; ++k) {
      top_[k % L_] = std::max(top_[k % L_], terms_[k]);
    }
    for (double& top : top_) top = top == kNever ? 0.0 : top;
    for (std::int64_t k = 0; k < L_ * L_; ++k) terms_[k] -= top_[k % L_];
    exp_in_place(terms_.data(), L_ * L_);
    std::fill(out, out + L_, 0.0);
    for (std::int64_t k = 0; k < L_ * L_; ++k) out[k % L_] += terms_[k];
    for (std::int64_t c = 0; c < L_; ++c) out[c] = top_[c] + std::log(out[c]);
  }

  // beta[a][b] = ln sum_c e^(second[a][b][c] + state[t][c] + beta[b][c])
  void back(std::int64_t t, std::vector<double>& beta) {
    std::vector<double> now(beta.size());
    row_.resize(static_cast<std::size_t>(L_));
    for (std::int64_t k = 0; k < L_ * L_; ++k) beta[k] += state_[t * L_ + k % L_];
    for (std::int64_t k = 0; k < L_ * L_; ++k) {
      const double* const after = beta.data() + (k % L_) * L_;
      double top = kNever, sum = 0.0;
      for (std::int64_t c = 0; c < L_; ++c) {
        row_[c] = p_.second[k * L_ + c] + after[c];
        top = std::max(top, row_[c]);
      }
      now[k] = top;
      if (top == kNever) continue;
      for (double& value : row_) value -= top;
      exp_in_place(row_.data(), L_);
      for (const double value : row_) sum += value;
      now[k] = top + std::log(sum);
    }
    beta.swap(now);
  }

  const double* const state_;
  const std::int64_t n_;
  const SecondOrder& p_;
  const std::int64_t L_;
  std::vector<double> terms_, top_, row_, alpha_;
};

}  // namespace

void decode_second(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                   const SecondOrder& p, std::int32_t* labels, double* scores, ThreadPool& pool) {
  pool.ranges(sentences, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t s = first; s < last; ++s) {
      pool.checkpoint();
      scores[s] = decode_one(state + sentence[s] * p.labels, sentence[s + 1] - sentence[s], p,
                             labels + sentence[s]);
    }
  });
}

void marginals_second(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                      const SecondOrder& p, double* marginals, double* log_z, ThreadPool& pool) {
  pool.ranges(sentences, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t s = first; s < last; ++s) {
      pool.checkpoint();
      Forward one(state + sentence[s] * p.labels, sentence[s + 1] - sentence[s], p);
      log_z[s] = one.run(marginals + sentence[s] * p.labels);
    }
  });
}

}  // namespace linnet::chain
