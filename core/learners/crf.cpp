#include "crf.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "../structures/pairs.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kBlockTokens = 512;   // a block is what one thread takes at a time
constexpr std::int64_t kChunkTokens = 8192;  // residuals kept at once

// Sentences first .. last - 1.
struct Stretch {
  std::int64_t first, last;
};

// Work goes chunk by chunk. First, threads take blocks of sentences and leave the residuals of
// their tokens; then each takes a range of features and adds up their gradient. So every sum has
// one order of terms whatever the number of threads, and no thread needs a gradient of its own.
class CrfObjective final : public Objective {
 public:
  CrfObjective(const ChainProblem& problem, ThreadPool& pool) : problem_(problem), pool_(pool) {
    const Ragged& x = problem.sentences;
    blocks_ = cut({0, x.sentences}, kBlockTokens);
    std::int64_t longest = 0;
    for (std::size_t b = 0; b < blocks_.size();) {
      std::size_t e = b;
      const std::int64_t begin = x.start[blocks_[b].first];
      while (e < blocks_.size() && (e == b || x.start[blocks_[e].last] - begin <= kChunkTokens))
        ++e;
      chunks_.push_back({static_cast<std::int64_t>(b), static_cast<std::int64_t>(e)});
      longest = std::max(longest, x.start[blocks_[e - 1].last] - begin);
      most_blocks_ = std::max(most_blocks_, static_cast<std::int64_t>(e - b));
      b = e;
    }
    residual_.resize(static_cast<std::size_t>(longest) * problem.labels);
    losses_.resize(static_cast<std::size_t>(most_blocks_));
    share_features();
  }

  std::int64_t size() const override { return problem_.weights(); }
  double l2(std::int64_t) const override { return problem_.l2; }

  double evaluate(const double* w, double* gradient) override {
    std::fill(gradient, gradient + size(), 0.0);
    loss_ = walk(w, gradient);
    if (problem_.frozen) {
      for (std::int64_t k = 0; k < size(); ++k) {
        if (problem_.frozen[k]) gradient[k] = 0.0;
      }
    }
    agreement_ = 0.0;
    double penalty = 0.0;
    for (std::int64_t k = 0; k < size(); ++k) {
      agreement_ += w[k] * gradient[k];
      penalty += w[k] * w[k];
      gradient[k] += problem_.l2 * w[k];
    }
    return loss_ + 0.5 * problem_.l2 * penalty;
  }

  double value(const double* w) override {
    double penalty = 0.0;
    for (std::int64_t k = 0; k < size(); ++k) penalty += w[k] * w[k];
    return walk(w, nullptr) + 0.5 * problem_.l2 * penalty;
  }

  void hessian_times(const double*, double*) override { no_hessian(); }
  void hessian_diagonal(double*) override { no_hessian(); }

  // At the point itself the conjugate is w . (gradient of the losses) - losses; it is convex and 0
  // at 0, so a share of it bounds the value for a dual point pulled towards zero.
  double conjugate_sum(double shrink) override { return shrink * (agreement_ - loss_); }

 private:
  [[noreturn]] static void no_hessian() { throw std::logic_error("the CRF has no Hessian here"); }

  std::vector<Stretch> cut(Stretch all, std::int64_t tokens) const {
    std::vector<Stretch> out;
    const std::int64_t* const start = problem_.sentences.start;
    for (std::int64_t s = all.first; s < all.last;) {
      std::int64_t e = s + 1;
      while (e < all.last && start[e + 1] - start[s] <= tokens) ++e;
      out.push_back({s, e});
      s = e;
    }
    return out;
  }

  // Ranges of features of about equal work, one for each thread.
  void share_features() {
    const Pairs& pairs = problem_.pairs;
    std::vector<std::int64_t> work(static_cast<std::size_t>(pairs.features) + 1, 0);
    std::visit(
        [&](const auto& x) {
          for (std::int64_t k = 0; k < x.stored(); ++k) {
            const std::int32_t j = x.index[k];
            work[j + 1] += 4 + pairs.start[j + 1] - pairs.start[j];
          }
        },
        problem_.sentences.tokens);
    for (std::size_t j = 1; j < work.size(); ++j) work[j] += work[j - 1];
    const std::int64_t parts = pool_.threads();
    edges_.assign(1, 0);
    for (std::int64_t p = 1; p <= parts; ++p) {
      const std::int64_t wanted = work.back() / parts * p;
      const auto at = std::lower_bound(work.begin(), work.end(), wanted) - work.begin();
      edges_.push_back(
          p == parts ? pairs.features
                     : std::max(edges_.back(), static_cast<std::int32_t>(
                                                   std::min<std::int64_t>(at, pairs.features))));
    }
  }

