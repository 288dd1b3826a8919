#include "kernels/machines.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace linnet {
namespace {

// Whether dot products in floats give kernel values as good as floats can hold.
bool floats_suffice(const Kernel& kernel, const DataRows<float>& data) {
  float top = 0.0F;
  for (float norm : data.norm) top = std::max(top, norm);
  if (!(top < 1e12F)) return false;
  switch (kernel.kind) {
    case KernelKind::linear: return true;
    case KernelKind::gaussian:  // the rounding error of the exponent
      return kernel.gamma * top * 0x1p-22 < 1e-3 * 0x1p-6;
    case KernelKind::polynomial:
    case KernelKind::sigmoid:
      return kernel.degree <= 3 && kernel.gamma * top + std::abs(kernel.coef0) < 1e4;
  }
  return false;
}

template <class V, class MakeRows>
void solve_all(const Machines& machines, const SmoOptions& how, SmoResult* results,
               ThreadPool& pool, const MakeRows& make_rows) {
  SmoOptions each = how;
  each.cache_bytes /=
      std::max<std::int64_t>(1, std::min<std::int64_t>(pool.threads(), machines.count));
  pool.run(machines.count, [&](std::int64_t m) {
    const std::int64_t first = machines.start[m], n = machines.start[m + 1] - first;
    const Machine machine{machines.ids + first, machines.sign + first, machines.cost + first, n,
                          machines.beta + first};
    const std::unique_ptr<KernelRows<V>> rows = make_rows(machine.ids, n);
    results[m] = solve_machine(*rows, machine, each, pool);
  });
}

template <class V, class P>
void solve_computed(const DataRows<P>& data, const Kernel& kernel, const Machines& machines,
                    const SmoOptions& how, SmoResult* results, ThreadPool& pool) {
  solve_all<V>(machines, how, results, pool, [&](const std::int32_t* ids, std::int64_t n) {
    return std::make_unique<ComputedRows<V, P>>(data, kernel, ids, n);
  });
}

template <class V>
void solve_table(const Gram& gram, double shift, const Machines& machines, const SmoOptions& how,
                 SmoResult* results, ThreadPool& pool) {
  solve_all<V>(machines, how, results, pool, [&](const std::int32_t* ids, std::int64_t n) {
    return std::make_unique<TableRows<V>>(gram.values, gram.examples, shift, ids, n);
  });
}

}  // namespace

void solve_machines(const KernelSource& source, const Kernel& kernel, const Machines& machines,
                    const SmoOptions& how, bool precise, SmoResult* results, ThreadPool& pool) {
  if (const auto* gram = std::get_if<Gram>(&source)) {
    const auto solve = precise ? solve_table<double> : solve_table<float>;
    return solve(*gram, kernel.shift, machines, how, results, pool);
  }
  const auto& x = std::get<AnyCsr>(source);
  if (!precise) {
    const DataRows<float> data(x);
    if (floats_suffice(kernel, data)) {
      return solve_computed<float>(data, kernel, machines, how, results, pool);
    }
  }
  const DataRows<double> data(x);
  // Only bounded values are sure to fit floats.
  const bool bounded = kernel.kind == KernelKind::gaussian || kernel.kind == KernelKind::sigmoid;
  const auto solve =
      precise || !bounded ? solve_computed<double, double> : solve_computed<float, double>;
  solve(data, kernel, machines, how, results, pool);
}

}  // namespace linnet
