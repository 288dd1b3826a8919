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
#include <memory>
#include <vector>

#include "batch.hpp"
#include "newton_group.hpp"

namespace linnet {
namespace {

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
  NewtonGroup group;
};

// Lets all groups take steps until their gap together is small enough. `each(body)` runs body(g),
// `show()` comes before each record.
template <class Each, class Show>
void iterate(const std::vector<NewtonGroup*>& groups, const BatchOptions& options, ThreadPool& pool,
             Each&& each, Show&& show) {
  for (std::int64_t iteration = 0;; ++iteration) {
    each([&](std::int64_t g) {
      if (!groups[g]->done) groups[g]->measure();
    });
    Iteration now{iteration};
    bool done = true;
    for (const NewtonGroup* group : groups) {
      now.objective += group->objective;
      now.gap += group->gap;
      now.gradient_norm = std::max(now.gradient_norm, group->norm);
      now.step = std::max(now.step, group->step);
      done = done && group->done;
    }
    show();
    if (!pool.progress().record(now) || done || now.gap <= options.tolerance * now.objective ||
        iteration == options.max_iterations) {
      return;
    }
    each([&](std::int64_t g) {
      if (!groups[g]->done) groups[g]->advance();
    });
    if (std::all_of(groups.begin(), groups.end(), [](const NewtonGroup* g) { return g->done; }))
      return;
  }
}

}  // namespace

void newton(Objective& f, double* w, const BatchOptions& options, ThreadPool& pool) {
  const std::int32_t all = f.problems(), count = (all + f.together() - 1) / f.together();
  if (count == 1) {
    NewtonGroup group(f, w, options, pool);
    iterate({&group}, options, pool, [](const auto& body) { body(0); }, [] {});
    return;
  }
  Inside inside(pool);
  ThreadPool alone(1, inside);
  std::vector<std::unique_ptr<Slice>> slices;
  std::vector<NewtonGroup*> groups;
  for (std::int32_t g = 0; g < count; ++g) {
    slices.push_back(
        std::make_unique<Slice>(f, g * all / count, (g + 1) * all / count, options, alone));
    slices[g]->each(w, [](double& slice, double whole) { slice = whole; });
    groups.push_back(&slices[g]->group);
  }
  const auto gather = [&] {
    for (auto& slice : slices) slice->each(w, [](double slice, double& whole) { whole = slice; });
  };
  iterate(
      groups, options, pool, [&](const auto& body) { pool.run(count, body); },
      [&] {
        if (options.visible) gather();
      });
  gather();
}

}  // namespace linnet
