// What all dual coordinate descents share: the sweeps, the weights, the certificate.
//
// A Rule knows the loss. It owns the dual variables of a group of columns and offers
//   std::int32_t width() const                     columns of weights
//   std::int32_t problems() const                  independent objectives among them
//   void coefficients(i, double* amount) const     the coefficient of x_i in each column
//   Visit step(i, scores, q, double* amount)       sets the duals of row i to their optimum given
//                                                  its scores and q = |x_i|^2; amount = the change
//   void measure(i, scores, double* loss, double* gap) const    adds row i to each problem's sums
//   void certified(objective, gap)                 takes the result; may rest finished problems
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "dual_cd.hpp"
#include "dual_face.hpp"
#include "halves.hpp"
#include "sleepers.hpp"

namespace linnet {

constexpr double kNegligible = 0.1;  // share of the tolerated gap that is not worth a step

struct Visit {
  double share;   // of the row in the duality gap, before the step
  bool mattered;  // false: the row may sleep
  bool moved;     // some amount is not 0
};

template <class V, class Rule>
class DualMachine {
 public:
  // `weights` is [J + 1][width of the rule], all 0; it becomes X^T of the rule's coefficients.
  DualMachine(const Csr<V>& x, const Halves<V>& halves, double bias, const double* norms, Rule rule,
              double* weights)
      : x_(x),
        halves_(halves),
        bias_(bias),
        norms_(norms),
        width_(rule.width()),
        weights_(weights),
        exchange_(width_),
        left_{std::move(rule), Sleepers(x.rows, width_ == 1 ? kTogether : 1)} {
    std::vector<double> amount(static_cast<std::size_t>(width_));
    for (std::int64_t i = 0; i < x.rows; ++i) {
      left_.rule.coefficients(i, amount.data());
      if (std::any_of(amount.begin(), amount.end(), [](double a) { return a != 0.0; })) {
        add(i, amount.data(), kBoth);
        zero_ = false;
      }
    }
  }

  // One pass over the rows that are awake. `share` asks for two threads of the pool, one for each
  // half of the features, where rows are long enough.
  void sweep(std::int64_t epoch, std::uint64_t seed, bool share, ThreadPool& pool) {
    zero_ = false;
    const bool rests = rest_ > 0 && rest_-- > 0;
    if (!share || !halves_.shared() || pool.threads() < 2 || rests) {
      run(left_, kBoth, epoch, seed, pool);
      right_.reset();
      return;
    }
    if (!right_) right_ = std::make_unique<Side>(left_);
    exchange_.reset();
    pool.run(2, [&](std::int64_t side) {
      run(side == 0 ? left_ : *right_, static_cast<int>(side), epoch, seed, pool);
    });
    if (!exchange_.parted()) return;
    right_.reset();
    rest_ = last_rest_ = std::min(64, 2 * last_rest_ + 1);
  }

  // Adds rows first..last-1 to the sums of each problem.
  void measure(std::int64_t first, std::int64_t last, double* loss, double* gap) const {
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    for (std::int64_t i = first; i < last; ++i) {
      if (!zero_) score(i, scores.data());
      left_.rule.measure(i, scores.data(), loss, gap);
    }
  }

  // Solves one problem on its face: all its dual variables inside their bounds at once.
  void solve_face(std::int32_t problem, ThreadPool& pool) {
    Rule& rule = left_.rule;
    const auto [first, count] = rule.columns_of(problem);
    Face<V> face(x_, bias_, count, Rule::kBalanced);
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    std::vector<Coordinate> free;
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      if (norms_[i] == 0.0 || !rule.is_inside(problem, i)) continue;
      if (count == 1) {
        scores[0] = score_column(i, first);
      } else {
        score(i, scores.data());
      }
      rule.free(problem, i, scores.data(), free);
      face.add(i, norms_[i], rule.cost(i), free);
    }
    face.solve(kNegligible * rule.allowed(problem), rule.is_squared(), pool);
    for (std::int64_t r = 0; r < face.rows(); ++r) {
      const std::int64_t i = face.row(r);
      rule.take(problem, i, face.begin(r), face.end(r));
      for (const Coordinate* c = face.begin(r); c != face.end(r); ++c) {
        add_to_column(i, first + c->column, c->sign * face.change(c));
      }
    }
  }

