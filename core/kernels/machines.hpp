// Several kernel machines over one set of examples: a task of two classes, or one for each pair of
// classes or each class against the rest (SPEC M-88, M-89). Machines are solved side by side, each
// by one thread, so results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <variant>

#include "kernels/kernel.hpp"
#include "kernels/smo.hpp"
#include "views.hpp"

namespace linnet {

struct Gram {
  const double* values;  // [examples][examples]
  std::int64_t examples;
};

// Features and a kernel, or the values of a kernel.
using KernelSource = std::variant<AnyCsr, Gram>;

// Machine m has the examples ids[start[m]] .. ids[start[m + 1] - 1], and sign, cost and beta alike.
struct Machines {
  const std::int64_t* start;  // [count + 1]
  const std::int32_t* ids;
  const double* sign;
  const double* cost;
  double* beta;
  std::int64_t count;
};

// `precise` keeps kernel values as doubles. results[count] is written.
void solve_machines(const KernelSource& source, const Kernel& kernel, const Machines& machines,
                    const SmoOptions& how, bool precise, SmoResult* results, ThreadPool& pool);

}  // namespace linnet
