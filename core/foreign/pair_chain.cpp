#include "pair_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../numeric.hpp"

namespace linnet::foreign {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// ln of the sum of exponentials, of values that are `step` apart.
double log_sum(const double* from, std::size_t n, std::size_t step = 1) {
  double top = kNever;
  for (std::size_t k = 0; k < n; ++k) top = std::max(top, from[k * step]);
  if (top == kNever) return kNever;
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += std::exp(from[k * step] - top);
  return top + std::log(sum);
}

// next[y] = max_p best[p] + pair[p][y], back[y] the first such p.
LINNET_CLONES
void onward(const double* best, const double* pair, std::size_t n, double* next,
            std::int32_t* back) {
  for (std::size_t y = 0; y < n; ++y) {
    next[y] = best[0] + pair[y];
    back[y] = 0;
  }
  for (std::size_t p = 1; p < n; ++p) {
    const double* const from = pair + p * n;
    const double here = best[p];
    for (std::size_t y = 0; y < n; ++y) {
      const double score = here + from[y];
      const bool better = score > next[y];
      next[y] = better ? score : next[y];
      back[y] = better ? static_cast<std::int32_t>(p) : back[y];
    }
  }
}

void forbid(const bool* allowed, std::size_t n, double* scores) {
  if (allowed == nullptr) return;
  for (std::size_t k = 0; k < n; ++k) {
    if (!allowed[k]) scores[k] = kNever;
  }
}

}  // namespace

PairSearch::PairSearch(const PairChain& chain)
    : chain_(chain),
      size_(static_cast<std::size_t>(chain.labels)),
      pair_(size_ * size_),
      best_(size_),
      next_(size_) {}

// The scores of the first token's labels, in best_.
void PairSearch::starts(std::int64_t begin, std::int64_t end, bool free) {
  const double* const single = chain_.single + begin * chain_.labels;
  std::copy(single, single + size_, best_.begin());
  if (chain_.local) {
    const double all = log_sum(best_.data(), size_);
    for (double& score : best_) score -= all;
  }
  if (free) return;
  forbid(chain_.first, size_, best_.data());
  if (end - begin == 1) forbid(chain_.last, size_, best_.data());
}

// The scores of the pairs of labels before and at a token, in pair_.
void PairSearch::pairs(std::int64_t token, bool ends, bool free) {
  std::fill(pair_.begin(), pair_.end(), 0.0);
  for (std::int64_t i = chain_.row[token]; i < chain_.row[token + 1]; ++i) {
    const std::int32_t feature = chain_.index[i];
    for (std::int64_t k = chain_.start[feature]; k < chain_.start[feature + 1]; ++k) {
      pair_[chain_.place[k]] += chain_.weight[k];
    }
  }
  const double* const single = chain_.single + token * chain_.labels;
  for (std::size_t p = 0; p < size_; ++p) {
    double* const row = pair_.data() + p * size_;
    for (std::size_t y = 0; y < size_; ++y) row[y] += single[y];
    if (chain_.local) {
      const double all = log_sum(row, size_);
      for (std::size_t y = 0; y < size_; ++y) row[y] -= all;
    }
    if (free) continue;
    if (chain_.between != nullptr) forbid(chain_.between + p * size_, size_, row);
    if (ends) forbid(chain_.last, size_, row);
  }
}

// False if what is allowed leaves no labelling.
bool PairSearch::search(std::int64_t begin, std::int64_t end, bool free, std::int32_t* labels) {
  back_.resize(static_cast<std::size_t>(end - begin) * size_);
  starts(begin, end, free);
  for (std::int64_t t = begin + 1; t < end; ++t) {
    pairs(t, t + 1 == end, free);
    onward(best_.data(), pair_.data(), size_, next_.data(),
           back_.data() + (t - begin) * chain_.labels);
    best_.swap(next_);
  }
  const auto top = std::max_element(best_.begin(), best_.end());
  if (*top == kNever) return false;
  auto at = static_cast<std::int32_t>(top - best_.begin());
  for (std::int64_t t = end - begin - 1; t >= 0; --t) {
    labels[t] = at;
    if (t > 0) at = back_[t * chain_.labels + at];
  }
  return true;
}

void PairSearch::decode(std::int64_t begin, std::int64_t end, std::int32_t* labels) {
  if (begin < end && !search(begin, end, false, labels)) search(begin, end, true, labels);
}

bool PairSearch::sum(std::int64_t begin, std::int64_t end, bool free, double* out) {
  forward_.resize(static_cast<std::size_t>(end - begin) * size_);
  starts(begin, end, free);
  std::copy(best_.begin(), best_.end(), forward_.begin());
  for (std::int64_t t = begin + 1; t < end; ++t) {
    pairs(t, t + 1 == end, free);
    const double* const before = forward_.data() + (t - begin - 1) * chain_.labels;
    double* const here = forward_.data() + (t - begin) * chain_.labels;
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t y = 0; y < size_; ++y) pair_[p * size_ + y] += before[p];
    }
    for (std::size_t y = 0; y < size_; ++y) here[y] = log_sum(pair_.data() + y, size_, size_);
  }
  std::fill(best_.begin(), best_.end(), 0.0);  // from here to the end of the sentence
  for (std::int64_t t = end - 1; t >= begin; --t) {
    const double* const here = forward_.data() + (t - begin) * chain_.labels;
    double* const p = out + (t - begin) * chain_.labels;
    for (std::size_t y = 0; y < size_; ++y) p[y] = here[y] + best_[y];
    const double all = log_sum(p, size_);
    if (all == kNever) return false;
    for (std::size_t y = 0; y < size_; ++y) p[y] = std::exp(p[y] - all);
    if (t == begin) break;
    pairs(t, t + 1 == end, free);
    for (std::size_t before = 0; before < size_; ++before) {
      double* const row = pair_.data() + before * size_;
      for (std::size_t y = 0; y < size_; ++y) row[y] += best_[y];
      next_[before] = log_sum(row, size_);
    }
    best_.swap(next_);
  }
  return true;
}

void PairSearch::marginals(std::int64_t begin, std::int64_t end, double* out) {
  if (begin < end && !sum(begin, end, false, out)) sum(begin, end, true, out);
}

}  // namespace linnet::foreign
