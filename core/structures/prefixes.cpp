#include "prefixes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace linnet::chain {
namespace {

constexpr std::int64_t kGrain = 8;  // sentences

class PrefixSearch {
 public:
  PrefixSearch(const History& history, std::int64_t width)
      : history_(history), width_(width), local_(static_cast<std::size_t>(history.labels)) {}

  double best(const double* state, std::int64_t n, std::int32_t* labels) {
    if (n == 0) return 0.0;
    all_.assign(1, {0.0, history_.labels, -1});
    first_ = 0;
    for (std::int64_t t = 0; t < n; ++t) extend(state + t * history_.labels);
    auto at = first_;  // the best comes first
    const double score = all_[at].score;
    for (std::int64_t t = n - 1; t >= 0; --t, at = all_[at].parent) labels[t] = all_[at].label;
    return score;
  }

 private:
  struct Prefix {
    double score;
    std::int32_t label;
    std::int64_t parent;  // in all_; -1: nothing comes before
  };

  // Replaces the prefixes kept, those from first_ on, by their best extensions.
  void extend(const double* state) {
    const std::int32_t L = history_.labels;
    const auto last = std::ssize(all_);
    reached_.clear();
    for (std::int64_t at = first_; at < last; ++at) {
      look_back(at, state);
      if (width_ == 1) {  // the largest local score, whatever rounding makes of the sum
        const auto top = std::max_element(local_.begin(), local_.end());
        reached_.push_back(
            {all_[at].score + *top, static_cast<std::int32_t>(top - local_.begin()), at});
        continue;
      }
      for (std::int32_t j = 0; j < L; ++j) {
        reached_.push_back({all_[at].score + local_[j], j, at});
      }
    }
    const auto most = std::min<std::ptrdiff_t>(width_, std::ssize(reached_));
    std::partial_sort(reached_.begin(), reached_.begin() + most, reached_.end(),
                      [](const Prefix& a, const Prefix& b) {
                        if (a.score != b.score) return a.score > b.score;
                        return a.parent != b.parent ? a.parent < b.parent : a.label < b.label;
                      });
    all_.insert(all_.end(), reached_.begin(), reached_.begin() + most);
    first_ = last;
  }

  // The scores of the labels that may extend a prefix.
  void look_back(std::int64_t at, const double* state) {
    const std::int64_t L = history_.labels;
    std::fill(local_.begin(), local_.end(), 0.0);
    for (std::int64_t k = 0; k < history_.steps; ++k) {
      const double* const row = history_.after + (k * (L + 1) + all_[at].label) * L;
      for (std::int64_t j = 0; j < L; ++j) local_[j] += row[j];
      if (all_[at].parent >= 0) at = all_[at].parent;  // the first is the start symbol
    }
    for (std::int64_t j = 0; j < L; ++j) local_[j] = state[j] + local_[j];
    if (!history_.is_probability) return;
    const double top = *std::max_element(local_.begin(), local_.end());
    double sum = 0.0;
    for (const double score : local_) sum += std::exp(score - top);
    for (double& score : local_) score -= top + std::log(sum);
  }

  const History history_;
  const std::int64_t width_;
  std::vector<double> local_;
  std::vector<Prefix> all_, reached_;
  std::int64_t first_ = 0;
};

}  // namespace

void decode_prefixes(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                     const History& history, std::int64_t width, std::int32_t* labels,
                     double* scores, ThreadPool& pool) {
  pool.ranges(sentences, kGrain, [&](std::int64_t first, std::int64_t last) {
    PrefixSearch search(history, width);
    for (std::int64_t s = first; s < last; ++s) {
      pool.checkpoint();
      scores[s] = search.best(state + sentence[s] * history.labels, sentence[s + 1] - sentence[s],
                              labels + sentence[s]);
    }
  });
}

}  // namespace linnet::chain
