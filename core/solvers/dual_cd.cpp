// Dual coordinate descent (dual_cd.hpp): the columns in groups, a machine for each.
#include "dual_cd.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../used_columns.hpp"
#include "bias_pace.hpp"
#include "dual_solver.hpp"

namespace linnet {
namespace {

constexpr std::int32_t kWidest = 32;  // columns that share a sweep

// Zeros whose pages the system hands out when they are first touched.
struct Free {
  void operator()(double* memory) const { std::free(memory); }
};
using Zeroed = std::unique_ptr<double[], Free>;

Zeroed zeroed(std::int64_t size) {
  void* memory = std::calloc(static_cast<std::size_t>(size), sizeof(double));
  if (memory == nullptr) throw std::bad_alloc();
  return Zeroed(static_cast<double*>(memory));
}

template <class V>
void solve(const Csr<V>& x, const Examples& examples, const DualOptions& options, double* alpha,
           double* weights, const std::function<void()>& changed, ThreadPool& pool,
           DualMemory* memory) {
  const std::int32_t columns = examples.columns();
  // Wide groups read the data less often. One group shares its rows between two threads; several
  // have a thread each. Their number never depends on how many threads run.
  const std::int32_t count = options.joint ? 1 : (columns + kWidest - 1) / kWidest;
  std::vector<double> norms(static_cast<std::size_t>(x.rows));
  flat::squared_norms(x, 0.0, norms.data(), pool);
  const double pace = bias_pace(x, examples, weights);
  const Halves<V> halves(x, count == 1 ? columns : 0, &pool);
  const flat::Layout layout{x.cols, columns, examples.bias};
  const std::int64_t rows = layout.rows();
  if (count > 1) memory = nullptr;
  const bool known = memory != nullptr &&
                     memory->begin(examples, options.joint, alpha, x.rows, weights, layout.size());
  std::vector<Zeroed> slices(static_cast<std::size_t>(count));
  std::vector<std::unique_ptr<DualMachine<V>>> machines(static_cast<std::size_t>(count));
  // The last group is the widest of all, so the first must not be narrower: count down.
  const auto first_column = [&](std::int64_t m) {
    return static_cast<std::int32_t>((count - 1 - m) * columns / count);
  };
  pool.run(count, [&](std::int64_t m) {
    const std::int32_t first = first_column(m), width = first_column(m - 1) - first;
    double* slice = weights;
    if (count > 1) {
      slices[m] = zeroed(rows * width);
      slice = slices[m].get();
      if (rows > x.cols) {
        std::copy_n(weights + std::int64_t{x.cols} * columns + first, width,
                    slice + std::int64_t{x.cols} * width);
      }
    }
    auto rule = options.joint ? joint_rule(examples, options, alpha, x.rows)
                              : columns_rule(examples, options, alpha, x.rows, first, width);
    machines[m] = std::make_unique<DualMachine<V>>(x, halves, examples.bias, pace, norms.data(),
                                                   std::move(rule), slice);
    if (count > 1) machines[m]->start();
  });
  if (memory != nullptr) machines[0]->keep_scores(memory->scores(), known);
  if (count == 1) machines[0]->start(pool, known);
  const auto gather = [&] {
    for (std::int32_t m = 0; count > 1 && m < count; ++m) {
      const std::int32_t width = machines[m]->rule().width();
      for (std::int64_t j = 0; j < rows; ++j) {
        std::copy_n(machines[m]->weights() + j * width, width,
                    weights + j * columns + first_column(m));
      }
    }
    changed();
  };
  const std::function<void()> show = [&] {
    if (options.visible) gather();
  };
  DualSolver<V>(x, options, machines, show, pool).solve();
  gather();
  for (const auto& machine : machines) machine->rule().copy_alpha(alpha);
  if (memory != nullptr) memory->leave(alpha, weights);
}

}  // namespace

bool DualMemory::begin(const Examples& examples, bool joint, const double* alpha, std::int64_t rows,
                       double* weights, std::int64_t size) {
  const std::int64_t duals = rows * examples.columns();
  const std::int64_t bias = size - (examples.bias == 0.0 ? 0 : examples.columns());
  const bool known = std::exchange(left_, false) && joint_ == joint &&
                     classes_ == examples.classes && bias_ == examples.bias &&
                     std::equal(gold_.begin(), gold_.end(), examples.gold) &&
                     std::equal(alpha_.begin(), alpha_.end(), alpha) &&
                     std::equal(weights_.begin() + bias, weights_.end(), weights + bias);
  if (known) {
    std::copy_n(weights_.begin(), bias, weights);
    return true;
  }
  joint_ = joint;
  classes_ = examples.classes;
  bias_ = examples.bias;
  gold_.assign(examples.gold, examples.gold + rows);
  alpha_.resize(static_cast<std::size_t>(duals));
  weights_.resize(static_cast<std::size_t>(size));
  scores_.resize(static_cast<std::size_t>(duals));
  return false;
}

void DualMemory::leave(const double* alpha, const double* weights) {
  std::copy_n(alpha, alpha_.size(), alpha_.begin());
  std::copy_n(weights, weights_.size(), weights_.begin());
  left_ = true;
}

void dual_coordinate_descent(const AnyCsr& any, const Examples& examples,
                             const DualOptions& options, double* alpha, double* weights,
                             ThreadPool& pool, DualMemory* memory) {
  std::unique_lock<std::mutex> ours;
  if (memory != nullptr) ours = memory->lock();
  std::visit(
      [&](const auto& x) {
        const UsedColumns used(x, pool);
        if (!used.few()) {
          solve(x, examples, options, alpha, weights, [] {}, pool, ours ? memory : nullptr);
          return;
        }
        LargeVector<std::int32_t> index(static_cast<std::size_t>(x.stored()));
        used.number(x.index, x.stored(), index.data(), pool);
        const std::remove_cvref_t<decltype(x)> narrow{x.rows, used.used(), x.start, index.data(),
                                                      x.value};
        const std::int32_t columns = examples.columns();
        const flat::Layout layout{narrow.cols, columns, examples.bias};
        const Zeroed part = zeroed(layout.size());
        std::copy_n(weights + std::int64_t{x.cols} * columns, layout.size() - layout.bias_from(),
                    part.get() + layout.bias_from());
        solve(
            narrow, examples, options, alpha, part.get(),
            [&] { used.spread(part.get(), columns, layout.rows() - narrow.cols, weights); }, pool,
            nullptr);
      },
      any);
}

}  // namespace linnet
