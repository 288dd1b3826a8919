// The perceptron in its dual form, with any kernel (SPEC M-39 - M-41).
//
// Two classes, y = +-1: when y_k s_k is wrong, with s_k = sum_i beta_i K(i, k), add y_k to beta_k.
// Several: when another class is guessed, add 1 to beta_k of the gold class and take 1 from that of
// the guess. The intercept is the kernel's shift of 1: b = sum_i beta_i.
#pragma once

#include <cstdint>

#include "kernels/kernel.hpp"
#include "kernels/machines.hpp"
#include "parallel.hpp"

namespace linnet {

enum class KernelTie { nonpositive, sign, strict };  // when a binary score of 0 is wrong

struct KernelRounds {
  std::int64_t rounds;
  bool shuffle;  // each round in an order of its own
  std::uint64_t seed;
  KernelTie tie;
  bool stop_when_clean;
  std::int64_t cache_bytes;
};

struct KernelCounts {
  double* beta;            // [examples][columns] after the last step
  double* late;            // [examples][columns] each change times the number of steps before it
  std::int64_t* mistakes;  // [rounds]
};

// Columns are 1 for two classes, else one a class. Returns the number of rounds run.
std::int64_t kernel_perceptron(const KernelSource& source, const Kernel& kernel,
                               const std::int32_t* gold, std::int64_t examples,
                               std::int32_t classes, const KernelRounds& how,
                               const KernelCounts& out, ThreadPool& pool);

}  // namespace linnet
