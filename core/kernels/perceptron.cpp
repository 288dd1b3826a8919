#include "kernels/perceptron.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/row_cache.hpp"
#include "random.hpp"

namespace linnet {
namespace {

class Run {
 public:
  Run(KernelRows<double>& rows, const std::int32_t* gold, std::int64_t n, std::int32_t classes,
      const KernelRounds& how, const KernelCounts& out)
      : cache_(rows, n, n, how.cache_bytes),
        gold_(gold),
        n_(n),
        columns_(classes == 2 ? 1 : classes),
        tie_(how.tie),
        out_(out),
        scores_(static_cast<std::size_t>(n * columns_)) {}

  // Takes one example; whether it caused an update.
  bool take(std::int64_t k) {
    const bool wrong = columns_ == 1 ? take_binary(k) : take_several(k);
    ++steps_;
    return wrong;
  }

 private:
  bool take_binary(std::int64_t k) {
    const double y = gold_[k] == 1 ? 1.0 : -1.0, score = scores_[static_cast<std::size_t>(k)];
    const double margin = y * score;
    const bool wrong = tie_ == KernelTie::sign          ? (score >= 0.0) != (y > 0.0)
                       : tie_ == KernelTie::nonpositive ? margin <= 0.0
                                                        : margin < 0.0;
    if (wrong) add(k, 0, y);
    return wrong;
  }

  bool take_several(std::int64_t k) {
    const double* scores = scores_.data() + k * columns_;
    const auto guess =
        static_cast<std::int32_t>(std::max_element(scores, scores + columns_) - scores);
    if (guess == gold_[k]) return false;
    add(k, gold_[k], 1.0);
    add(k, guess, -1.0);
    return true;
  }

  void add(std::int64_t k, std::int32_t column, double change) {
    out_.beta[k * columns_ + column] += change;
    out_.late[k * columns_ + column] += change * static_cast<double>(steps_);
    const double* row = cache_.row(k, n_);
    double* scores = scores_.data() + column;
    for (std::int64_t i = 0; i < n_; ++i) scores[i * columns_] += change * row[i];
  }

  RowCache<double> cache_;
  const std::int32_t* gold_;
  const std::int64_t n_;
  const std::int32_t columns_;
  const KernelTie tie_;
  const KernelCounts out_;
  std::vector<double> scores_;  // [examples][columns]
  std::int64_t steps_ = 0;      // examples seen
};

}  // namespace

std::int64_t kernel_perceptron(const KernelSource& source, const Kernel& kernel,
                               const std::int32_t* gold, std::int64_t examples,
                               std::int32_t classes, const KernelRounds& how,
                               const KernelCounts& out, ThreadPool& pool) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(examples));
  std::iota(ids.begin(), ids.end(), 0);
  std::unique_ptr<DataRows<double>> data;
  std::unique_ptr<KernelRows<double>> rows;
  if (const auto* gram = std::get_if<Gram>(&source)) {
    rows = std::make_unique<TableRows<double>>(gram->values, examples, kernel.shift, ids.data(),
                                               examples);
  } else {
    data = std::make_unique<DataRows<double>>(std::get<AnyCsr>(source));
    rows = std::make_unique<ComputedRows<double, double>>(*data, kernel, ids.data(), examples);
  }
  Run run(*rows, gold, examples, classes, how, out);
  std::vector<std::int64_t> order(ids.begin(), ids.end());
  for (std::int64_t round = 0; round < how.rounds; ++round) {
    if (how.shuffle) {
      permutation(order.data(), examples, how.seed, static_cast<std::uint64_t>(round));
    }
    std::int64_t mistakes = 0;
    for (std::int64_t k = 0; k < examples; ++k) {
      mistakes += run.take(order[static_cast<std::size_t>(k)]);
      if (k % 32 == 0) pool.checkpoint();
    }
    out.mistakes[round] = mistakes;
    if (how.stop_when_clean && mistakes == 0) return round + 1;
  }
  return how.rounds;
}

}  // namespace linnet
