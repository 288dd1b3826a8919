#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "dual_cd.hpp"
#include "sleepers.hpp"

namespace linnet {
namespace {

constexpr std::int32_t kWidest = 24;           // columns of a group
constexpr std::int64_t kGrain = 256;           // rows per block of the gap
constexpr std::int64_t kRowsPerCheck = 2048;   // rows between checkpoints of an epoch
constexpr double kNegligible = 0.1;            // of the tolerated gap per row: such a row may sleep

// The log-odds u of alpha' = cost sigmoid(u) at the optimum of one coordinate:
//   u + m + q cost sigmoid(u) = 0,      m = margin - q alpha.
// The left side rises with slope >= 1, so Newton inside the bracket [-m - q cost, -m] is safe.
double log_coordinate(double u, double m, double q_cost) {
  double low = -m - q_cost, high = -m;
  u = std::clamp(u, low, high);
  for (int round = 0; round < 50; ++round) {
    const double p = sigmoid(u);
    const double g = u + m + q_cost * p;
    (g > 0.0 ? high : low) = u;
    const double next = u - g / (1.0 + q_cost * p * (1.0 - p));
    u = next >= low && next <= high ? next : 0.5 * (low + high);
    if (std::abs(g) <= 1e-5) break;  // Newton has squared the error by now
  }
  return u;
}

// A group of columns that share their sweeps over the data and a slice of the weights.
template <class V>
class Group {
 public:
  Group(const Csr<V>& x, const Examples& examples, const DualOptions& options, double* alpha,
        std::int32_t first, std::int32_t width)
      : x_(x),
        examples_(examples),
        options_(options),
        alpha_(alpha),
        first_(first),
        width_(width),
        weights_(static_cast<std::size_t>(x.cols + 1) * width),
        done_(static_cast<std::size_t>(width), 0),
        negligible_(static_cast<std::size_t>(width)),
        objective_(static_cast<std::size_t>(width)),
        gap_(static_cast<std::size_t>(width)),
        norms_(static_cast<std::size_t>(x.rows), -1.0),
        sleepers_(x.rows) {
    if (options.loss == Loss::log) {
      odds_.resize(static_cast<std::size_t>(x.rows) * width);
      for (std::int64_t i = 0; i < x.rows; ++i) {
        for (std::int32_t c = 0; c < width; ++c) {
          const double a = dual(i, c), cost = examples.cost[i];
          odds_[i * width + c] = std::log(a) - std::log(cost - a);  // -inf at a = 0
        }
      }
    }
    rebuild_weights();
  }

  // One pass over the rows that are awake.
  void epoch(std::int64_t number, ThreadPool& pool) {
    const auto& order = sleepers_.awake(number, options_.seed);
    estimate_ = 0.0;
    work_ = 0;
    const auto n = static_cast<std::int64_t>(order.size());
    for (std::int64_t k = 0; k < n; ++k) {
      if (k % kRowsPerCheck == 0) pool.checkpoint();
      if (k + 2 < n) prefetch(order[k + 2]);
      visit(order[k], number);
    }
  }

  // Adds rows first..last-1 to `loss` and `conjugate` of each column.
  void evaluate(std::int64_t first, std::int64_t last, double* loss, double* conjugate) const {
    std::vector<double> scores(static_cast<std::size_t>(width_));
    for (std::int64_t i = first; i < last; ++i) {
      const double cost = examples_.cost[i];
      if (cost == 0.0) continue;
      if (!zero_) score(i, scores.data());
      for (std::int32_t c = 0; c < width_; ++c) {
        loss[c] += cost * loss::value(options_.loss, sign(i, c) * scores[c]);
        conjugate[c] += cost * loss::conjugate(options_.loss, dual(i, c) / cost);
      }
    }
  }

  // Takes the sums of `evaluate` over all rows: the primal and the gap of each column.
  void certify(const double* loss, const double* conjugate) {
    const std::int64_t rows = x_.cols + (examples_.bias != 0.0 ? 1 : 0);
    std::vector<double> squares(static_cast<std::size_t>(width_));
    for (std::int64_t j = 0; j < rows; ++j) {
      for (std::int32_t c = 0; c < width_; ++c) {
        squares[c] += weights_[j * width_ + c] * weights_[j * width_ + c];
      }
    }
    for (std::int32_t c = 0; c < width_; ++c) {
      objective_[c] = 0.5 * squares[c] + loss[c];
      gap_[c] = std::max(0.0, squares[c] + loss[c] + conjugate[c]);
      done_[c] = gap_[c] <= options_.tolerance * objective_[c];
      negligible_[c] = kNegligible * options_.tolerance * objective_[c] /
                       static_cast<double>(std::max<std::int64_t>(1, x_.rows));
    }
  }

