// Truncated Newton with a line search (SPEC M-61, M-85; the inner solver is that of Lin, Weng and
// Keerthi 2008, with the diagonal preconditioner of Hsia, Chiang and Lin 2018; the line search
// instead of a trust region after Galli and Lin 2022).
//
// At each point solve  H s = -g  approximately by conjugate gradients preconditioned with the
// diagonal of H, then halve the step until the objective falls by Armijo's share of the slope. The
// full step is accepted near the optimum. A trust region does worse on the squared hinge: its
// curvature jumps, the region shrinks on every jump and hardly recovers.
//
// One-vs-rest is many problems that share the passes over the data and nothing else. Each has its
// own conjugate gradients, its own step and its own end: one polynomial for the spectra of all, or
// one step that no objective may object to, would take many times as many passes. Few problems at a
// time keep the vectors of the inner solver in the cache, and leave early when they are done.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "batch.hpp"

namespace linnet {
namespace {

constexpr double kDecrease = 1e-4;  // Armijo: the share of the slope a step must achieve
constexpr double kShortest = 1e-12;
constexpr double kUnresolved = 1e-12;  // share of the objective that drowns in its rounding
constexpr double kFinest = 1e-8;       // least relative residual asked of the inner solver
constexpr double kCoarsest = 0.3;      // and the most
constexpr int kRounds = 500;           // most rounds of the inner solver
constexpr std::int32_t kTogether = 8;  // problems at a time

struct Scratch {
  explicit Scratch(std::int64_t n)
      : memory(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(7 * n))) {
    double** const parts[] = {&gradient, &step, &residual, &direction, &product, &diagonal, &trial};
    for (std::int64_t k = 0; k < 7; ++k) *parts[k] = memory.get() + k * n;
  }
  std::unique_ptr<double[]> memory;
  double *gradient, *step, *residual, *direction, *product, *diagonal, *trial;
};

// Where one of the problems stands.
struct Problem {
  double objective = 0.0, gap = INFINITY, last_gap = INFINITY;
  double forcing = 0.0;   // relative residual to ask of the inner solver
  double foretold = 0.0;  // decrease by the quadratic model, -(g.s + s.H s / 2)
  double slope = 0.0;     // g.s
  double length = 0.0;    // of the last step
  bool done = false;
  bool polishing = false;  // the objective no longer resolves a step; the gap still may
  bool polished = false;   // the last step was made while polishing
};

// Some problems of one objective, with weights of their own.
class Group {
 public:
  Group(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool)
      : f_(f),
        w_(w),
        options_(options),
        v_(f.size(), pool),
        s_(f.size()),
        count_(f.problems()),
        problems_(static_cast<std::size_t>(count_)),
        sums_(problems_.size()),
        factor_(problems_.size()) {}

  // What the problems are together, `step` the longest
  double objective = 0.0, gap = 0.0, norm = 0.0, step = 0.0;
  bool done = false;

  // Evaluates the point: objective and gap of each problem, and which are done.
  void measure() {
    objective = f_.evaluate(w_, s_.gradient);
    norm = v_.max_abs(s_.gradient);
    if (count_ == 1) {
      sums_[0] = duality_gap(f_, w_, s_.gradient, objective, 0.0, v_);
    } else {
      v_.sums(count_, sums_.data(),
              [&](std::int64_t n) { return weight_gap(f_.l2(n), w_[n], s_.gradient[n]); });
    }
    gap = 0.0;
    for (std::int32_t p = 0; p < count_; ++p) {
      Problem& problem = problems_[p];
      problem.objective = count_ == 1 ? objective : f_.parts()[p];
      problem.last_gap = problem.gap;
      problem.gap = sums_[p];
      judge(problem);
      gap += problem.gap;
    }
    done = norm == 0.0 || all_done();
  }

  // One Newton step of each problem that is not done.
  void advance() {
    f_.hessian_diagonal(s_.diagonal);
    keep_positive();
    solve();
    done = !search();
    if (done) return;
    v_.copy(s_.trial, w_);
    step = 0.0;
    for (const Problem& p : problems_) step = std::max(step, p.length);
  }

