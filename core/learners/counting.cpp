#include "counting.hpp"

#include <algorithm>
#include <memory>

#include "by_class.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kCells = 1 << 14;  // of a block, all classes together
constexpr std::int64_t kFeatures = 1 << 14;
constexpr int kSums = 8;  // in flight, which hides the latency of addition

// The sum of of(first) .. of(last - 1)
template <class Of>
LINNET_INLINE double sum_of(std::int64_t first, std::int64_t last, Of&& of) {
  double sum[kSums] = {};
  for (; first + kSums <= last; first += kSums) {
    for (int s = 0; s < kSums; ++s) sum[s] += of(first + s);
  }
  for (; first < last; ++first) sum[0] += of(first);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// log[j] = ln(counts[j] + alpha) - log_size; returns sum_j counts[j] log[j]
LINNET_CLONES double log_row(const double* counts, std::int64_t n, double alpha, double log_size,
                             double* log) {
  for (std::int64_t j = 0; j < n; ++j) log[j] = counts[j] + alpha;
  log_in_place(log, n);
  for (std::int64_t j = 0; j < n; ++j) log[j] -= log_size;
  return sum_of(0, n, [&](std::int64_t j) LINNET_INLINE_LAMBDA { return counts[j] * log[j]; });
}

// to[n][2] = from[2][n] and, where asked for, the difference of the two
LINNET_CLONES void turn_two(const double* from, std::int64_t n, double* to, double* odds) {
  for (std::int64_t j = 0; j < n; ++j) {
    to[2 * j] = from[j];
    to[2 * j + 1] = from[n + j];
  }
  if (odds == nullptr) return;
  for (std::int64_t j = 0; j < n; ++j) odds[j] = from[n + j] - from[j];
}

void turn(const double* from, std::int64_t classes, std::int64_t n, double* to) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = 0; k < classes; ++k) to[j * classes + k] = from[k * n + j];
  }
}

}  // namespace

void count(const AnyCsr& any, const Labelled& labels, double* counts, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        ByClass(x.start, x.rows, x.cols, labels)
            .sum(x, counts, pool, [](double weight, double value, std::int32_t, std::int64_t) {
              return weight * value;
            });
      },
      any);
}

void count_totals(const Counts& from, double* totals, ThreadPool& pool) {
  for (std::int32_t k = 0; k < from.classes; ++k) {
    const double* row = from.counts + k * from.features;
    totals[k] = pool.sum(from.features, kFeatures, [&](std::int64_t first, std::int64_t last) {
      return sum_of(first, last, [&](std::int64_t j) LINNET_INLINE_LAMBDA { return row[j]; });
    });
  }
}

double log_probabilities(const Counts& from, const double* log_size, double* out, double* odds,
                         ThreadPool& pool) {
  const std::int64_t classes = from.classes;
  const std::int64_t grain = std::max<std::int64_t>(16, kCells / classes);
  return pool.sum(from.features, grain, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t size = last - first;
    const auto block =  // [K][size]
        std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(size * classes));
    double sum = 0.0;
    for (std::int64_t k = 0; k < classes; ++k) {
      sum += log_row(from.counts + k * from.features + first, size, from.alpha, log_size[k],
                     block.get() + k * size);
    }
    if (classes == 2) {
      turn_two(block.get(), size, out + 2 * first, odds == nullptr ? nullptr : odds + first);
    } else {
      turn(block.get(), classes, size, out + classes * first);
    }
    return sum;
  });
}

}  // namespace linnet