  void faces_solved() { right_.reset(); }  // what it knew of the duals is no longer so

  void certified(const double* objective, const double* gap) {
    left_.rule.certified(objective, gap);
    if (right_) right_->rule.certified(objective, gap);
  }

  void wake_all() {
    left_.sleepers.wake_all();
    if (right_) right_->sleepers.wake_all();
  }

  // |W|^2 of each column
  void squares(double* out) const {
    std::fill(out, out + width_, 0.0);
    for (std::int64_t j = 0; j < weight_rows(); ++j) {
      const double* row = weights_ + j * width_;
      for (std::int32_t c = 0; c < width_; ++c) out[c] += row[c] * row[c];
    }
  }

  const Rule& rule() const { return left_.rule; }
  double estimate() const { return left_.estimate; }
  std::int64_t work() const { return left_.work; }
  const double* weights() const { return weights_; }
  std::int64_t weight_rows() const { return x_.cols + (bias_ != 0.0 ? 1 : 0); }

 private:
  // With one column, reading the rows takes longer than reading the weights.
  static constexpr std::int64_t kTogether = 16;
  static constexpr std::int64_t kAhead = 2;  // rows between a prefetch and its use
  static constexpr int kLeft = 0, kRight = 1, kBoth = 2;

  // The dual state of one thread; two threads make the same decisions from their own copies.
  struct Side {
    Rule rule;
    Sleepers sleepers;
    double estimate = 0.0;  // sum of the gap shares met during the sweep
    std::int64_t work = 0;  // stored values read during the sweep
  };

  void run(Side& side, int part, std::int64_t epoch, std::uint64_t seed, ThreadPool& pool) {
    std::vector<double> scores(static_cast<std::size_t>(2 * width_)), amount(scores);
    const auto& order = side.sleepers.awake(epoch, seed);
    const auto n = static_cast<std::int64_t>(order.size());
    side.estimate = 0.0;
    side.work = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      if (k % 512 == 0) pool.checkpoint();
      if (k + kAhead < n) prefetch(order[k + kAhead], part);
      const std::int32_t i = order[k];
      bool together = part != kBoth;
      if (together) {
        score_part(i, part, scores.data());
        together = exchange_.add_up(part, k + 1, scores.data(), pool);
      } else {
        score(i, scores.data());
      }
      const Visit visit = side.rule.step(i, scores.data(), norms_[i], amount.data());
      if (visit.moved) add(i, amount.data(), part);
      side.sleepers.visited(i, epoch, visit.mattered);
      side.estimate += visit.share;
      side.work += x_.start[i + 1] - x_.start[i];
      if (part == kBoth || together) continue;
      exchange_.part(part, k + 1, pool);
      if (part == kRight) return;
      part = kBoth;  // the left goes on alone
    }
  }

  void prefetch(std::int64_t i, int part) const {
    const Row<V> row = part == kBoth   ? x_.row(i)
                       : part == kLeft ? halves_.left(i)
                                       : halves_.right(i);
    flat::prefetch_row(row);
  }

  // The bias belongs to the right half.
  void score_part(std::int64_t i, int part, double* out) const {
    flat::score(part == kLeft ? halves_.left(i) : halves_.right(i), weights_, width_, out);
    if (part == kLeft || bias_ == 0.0) return;
    const double* row = weights_ + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += bias_ * row[c];
  }

  // out[2 * width]: the scores, then scratch
  void score(std::int64_t i, double* out) const {
    score_part(i, kLeft, out);
    score_part(i, kRight, out + width_);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += out[width_ + c];
  }

  void add(std::int64_t i, const double* amount, int part) {
    if (part != kRight) add_row(halves_.left(i), amount);
    if (part == kLeft) return;
    add_row(halves_.right(i), amount);
    if (bias_ == 0.0) return;
    double* row = weights_ + x_.cols * static_cast<std::int64_t>(width_);
    for (std::int32_t c = 0; c < width_; ++c) row[c] += bias_ * amount[c];
  }

  double score_column(std::int64_t i, std::int32_t column) const {
    const Row<V> x = x_.row(i);
    const double* at = weights_ + column;
    double sum = bias_ == 0.0 ? 0.0 : bias_ * at[x_.cols * static_cast<std::int64_t>(width_)];
    for (std::int64_t k = 0; k < x.size; ++k) {
      sum += value_at(x.value, k) * at[x.index[k] * static_cast<std::int64_t>(width_)];
    }
    return sum;
  }

  void add_to_column(std::int64_t i, std::int32_t column, double amount) {
    const Row<V> x = x_.row(i);
    double* at = weights_ + column;
    if (bias_ != 0.0) at[x_.cols * static_cast<std::int64_t>(width_)] += bias_ * amount;
    for (std::int64_t k = 0; k < x.size; ++k) {
      at[x.index[k] * static_cast<std::int64_t>(width_)] += amount * value_at(x.value, k);
    }
  }

  // Where few of many columns change, only those are written.
  void add_row(const Row<V>& x, const double* amount) {
    constexpr std::int32_t kFew = 4;
    std::int32_t changed[kFew], count = 0;
    for (std::int32_t c = 0; c < width_ && count <= kFew; ++c) {
      if (amount[c] == 0.0) continue;
      if (count < kFew) changed[count] = c;
      ++count;
    }
    if (count > kFew || width_ < 3 * count) {
      flat::add(x, amount, width_, weights_);
      return;
    }
    for (std::int64_t n = 0; n < x.size; ++n) {
      double* row = weights_ + x.index[n] * static_cast<std::int64_t>(width_);
      const double v = value_at(x.value, n);
      for (std::int32_t k = 0; k < count; ++k) row[changed[k]] += v * amount[changed[k]];
    }
  }

  const Csr<V>& x_;
  const Halves<V>& halves_;
  const double bias_;
  const double* norms_;  // [rows]
  const std::int32_t width_;
  double* weights_;  // [J + 1][width]
  Exchange exchange_;
  Side left_;                     // also the state of a thread that works alone
  std::unique_ptr<Side> right_;   // made when a second thread first joins
  bool zero_ = true;              // all weights are still 0
  int rest_ = 0, last_rest_ = 0;  // sweeps to make alone after the cores were taken; the last such
};