 private:
  // Whether a problem is done, and if not, how exact its next step should be.
  void judge(Problem& problem) const {
    const double allowed = options_.tolerance * problem.objective;
    problem.done =
        problem.gap <= allowed || (problem.polished && !(problem.gap < 0.5 * problem.last_gap));
    problem.polished = problem.polishing;
    // The gap is quadratic in the gradient: a residual of sqrt(target / gap) would reach the
    // target. (Not so for weights without a penalty: they are what is polished.) That is worth its
    // passes only where the quadratic model of F holds. How well it does the last step has shown by
    // the ratio of the gaps (the second choice of Eisenstat and Walker 1996, sharper where the gap
    // falls fast).
    const double exact = 0.5 * std::sqrt(allowed / std::max(problem.gap, 1e-300));
    const double ratio = std::isinf(problem.last_gap) ? 1.0 : problem.gap / problem.last_gap;
    const double trust = ratio * std::min(1.0, 10.0 * ratio);
    problem.forcing =
        problem.polishing ? kFinest : std::clamp(std::max(exact, trust), kFinest, kCoarsest);
  }

  bool all_done() const {
    return std::all_of(problems_.begin(), problems_.end(), [](const auto& p) { return p.done; });
  }

  // s_.step of each problem, by preconditioned conjugate gradients
  void solve() {
    std::vector<double> rz(problems_.size()), target(rz), next(rz);
    std::vector<char> active(problems_.size());
    v_.fill(s_.step, 0.0);
    each([&](std::int64_t n, std::int32_t p) {
      s_.residual[n] = problems_[p].done ? 0.0 : -s_.gradient[n];
      s_.direction[n] = s_.residual[n] / s_.diagonal[n];
    });
    scaled_norms(rz.data());
    for (std::int32_t p = 0; p < count_; ++p) {
      target[p] = problems_[p].forcing * problems_[p].forcing * rz[p];
      active[p] = rz[p] > target[p];
    }
    const std::int64_t most = std::min<std::int64_t>(v_.size(), kRounds);
    for (std::int64_t round = 0; round < most && any(active); ++round) {
      f_.hessian_times(s_.direction, s_.product);
      v_.dots(s_.direction, s_.product, count_, sums_.data());
      for (std::int32_t p = 0; p < count_; ++p) {
        active[p] = active[p] && sums_[p] > 0.0;
        factor_[p] = active[p] ? rz[p] / sums_[p] : 0.0;
      }
      each([&](std::int64_t n, std::int32_t p) {
        s_.step[n] += factor_[p] * s_.direction[n];
        s_.residual[n] -= factor_[p] * s_.product[n];
      });
      scaled_norms(next.data());
      for (std::int32_t p = 0; p < count_; ++p) {
        factor_[p] = active[p] ? next[p] / rz[p] : 0.0;
        rz[p] = next[p];
        active[p] = active[p] && rz[p] > target[p];
      }
      each([&](std::int64_t n, std::int32_t p) {
        s_.direction[n] =
            active[p] ? s_.residual[n] / s_.diagonal[n] + factor_[p] * s_.direction[n] : 0.0;
      });
    }
    // residual = -g - H s, so -(g.s + s.H s / 2) = (s.residual - g.s) / 2
    v_.dots(s_.gradient, s_.step, count_, sums_.data());
    v_.dots(s_.step, s_.residual, count_, factor_.data());
    for (std::int32_t p = 0; p < count_; ++p) {
      problems_[p].slope = sums_[p];
      problems_[p].foretold = 0.5 * (factor_[p] - sums_[p]);
    }
  }

  // s_.trial = where each problem goes; false when none can go anywhere.
  bool search() {
    for (Problem& p : problems_) {
      p.polishing = !(p.foretold > kUnresolved * std::abs(p.objective));
      p.length = p.done ? 0.0 : 1.0;
    }
    for (;;) {
      each([&](std::int64_t n, std::int32_t p) {
        s_.trial[n] = w_[n] + problems_[p].length * s_.step[n];
      });
      const bool ask = std::any_of(problems_.begin(), problems_.end(),
                                   [](const Problem& p) { return p.length > 0.0 && !p.polishing; });
      const double total = ask ? f_.value(s_.trial) : 0.0;
      bool again = false;
      for (std::int32_t k = 0; ask && k < count_; ++k) {
        Problem& p = problems_[k];
        const double value = count_ == 1 ? total : f_.parts()[k];
        const bool fell = value <= p.objective + kDecrease * p.length * p.slope;
        if (p.length == 0.0 || p.polishing || fell) continue;
        p.length *= 0.5;
        if (!(p.length > kShortest)) p.length = 0.0, p.done = true;
        again = true;
      }
      if (!again) break;
    }
    return std::any_of(problems_.begin(), problems_.end(),
                       [](const Problem& p) { return p.length > 0.0; });
  }