  void wake_all() { sleepers_.wake_all(); }
  bool done() const { return std::all_of(done_.begin(), done_.end(), [](char d) { return d; }); }
  double objective() const { return sum(objective_); }
  double gap() const { return sum(gap_); }
  double estimate() const { return estimate_; }
  std::int64_t work() const { return work_; }

  void copy_weights(double* out, std::int32_t columns) const {
    const std::int64_t rows = x_.cols + (examples_.bias != 0.0 ? 1 : 0);
    for (std::int64_t j = 0; j < rows; ++j) {
      for (std::int32_t c = 0; c < width_; ++c) {
        out[j * columns + first_ + c] = weights_[j * width_ + c];
      }
    }
  }

 private:
  static double sum(const std::vector<double>& values) {
    double total = 0.0;
    for (double value : values) total += value;
    return total;
  }

  double& dual(std::int64_t i, std::int32_t c) {
    return alpha_[i * examples_.columns() + first_ + c];
  }
  double dual(std::int64_t i, std::int32_t c) const {
    return alpha_[i * examples_.columns() + first_ + c];
  }
  double sign(std::int64_t i, std::int32_t c) const {
    const std::int32_t positive = examples_.classes == 2 ? 1 : first_ + c;
    return examples_.gold[i] == positive ? 1.0 : -1.0;
  }

  void prefetch(std::int64_t i) const {
    const std::int64_t begin = x_.start[i], end = std::min(x_.start[i + 1], begin + 256);
    for (std::int64_t k = begin; k < end; k += 16) {
      LINNET_PREFETCH(x_.index + k);
      if constexpr (!std::is_same_v<V, Unit>) LINNET_PREFETCH(x_.value + k);
    }
  }

  void score(std::int64_t i, double* out) const {
    flat::score(x_.row(i), weights_.data(), width_, out);
    if (examples_.bias == 0.0) return;
    const double* row = weights_.data() + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += examples_.bias * row[c];
  }

  void add(std::int64_t i, const double* amount) {
    flat::add(x_.row(i), amount, width_, weights_.data());
    if (examples_.bias == 0.0) return;
    double* row = weights_.data() + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) row[c] += examples_.bias * amount[c];
  }

  void rebuild_weights() {
    double amount[kWidest];
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      bool any = false;
      for (std::int32_t c = 0; c < width_; ++c) {
        amount[c] = sign(i, c) * dual(i, c);
        any |= amount[c] != 0.0;
      }
      if (any) add(i, amount), zero_ = false;
    }
  }

  void visit(std::int32_t i, std::int64_t number) {
    double scores[kWidest], amount[kWidest];
    const double cost = examples_.cost[i];
    score(i, scores);
    work_ += x_.start[i + 1] - x_.start[i];
    bool mattered = false, moved = false;
    for (std::int32_t c = 0; c < width_; ++c) {
      amount[c] = 0.0;
      if (done_[c]) continue;
      const double y = sign(i, c), margin = y * scores[c], a = dual(i, c);
      const double part = share(i, c, margin, a, cost);
      estimate_ += part;
      if (part <= negligible_[c]) continue;
      mattered = true;
      const double next = optimum(i, c, margin, a, cost);
      amount[c] = y * (next - a);
      moved |= next != a;
      dual(i, c) = next;
    }
    if (moved) add(i, amount), zero_ = false;
    sleepers_.visited(i, number, mattered);
  }

  double norm(std::int64_t i) {
    double& q = norms_[i];
    if (q < 0.0) q = flat::squared_norm(x_.row(i)) + examples_.bias * examples_.bias;
    return q;
  }

  // What column c of row i adds to the duality gap.
  double share(std::int64_t i, std::int32_t c, double margin, double a, double cost) const {
    if (cost == 0.0) return 0.0;
    if (options_.loss == Loss::log && a > 0.0) {
      // cost * KL(a / cost || sigmoid(-margin)), to second order in the difference of log-odds
      const double difference = odds_[i * width_ + c] + margin, p = a / cost;
      return 0.5 * cost * p * (1.0 - p) * difference * difference;
    }
    return cost * (loss::value(options_.loss, margin) + loss::conjugate(options_.loss, a / cost)) +
           a * margin;
  }