  // The sum of the losses; with a gradient, that of the losses is added to it.
  double walk(const double* w, double* gradient) {
    const Ragged& x = problem_.sentences;
    const std::int32_t L = problem_.labels;
    const chain::Potentials p = problem_.potentials(w);
    const chain::Exponentials e(p, problem_.following);
    std::vector<chain::PairSums> sums(gradient ? static_cast<std::size_t>(most_blocks_) : 0,
                                      chain::PairSums(e));
    double* const transition = gradient ? gradient + problem_.pairs.size() : nullptr;
    double total = 0.0;
    for (const Stretch& chunk : chunks_) {
      const std::int64_t begin = x.start[blocks_[chunk.first].first];
      const std::int64_t end = x.start[blocks_[chunk.last - 1].last];
      pool_.run(chunk.last - chunk.first, [&](std::int64_t b) {
        thread_local chain::Marginals marginals;
        pool_.checkpoint();
        losses_[b] = 0.0;
        if (gradient) sums[b].clear();
        const Stretch& block = blocks_[chunk.first + b];
        double* const rows = residual_.data() + (x.start[block.first] - begin) * L;
        chain::state_scores(x.tokens, problem_.pairs, w, L, x.start[block.first],
                            x.start[block.last], rows);
        for (std::int64_t s = block.first; s < block.last; ++s) {
          losses_[b] += sentence(s, residual_.data() + (x.start[s] - begin) * L, p, e, marginals,
                                 gradient ? &sums[b] : nullptr);
        }
      });
      for (std::int64_t b = 0; b < chunk.last - chunk.first; ++b) {
        total += losses_[b];
        if (gradient) sums[b].add_to(transition, e);
      }
      if (!gradient) continue;
      pool_.run(static_cast<std::int64_t>(edges_.size()) - 1, [&](std::int64_t part) {
        chain::add_state_gradient(x.tokens, problem_.pairs, residual_.data(), L, begin, end,
                                  edges_[part], edges_[part + 1], gradient);
      });
      add_borders(chunk, begin, gradient);
    }
    if (gradient) subtract_gold_pairs(transition);
    return total;
  }

  // Replaces the state scores of a sentence by cost * (marginals - gold); returns its loss.
  double sentence(std::int64_t s, double* rows, const chain::Potentials& p,
                  const chain::Exponentials& e, chain::Marginals& marginals,
                  chain::PairSums* pairs) const {
    const std::int64_t n = problem_.sentences.length(s);
    const std::int32_t* const gold = problem_.gold + problem_.sentences.start[s];
    const double cost = problem_.cost[s];
    const double right = chain::score(rows, n, p, gold);
    const double log_z = marginals.run(rows, n, p, e, pairs, cost);
    if (pairs) {
      const std::int32_t L = problem_.labels;
      for (std::int64_t t = 0; t < n; ++t) rows[t * L + gold[t]] -= 1.0;
      if (cost != 1.0) {
        for (std::int64_t k = 0; k < n * L; ++k) rows[k] *= cost;
      }
    }
    return n > 0 ? cost * (log_z - right) : 0.0;
  }

  // The residuals of first and last tokens are those of start and stop.
  void add_borders(const Stretch& chunk, std::int64_t begin, double* gradient) const {
    const Ragged& x = problem_.sentences;
    const std::int32_t L = problem_.labels;
    double* const start = gradient + problem_.pairs.size() + std::int64_t{L} * L;
    double* const stop = start + L;
    for (std::int64_t s = blocks_[chunk.first].first; s < blocks_[chunk.last - 1].last; ++s) {
      if (x.length(s) == 0) continue;
      const double* const first = residual_.data() + (x.start[s] - begin) * L;
      const double* const last = residual_.data() + (x.start[s + 1] - 1 - begin) * L;
      for (std::int32_t l = 0; l < L; ++l) {
        start[l] += first[l];
        stop[l] += last[l];
      }
    }
  }

  void subtract_gold_pairs(double* transition) const {
    const Ragged& x = problem_.sentences;
    for (std::int64_t s = 0; s < x.sentences; ++s) {
      for (std::int64_t t = x.start[s] + 1; t < x.start[s + 1]; ++t) {
        transition[std::int64_t{problem_.gold[t - 1]} * problem_.labels + problem_.gold[t]] -=
            problem_.cost[s];
      }
    }
  }

  const ChainProblem problem_;
  ThreadPool& pool_;
  std::vector<Stretch> blocks_, chunks_;  // chunks are ranges of blocks
  std::int64_t most_blocks_ = 0;          // in a chunk
  std::vector<std::int32_t> edges_;       // of the threads' features
  std::vector<double> residual_, losses_;
  double loss_ = 0.0, agreement_ = 0.0;
};

}  // namespace

std::unique_ptr<Objective> crf_objective(const ChainProblem& problem, ThreadPool& pool) {
  return std::make_unique<CrfObjective>(problem, pool);
}

}  // namespace linnet