  // Weights that neither a penalty nor the data hold have no curvature to scale by.
  void keep_positive() {
    each([&](std::int64_t n, std::int32_t) { s_.diagonal[n] = std::max(s_.diagonal[n], 1e-10); });
  }

  // body(n, problem of n) for every weight
  template <class Body>
  void each(Body&& body) {
    const std::int64_t rows = v_.size() / count_;
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / count_);
    v_.pool().ranges(rows, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        for (std::int32_t p = 0; p < count_; ++p) body(j * count_ + p, p);
      }
    });
  }

  // |residual|^2 in the norm of the inverse preconditioner
  void scaled_norms(double* out) {
    v_.sums(count_, out,
            [&](std::int64_t n) { return s_.residual[n] * s_.residual[n] / s_.diagonal[n]; });
  }

  static bool any(const std::vector<char>& flags) {
    return std::any_of(flags.begin(), flags.end(), [](char flag) { return flag; });
  }

  Objective& f_;
  double* w_;
  const BatchOptions& options_;
  Vectors v_;
  Scratch s_;
  const std::int32_t count_;
  std::vector<Problem> problems_;
  std::vector<double> sums_, factor_;  // [problems] scratch
};

// Polls the pool that runs a body from inside the body.
class Inside final : public Progress {
 public:
  explicit Inside(ThreadPool& pool) : pool_(pool) {}
  void poll() override { pool_.checkpoint(); }
  bool record(const Iteration&) override { return true; }

 private:
  ThreadPool& pool_;
};

// A group with a copy of its columns of the weights.
struct Slice {
  Slice(const Objective& all, std::int32_t first, std::int32_t next, const BatchOptions& options,
        ThreadPool& pool)
      : problems(all.problems()),
        first(first),
        count(next - first),
        f(all.some(first, count, pool)),
        weights(static_cast<std::size_t>(f->size())),
        group(*f, weights.data(), options, pool) {}

  template <class Copy>
  void each(double* whole, Copy&& copy) {
    for (std::int64_t n = 0; n < f->size(); ++n) {
      copy(weights[n], whole[n / count * problems + first + n % count]);
    }
  }

  const std::int32_t problems, first, count;
  std::unique_ptr<Objective> f;
  std::vector<double> weights;
  Group group;
};

// Lets all groups take steps until their gap together is small enough. `each(body)` runs body(g).
template <class Each>
void iterate(const std::vector<Group*>& groups, const BatchOptions& options, ThreadPool& pool,
             Each&& each) {
  for (std::int64_t iteration = 0;; ++iteration) {
    each([&](std::int64_t g) {
      if (!groups[g]->done) groups[g]->measure();
    });
    Iteration now{iteration};
    bool done = true;
    for (const Group* group : groups) {
      now.objective += group->objective;
      now.gap += group->gap;
      now.gradient_norm = std::max(now.gradient_norm, group->norm);
      now.step = std::max(now.step, group->step);
      done = done && group->done;
    }
    if (!pool.progress().record(now) || done || now.gap <= options.tolerance * now.objective ||
        iteration == options.max_iterations) {
      return;
    }
    each([&](std::int64_t g) {
      if (!groups[g]->done) groups[g]->advance();
    });
    if (std::all_of(groups.begin(), groups.end(), [](const Group* g) { return g->done; })) return;
  }
}

}  // namespace

void newton(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  const std::int32_t all = f.problems(), count = (all + kTogether - 1) / kTogether;
  if (count == 1) {
    Group group(f, w, options, pool);
    iterate({&group}, options, pool, [](const auto& body) { body(0); });
    return;
  }
  Inside inside(pool);
  ThreadPool alone(1, inside);
  std::vector<std::unique_ptr<Slice>> slices;
  std::vector<Group*> groups;
  for (std::int32_t g = 0; g < count; ++g) {
    slices.push_back(
        std::make_unique<Slice>(f, g * all / count, (g + 1) * all / count, options, alone));
    slices[g]->each(w, [](double& slice, double whole) { slice = whole; });
    groups.push_back(&slices[g]->group);
  }
  iterate(groups, options, pool, [&](const auto& body) { pool.run(count, body); });
  for (auto& slice : slices) slice->each(w, [](double slice, double& whole) { whole = slice; });
}

}  // namespace linnet