  // The best value of one dual variable when all others stay.
  double optimum(std::int64_t i, std::int32_t c, double margin, double a, double cost) {
    const double q = norm(i);
    switch (options_.loss) {
      case Loss::hinge:
        if (q == 0.0) return cost;  // a row of zeros has margin 0 < 1 whatever the weights
        return std::clamp(a - (margin - 1.0) / q, 0.0, cost);
      case Loss::squared_hinge: {
        const double slack = 1.0 / (2.0 * cost);
        return std::max(0.0, a - (margin - 1.0 + slack * a) / (q + slack));
      }
      default: {
        double& u = odds_[i * width_ + c];
        u = log_coordinate(u, margin - q * a, q * cost);
        return cost * sigmoid(u);
      }
    }
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const DualOptions& options_;
  double* alpha_;  // [rows][columns]
  const std::int32_t first_, width_;
  std::vector<double> weights_;  // [J + 1][width]
  std::vector<double> odds_;     // [rows][width] log(alpha / (cost - alpha)), log loss only
  std::vector<char> done_;       // [width]
  std::vector<double> negligible_, objective_, gap_;  // [width]
  std::vector<double> norms_;  // [rows] |x_i|^2 with the bias; -1 until the row is first visited
  Sleepers sleepers_;
  bool zero_ = true;       // all weights are still 0
  double estimate_ = 0.0;  // sum of the gap shares met during the epoch
  std::int64_t work_ = 0;  // stored values read during the epoch
};

template <class V>
class ColumnsSolver {
 public:
  ColumnsSolver(const Csr<V>& x, const Examples& examples, const DualOptions& options,
                double* alpha, ThreadPool& pool)
      : x_(x), examples_(examples), options_(options), pool_(pool) {
    const std::int32_t columns = examples.columns();
    // Wide groups read the data less often; an even number of them keeps two threads equally busy.
    // The number never depends on how many threads run.
    const std::int32_t count = columns == 1 ? 1 : 2 * ((columns + 2 * kWidest - 1) / (2 * kWidest));
    groups_.resize(static_cast<std::size_t>(count));
    pool.run(count, [&](std::int64_t g) {
      const auto first = static_cast<std::int32_t>(g * columns / count);
      const auto next = static_cast<std::int32_t>((g + 1) * columns / count);
      groups_[g] = std::make_unique<Group<V>>(x_, examples_, options_, alpha, first, next - first);
    });
  }

  void solve(double* weights) {
    certify(0);
    double previous = 0.0;
    std::int64_t unchecked = 0;  // stored values read since the last certificate
    for (std::int64_t epoch = 1; epoch <= options_.max_epochs && !finished_; ++epoch) {
      pool_.run(static_cast<std::int64_t>(groups_.size()), [&](std::int64_t g) {
        if (!groups_[g]->done()) groups_[g]->epoch(epoch, pool_);
      });
      double estimate = 0.0;
      for (const auto& group : groups_) {
        if (!group->done()) estimate += group->estimate(), unchecked += group->work();
      }
      // The shares were met before each step, while the weights improved: half of them, times the
      // trend, is where they stand now.
      const double trend = previous > 0.0 ? std::min(1.0, estimate / previous) : 1.0;
      previous = estimate;
      const bool looks_done = 0.5 * estimate * trend <= options_.tolerance * objective_;
      const bool cheap = unchecked >= 10 * x_.stored() * static_cast<std::int64_t>(groups_.size());
      if (looks_done || cheap || epoch == options_.max_epochs) {
        certify(epoch);
        unchecked = 0;
        if (looks_done && !finished_) {
          for (auto& group : groups_) group->wake_all();
        }
      }
    }
    for (const auto& group : groups_) group->copy_weights(weights, examples_.columns());
  }

 private:
  // Measures primal and gap with all threads, records them.
  void certify(std::int64_t epoch) {
    const std::int64_t blocks = (x_.rows + kGrain - 1) / kGrain;
    const auto count = static_cast<std::int64_t>(groups_.size());
    std::vector<double> parts(static_cast<std::size_t>(blocks * count * 2 * kWidest));
    pool_.run(blocks * count, [&](std::int64_t job) {
      const std::int64_t block = job % blocks;
      double* sums = parts.data() + job * 2 * kWidest;
      groups_[job / blocks]->evaluate(block * kGrain, std::min(x_.rows, (block + 1) * kGrain), sums,
                                      sums + kWidest);
    });
    pool_.run(count, [&](std::int64_t g) {
      double sums[2 * kWidest] = {};
      for (std::int64_t block = 0; block < blocks; ++block) {
        const double* part = parts.data() + (g * blocks + block) * 2 * kWidest;
        for (std::int32_t k = 0; k < 2 * kWidest; ++k) sums[k] += part[k];
      }
      groups_[g]->certify(sums, sums + kWidest);
    });
    objective_ = 0.0;
    double gap = 0.0;
    for (const auto& group : groups_) objective_ += group->objective(), gap += group->gap();
    finished_ = !pool_.progress().record({epoch, objective_, gap, 0.0, 0.0}) ||
                gap <= options_.tolerance * objective_;
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const DualOptions& options_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<Group<V>>> groups_;
  double objective_ = 0.0;
  bool finished_ = false;
};

}  // namespace

void dual_columns(const AnyCsr& any, const Examples& examples, const DualOptions& options,
                  double* alpha, double* weights, ThreadPool& pool) {
  std::visit(
      [&]<class V>(const Csr<V>& x) {
        ColumnsSolver<V>(x, examples, options, alpha, pool).solve(weights);
      },
      any);
}

}  // namespace linnet
