// The objective of a CRF and its gradient (crf.hpp).
#include "crf.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../structures/abreast.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kBlockTokens = 512;   // a block is what one thread takes at a time
constexpr std::int64_t kChunkTokens = 8192;  // residuals kept at once
constexpr double kBend = 0.4;                // power of the counts in the first guess
constexpr std::int64_t kSample = 8;          // a sample is one block in so many,
constexpr std::int64_t kWorthIt = 1 << 16;   // taken where there are so many tokens
constexpr double kNearEnough = 1e-2;         // the gap to which its optimum is found
constexpr std::int64_t kGap = chain::Packed::kRoom + 1;

// Sentences first .. last - 1.
struct Stretch {
  std::int64_t first, last;
};

// Work goes chunk by chunk. First, threads take blocks of sentences and leave the residuals of
// their tokens; then each takes a range of features and adds up their gradient. So every sum has
// one order of terms whatever the number of threads, and no thread needs a gradient of its own.
class CrfObjective final : public Objective {
 public:
  // Of one block in `every`.
  CrfObjective(const ChainProblem& problem, std::int64_t every, ThreadPool& pool)
      : problem_(problem), pool_(pool) {
    const std::vector<Stretch> all = cut({0, problem.sentences.sentences}, kBlockTokens);
    for (std::size_t b = 0; b < all.size(); b += static_cast<std::size_t>(every)) {
      blocks_.push_back(all[b]);
    }
    std::int64_t longest = 0;
    for (std::size_t b = 0; b < blocks_.size();) {
      std::size_t e = b;
      std::int64_t tokens = 0;
      while (e < blocks_.size() && (e == b || tokens + tokens_of(blocks_[e]) <= kChunkTokens)) {
        rows_before_.push_back(tokens);
        tokens += tokens_of(blocks_[e++]);
      }
      chunks_.push_back({static_cast<std::int64_t>(b), static_cast<std::int64_t>(e)});
      longest = std::max(longest, tokens);
      most_blocks_ = std::max(most_blocks_, static_cast<std::int64_t>(e - b));
      b = e;
    }
    residual_.resize(static_cast<std::size_t>(longest * problem.labels + most_blocks_ * kGap));
    losses_.resize(static_cast<std::size_t>(most_blocks_));
    weights_ = problem.packed->empty();
    if (!problem.frozen) return;
    frozen_.resize(static_cast<std::size_t>(size()));
    problem.packed->in_order(problem.frozen, frozen_.data());
  }

  std::int64_t size() const override { return problem_.weights(); }
  double l2(std::int64_t) const override { return problem_.l2; }

  double evaluate(const double* w, double* gradient) override {
    if (sums_.empty()) sums_ = problem_.packed->empty();
    loss_ = walk(w, sums_.data());
    problem_.packed->collect(sums_.data(), gradient, pool_);
    for (std::size_t k = 0; k < frozen_.size(); ++k) {
      if (frozen_[k]) gradient[k] = 0.0;
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

  bool has_hessian() const override { return false; }
  void hessian_times(const double*, double*) override { no_hessian(); }
  void hessian_diagonal(double*) override { no_hessian(); }

  // The more often a feature meets a label, the more the losses bend along its weight. They do so
  // less and less as the fit gets better, hence a power well below 1; with it the fit takes about
  // two thirds of the iterations.
  const double* first_guess() override {
    if (!guess_.empty()) return guess_.data();
    const Ragged& x = problem_.sentences;
    if (sums_.empty()) sums_ = problem_.packed->empty();
    double* const buffer = sums_.data();
    pool_.run(pool_.threads(), [&](std::int64_t part) {
      for (std::int64_t s = 0; s < x.sentences; ++s) {
        problem_.packed->count(problem_.gold, problem_.cost[s], x.start[s], x.start[s + 1], part,
                               pool_.threads(), buffer);
      }
    });
    double* const transition = buffer + problem_.packed->tail();
    add_gold_pairs({0, x.sentences}, 1.0, buffer);
    double* const start = transition + std::int64_t{problem_.labels} * problem_.labels;
    for (std::int64_t s = 0; s < x.sentences; ++s) {
      if (x.length(s) == 0) continue;
      start[problem_.gold[x.start[s]]] += problem_.cost[s];
      start[problem_.labels + problem_.gold[x.start[s + 1] - 1]] += problem_.cost[s];
    }
    guess_.resize(static_cast<std::size_t>(size()));
    problem_.packed->collect(buffer, guess_.data(), pool_);
    pool_.ranges(size(), 4096, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k) guess_[k] = std::pow(1.0 + guess_[k], -kBend);
    });
    return guess_.data();
  }

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