// Foretells how many epochs are left (dual_cd.hpp), from the fall of the gap over the last few.
class Pace {
 public:
  explicit Pace(double patience) : patience_(patience) {}

  // Takes the gap met in an epoch; true from the first epoch on that foretells too many more.
  bool crawls(double gap, double allowed) {
    last_[next_++ % kEpochs] = gap;
    if (crawls_ || next_ <= kEpochs || gap <= allowed) return crawls_;
    const double fall = std::log(last_[next_ % kEpochs] / gap) / (kEpochs - 1);
    crawls_ = std::log(gap / allowed) > patience_ * std::max(fall, 0.0);
    return crawls_;
  }

 private:
  static constexpr int kEpochs = 5;

  const double patience_;
  double last_[kEpochs] = {};
  int next_ = 0;
  bool crawls_ = false;
};

// Sweeps until the gap of all machines together is small enough. The gap is measured whenever it
// adds at most a tenth to the work, and whenever the shares met during a sweep say it is reached.
template <class V, class Rule>
class DualSolver {
 public:
  DualSolver(const Csr<V>& x, const DualOptions& options,
             std::vector<std::unique_ptr<DualMachine<V, Rule>>>& machines, ThreadPool& pool)
      : x_(x), options_(options), machines_(machines), pool_(pool), pace_(options.patience) {}

  void solve() {
    const auto count = static_cast<std::int64_t>(machines_.size());
    certify(0);
    double previous = 0.0, part = 1.0;
    std::int64_t unchecked = 0;  // stored values read since the last certificate
    for (std::int64_t epoch = 1; epoch <= options_.max_epochs && !finished_; ++epoch) {
      if (count == 1) {
        machines_[0]->sweep(epoch, options_.seed, true, pool_);
      } else {
        pool_.run(count,
                  [&](std::int64_t m) { machines_[m]->sweep(epoch, options_.seed, false, pool_); });
      }
      double estimate = 0.0;
      for (const auto& machine : machines_) {
        estimate += machine->estimate();
        unchecked += machine->work();
      }
      // The shares were met before each step, while the weights improved: some part of them, times
      // the trend, is where they stand now. Every certificate corrects that part.
      const double trend = previous > 0.0 ? std::min(1.0, estimate / previous) : 1.0;
      previous = estimate;
      const bool looks_done = part * estimate * trend <= options_.tolerance * objective_;
      if (looks_done || unchecked >= 10 * x_.stored() * count || epoch == options_.max_epochs) {
        const double gap = certify(epoch);
        unchecked = 0;
        part = std::clamp(gap / std::max(estimate * trend, 1e-300), 0.2, 5.0);
        if (gap > estimate) {  // the rest of it is with the sleepers
          for (auto& machine : machines_) machine->wake_all();
        }
      }
      if (finished_ || !pace_.crawls(estimate, options_.tolerance * objective_)) continue;
      if (!machines_[0]->rule().is_quadratic()) {
        if (unchecked > 0) certify(epoch);
        return;
      }
      solve_faces();
    }
  }

