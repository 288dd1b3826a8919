// Sweeps of dual coordinate descent until the duality gap is small enough (dual_cd.hpp).
//
// Given machines, each a group of columns of the same data. The gap of all together is measured
// whenever that adds at most a tenth to the work, and whenever the shares met during a sweep say
// that it is reached.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "dual_cd.hpp"
#include "dual_machine.hpp"

namespace linnet {

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

template <class V>
class DualSolver {
 public:
  DualSolver(const Csr<V>& x, const DualOptions& options,
             std::vector<std::unique_ptr<DualMachine<V>>>& machines,
             const std::function<void()>& show, ThreadPool& pool)
      : x_(x),
        options_(options),
        machines_(machines),
        show_(show),
        pool_(pool),
        pace_(options.patience) {}

  void solve() {
    const auto count = static_cast<std::int64_t>(machines_.size());
    certify(0);
    for (auto& machine : machines_) machine->round_weights();
    // Where weights are rounded, the first certificate makes them anew, for as much work as a sweep
    // and more: it should not be asked for in vain.
    double previous = 0.0, part = machines_[0]->is_rough() ? 2.0 : 1.0;
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
      const double trend = previous > 0.0 ? std::clamp(estimate / previous, kSteepest, 1.0) : 1.0;
      previous = estimate;
      const double foretold = part * estimate * trend;
      if (!expected_ && foretold <= options_.tolerance * objective_) expect();
      const bool looks_done = foretold <= options_.tolerance * objective_;
      if (foretold <= kRough * objective_) refine();
      if (looks_done || unchecked >= 10 * x_.stored() * count || epoch == options_.max_epochs) {
        const double gap = certify(epoch);
        unchecked = 0;
        part = std::clamp(gap / std::max(estimate * trend, 1e-300), 0.2, 5.0);
        if (gap > estimate) {  // the rest of it is with the sleepers
          for (auto& machine : machines_) machine->wake_all();
        }
      }
      if (finished_ || epoch == options_.max_epochs) return;  // with what was certified last
      if (!pace_.crawls(estimate, options_.tolerance * objective_)) continue;
      if (!machines_[0]->rule().is_quadratic()) {
        if (unchecked > 0) certify(epoch);
        return;
      }
      refine();
      solve_faces();
    }
  }

 private:
  static constexpr double kRough = 1e-6;  // relative gap from which on weights must be exact
  // What an epoch is expected to leave of the gap at least: after a warm start the first ones leave
  // less than those that follow.
  static constexpr double kSteepest = 0.125;

  // Each problem that is not done, on a thread of its own.
  void solve_faces() {
    struct Job {
      DualMachine<V>* machine;
      std::int32_t problem;
    };
    std::vector<Job> jobs;
    for (auto& machine : machines_) {
      machine->begin_faces();
      for (std::int32_t p = 0; p < machine->rule().problems(); ++p) {
        if (!machine->rule().is_done(p)) jobs.push_back({machine.get(), p});
      }
    }
    pool_.run(static_cast<std::int64_t>(jobs.size()),
              [&](std::int64_t j) { jobs[j].machine->solve_face(jobs[j].problem, pool_); });
    for (auto& machine : machines_) machine->faces_solved();
  }

  // The objective known so far is that of the starting point, many times the optimum. The value of
  // the dual is near it by now.
  void expect() {
    expected_ = true;
    double total = 0.0;
    std::vector<std::vector<double>> values;
    for (auto& machine : machines_) {
      values.emplace_back(static_cast<std::size_t>(machine->rule().problems()));
      machine->dual_values(values.back().data());
      for (const double value : values.back()) {
        if (!(value > 0.0)) return;
        total += value;
      }
    }
    for (std::size_t m = 0; m < machines_.size(); ++m) machines_[m]->expect(values[m].data());
    objective_ = total;
  }

  void refine() {
    for (auto& machine : machines_) {
      if (machine->is_rough()) machine->refine(pool_);
    }
  }

  // Measures primal and gap with all threads, records them, returns the gap.
  double certify(std::int64_t epoch) {
    refine();
    expected_ = epoch > 0;
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
    show_();
    finished_ = !pool_.progress().record({epoch, objective_, gap, 0.0, 0.0}) ||
                gap <= options_.tolerance * objective_;
    return gap;
  }

  // Turns the loss of each problem into its objective and adds all up.
  void finish(DualMachine<V>& machine, double* loss, double* gap, double* totals) const {
    const std::int32_t width = machine.rule().width(), problems = machine.rule().problems();
    std::vector<double> squares(static_cast<std::size_t>(width));
    machine.squares(squares.data());
    for (std::int32_t c = 0; c < width; ++c) {
      loss[std::min(c, problems - 1)] += 0.5 * squares[c];
      gap[std::min(c, problems - 1)] += machine.lag(c);
    }
    for (std::int32_t p = 0; p < problems; ++p) {
      if (gap[p] < 0.0) gap[p] = 0.0;  // rounding; a NaN stays one
      totals[0] += loss[p];
      totals[1] += gap[p];
    }
    machine.certified(loss, gap);
  }

  const Csr<V>& x_;
  const DualOptions& options_;
  std::vector<std::unique_ptr<DualMachine<V>>>& machines_;
  const std::function<void()>& show_;  // called before each record
  ThreadPool& pool_;
  Pace pace_;
  double objective_ = 0.0;
  bool expected_ = false;  // the objective has been foretold once
  bool finished_ = false;
};

}  // namespace linnet