  std::int64_t tokens_of(const Stretch& block) const {
    return problem_.sentences.start[block.last] - problem_.sentences.start[block.first];
  }

  // Where the residuals of a block of a chunk begin. Scores are written by whole vectors, so there
  // is a gap before those of the next, which another thread may be writing.
  double* rows_of(const Stretch& chunk, std::int64_t b) {
    return residual_.data() + rows_before_[chunk.first + b] * problem_.labels + b * kGap;
  }

  // The sum of the losses; with a buffer, the gradient of the losses is added to it.
  double walk(const double* w, double* buffer) {
    const chain::Packed& packed = *problem_.packed;
    packed.fill(w, weights_.data(), pool_);
    const chain::Potentials p = packed.potentials(weights_.data(), triples_);
    const chain::Exponentials e(p, problem_.following);
    std::optional<chain::Neighbours> lists;
    if (e.sparse) lists.emplace(e);
    std::vector<chain::PairSums> sums(buffer ? static_cast<std::size_t>(most_blocks_) : 0,
                                      chain::PairSums(e));
    double* const transition = buffer ? buffer + packed.tail() : nullptr;
    double* const triples = buffer && p.second ? buffer + packed.triples() : nullptr;
    double total = 0.0;
    for (const Stretch& chunk : chunks_) {
      const std::int64_t blocks = chunk.last - chunk.first;
      pool_.run(blocks, [&](std::int64_t b) {
        pool_.checkpoint();
        if (buffer) sums[b].clear();
        const Stretch& block = blocks_[chunk.first + b];
        double* const rows = rows_of(chunk, b);
        packed.score(weights_.data(), problem_.sentences.start[block.first],
                     problem_.sentences.start[block.last], rows);
        losses_[b] = residuals(block, rows, p, e, lists, buffer ? &sums[b] : nullptr);
      });
      for (std::int64_t b = 0; b < blocks; ++b) {
        total += losses_[b];
        if (buffer) sums[b].add_to(transition, triples, e);
      }
      if (!buffer) continue;
      pool_.run(pool_.threads(), [&](std::int64_t part) {
        for (std::int64_t b = 0; b < blocks; ++b) {
          pool_.checkpoint();
          const Stretch& own = blocks_[chunk.first + b];
          packed.add(rows_of(chunk, b), problem_.sentences.start[own.first],
                     problem_.sentences.start[own.last], part, pool_.threads(), buffer);
        }
      });
      for (std::int64_t b = 0; b < blocks; ++b) {
        add_borders(blocks_[chunk.first + b], rows_of(chunk, b), transition);
      }
    }
    for (std::size_t b = 0; buffer && b < blocks_.size(); ++b) {
      add_gold_pairs(blocks_[b], -1.0, buffer);
    }
    return total;
  }

  // Replaces the state scores of a block by cost * (marginals - gold); returns the sum of losses.
  double residuals(const Stretch& block, double* rows, const chain::Potentials& p,
                   const chain::Exponentials& e, const std::optional<chain::Neighbours>& lists,
                   chain::PairSums* pairs) const {
    thread_local chain::Marginals marginals;
    thread_local chain::Abreast abreast;
    thread_local std::vector<double> log_z, right;
    const std::int64_t* const start = problem_.sentences.start;
    const std::int32_t L = problem_.labels;
    const double* const cost = problem_.cost;
    const auto row = [&](std::int64_t s) { return rows + (start[s] - start[block.first]) * L; };
    log_z.resize(static_cast<std::size_t>(block.last - block.first));
    right.resize(log_z.size());
    for (std::int64_t s = block.first; s < block.last; ++s) {
      right[s - block.first] =
          chain::score(row(s), problem_.sentences.length(s), p, problem_.gold + start[s]);
    }
    if (lists) {
      abreast.run(rows, start, block.first, block.last, p, e, *lists, cost, pairs, log_z.data());
    } else {
      for (std::int64_t s = block.first; s < block.last; ++s) {
        log_z[s - block.first] =
            marginals.run(row(s), problem_.sentences.length(s), p, e, pairs, cost[s]);
      }
    }
    double total = 0.0;
    for (std::int64_t s = block.first; s < block.last; ++s) {
      const std::int64_t n = problem_.sentences.length(s);
      if (n > 0) total += cost[s] * (log_z[s - block.first] - right[s - block.first]);
      if (!pairs) continue;
      for (std::int64_t t = 0; t < n; ++t) row(s)[t * L + problem_.gold[start[s] + t]] -= 1.0;
      if (cost[s] != 1.0) {
        for (std::int64_t k = 0; k < n * L; ++k) row(s)[k] *= cost[s];
      }
    }
    return total;
  }