 private:
  // Each problem that is not done, on a thread of its own.
  void solve_faces() {
    struct Job {
      DualMachine<V, Rule>* machine;
      std::int32_t problem;
    };
    std::vector<Job> jobs;
    for (auto& machine : machines_) {
      for (std::int32_t p = 0; p < machine->rule().problems(); ++p) {
        if (!machine->rule().is_done(p)) jobs.push_back({machine.get(), p});
      }
    }
    pool_.run(static_cast<std::int64_t>(jobs.size()),
              [&](std::int64_t j) { jobs[j].machine->solve_face(jobs[j].problem, pool_); });
    for (auto& machine : machines_) machine->faces_solved();
  }

  // Measures primal and gap with all threads, records them, returns the gap.
  double certify(std::int64_t epoch) {
    constexpr std::int64_t kGrain = 256;
    const std::int64_t blocks = (x_.rows + kGrain - 1) / kGrain;
    const auto count = static_cast<std::int64_t>(machines_.size());
    const std::int32_t problems = machines_[0]->rule().problems();  // the most of any machine
    std::vector<double> parts(static_cast<std::size_t>(blocks * count * 2 * problems));
    pool_.run(blocks * count, [&](std::int64_t job) {
      const std::int64_t block = job % blocks;
      double* sums = parts.data() + job * 2 * problems;
      machines_[job / blocks]->measure(block * kGrain, std::min(x_.rows, (block + 1) * kGrain),
                                       sums, sums + problems);
    });
    std::vector<double> totals(static_cast<std::size_t>(count * 2));
    pool_.run(count, [&](std::int64_t m) {
      std::vector<double> sums(static_cast<std::size_t>(2 * problems));
      for (std::int64_t block = 0; block < blocks; ++block) {
        const double* part = parts.data() + (m * blocks + block) * 2 * problems;
        for (std::int32_t k = 0; k < 2 * problems; ++k) sums[k] += part[k];
      }
      finish(*machines_[m], sums.data(), sums.data() + problems, totals.data() + 2 * m);
    });
    objective_ = 0.0;
    double gap = 0.0;
    for (std::int64_t m = 0; m < count; ++m) objective_ += totals[2 * m], gap += totals[2 * m + 1];
    finished_ = !pool_.progress().record({epoch, objective_, gap, 0.0, 0.0}) ||
                gap <= options_.tolerance * objective_;
    return gap;
  }

  // Turns the loss of each problem into its objective and adds all up.
  void finish(DualMachine<V, Rule>& machine, double* loss, double* gap, double* totals) const {
    const std::int32_t width = machine.rule().width(), problems = machine.rule().problems();
    std::vector<double> squares(static_cast<std::size_t>(width));
    machine.squares(squares.data());
    for (std::int32_t c = 0; c < width; ++c) loss[std::min(c, problems - 1)] += 0.5 * squares[c];
    for (std::int32_t p = 0; p < problems; ++p) {
      if (gap[p] < 0.0) gap[p] = 0.0;  // rounding; a NaN stays one
      totals[0] += loss[p];
      totals[1] += gap[p];
    }
    machine.certified(loss, gap);
  }

  const Csr<V>& x_;
  const DualOptions& options_;
  std::vector<std::unique_ptr<DualMachine<V, Rule>>>& machines_;
  ThreadPool& pool_;
  Pace pace_;
  double objective_ = 0.0;
  bool finished_ = false;
};

}  // namespace linnet
