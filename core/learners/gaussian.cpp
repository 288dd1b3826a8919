#include "gaussian.hpp"

#include <vector>

#include "by_class.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kRowsPerBlock = 64;
constexpr std::int64_t kFull = 4;  // a row that stores a kFull-th of the features counts as full

// Every feature, the absent ones too: exact, and the rule for dense data.
template <class V>
double full_row(const Row<V>& x, const double* mean, const double* precision, std::int64_t cols) {
  double sum = 0.0;
  std::int64_t j = 0;
  for (std::int64_t s = 0; s < x.size; ++s, ++j) {
    for (; j < x.index[s]; ++j) sum += precision[j] * mean[j] * mean[j];
    const double d = value_at(x.value, s) - mean[j];
    sum += precision[j] * d * d;
  }
  for (; j < cols; ++j) sum += precision[j] * mean[j] * mean[j];
  return sum;
}

// Starts from the row without any feature, `empty`, and corrects the stored ones.
template <class V>
double sparse_row(const Row<V>& x, const double* mean, const double* precision, double empty) {
  double sum = empty;
  for (std::int64_t s = 0; s < x.size; ++s) {
    const std::int32_t j = x.index[s];
    const double v = value_at(x.value, s);
    sum += precision[j] * v * (v - 2.0 * mean[j]);
  }
  return sum;
}

}  // namespace

void squared_deviations(const AnyCsr& any, const Labelled& labels, const double* mean,
                        const double* total, double* out, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        const std::int64_t cols = x.cols;
        const ByClass by_class(x.start, x.rows, x.cols, labels);
        std::vector<double> stored(static_cast<std::size_t>(labels.classes * cols));
        by_class.sum(x, stored.data(), pool,
                     [](double weight, double, std::int32_t, std::int64_t) { return weight; });
        by_class.sum(x, out, pool,
                     [&](double weight, double value, std::int32_t k, std::int64_t j) {
                       const double d = value - mean[k * cols + j];
                       return weight * d * d;
                     });
        pool.run(labels.classes, [&](std::int64_t k) {
          for (std::int64_t at = k * cols; at < (k + 1) * cols; ++at) {
            const double absent = std::max(0.0, total[k] - stored[static_cast<std::size_t>(at)]);
            out[at] += absent * mean[at] * mean[at];
          }
        });
      },
      any);
}

void gaussian_exponents(const AnyCsr& any, const double* mean, const double* precision,
                        std::int32_t classes, double* out, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        const std::int64_t cols = x.cols;
        std::vector<double> empty(static_cast<std::size_t>(classes));
        for (std::int64_t at = 0; at < classes * cols; ++at) {
          empty[static_cast<std::size_t>(at / cols)] += precision[at] * mean[at] * mean[at];
        }
        pool.ranges(x.rows, kRowsPerBlock, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            const auto row = x.row(i);
            for (std::int32_t k = 0; k < classes; ++k) {
              const double* m = mean + k * cols;
              const double* p = precision + k * cols;
              const double sum = row.size * kFull >= cols
                                     ? full_row(row, m, p, cols)
                                     : sparse_row(row, m, p, empty[static_cast<std::size_t>(k)]);
              out[i * classes + k] = -0.5 * sum;
            }
          }
        });
      },
      any);
}

}  // namespace linnet