  // The residuals of first and last tokens are those of start and stop.
  void add_borders(const Stretch& block, const double* rows, double* transition) const {
    const Ragged& x = problem_.sentences;
    const std::int32_t L = problem_.labels;
    double* const start = transition + std::int64_t{L} * L;
    double* const stop = start + L;
    for (std::int64_t s = block.first; s < block.last; ++s) {
      if (x.length(s) == 0) continue;
      const double* const first = rows + (x.start[s] - x.start[block.first]) * L;
      const double* const last = rows + (x.start[s + 1] - 1 - x.start[block.first]) * L;
      for (std::int32_t l = 0; l < L; ++l) {
        start[l] += first[l];
        stop[l] += last[l];
      }
    }
  }

  void add_gold_pairs(const Stretch& block, double factor, double* buffer) const {
    const Ragged& x = problem_.sentences;
    double* const transition = buffer + problem_.packed->tail();
    double* const triples = buffer + std::max<std::int64_t>(problem_.packed->triples(), 0);
    const std::uint8_t* const weighs = problem_.following.triple;
    for (std::int64_t s = block.first; s < block.last; ++s) {
      each_neighbours(problem_.gold + x.start[s], x.length(s), problem_.labels, problem_.order,
                      [&](std::int64_t pair, std::int64_t triple) {
                        transition[pair] += factor * problem_.cost[s];
                        if (triple < 0 || (weighs && !weighs[triple])) return;
                        triples[triple] += factor * problem_.cost[s];
                      });
    }
  }

  const ChainProblem problem_;
  ThreadPool& pool_;
  std::vector<Stretch> blocks_, chunks_;   // chunks are ranges of blocks
  std::int64_t most_blocks_ = 0;           // in a chunk
  std::vector<std::int64_t> rows_before_;  // [blocks] tokens of its chunk that come before it
  std::vector<double> residual_, losses_;
  chain::Buffer weights_, sums_;      // sums_ is all zeros between evaluations
  std::vector<double> triples_;       // their scores at the weights at hand
  std::vector<double> guess_;         // of the inverse Hessian, or empty
  std::vector<std::uint8_t> frozen_;  // in the order of use, or empty
  double loss_ = 0.0, agreement_ = 0.0;
};

// Lets a run be stopped, and keeps its iterations to itself.
class Quiet final : public Progress {
 public:
  explicit Quiet(Progress& progress) : progress_(progress) {}
  void poll() override { progress_.poll(); }
  bool record(const Iteration&) override { return true; }

 private:
  Progress& progress_;
};

}  // namespace

std::unique_ptr<Objective> crf_objective(const ChainProblem& problem, ThreadPool& pool) {
  return std::make_unique<CrfObjective>(problem, 1, pool);
}

void begin_on_sample(const ChainProblem& problem, double* w, const BatchOptions& options,
                     int threads, Progress& progress) {
  const Ragged& x = problem.sentences;
  if (x.start[x.sentences] - x.start[0] < kWorthIt) return;
  Quiet quiet(progress);
  ThreadPool pool(threads, quiet);
  ChainProblem few = problem;
  few.l2 *= 0.5;  // between the penalty of the whole and the sample's share of it
  BatchOptions rough = options;
  rough.tolerance = std::max(options.tolerance, kNearEnough);
  CrfObjective sample(few, kSample, pool);
  lbfgs(sample, w, rough, pool);
}

}  // namespace linnet
