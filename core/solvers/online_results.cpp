// What an online run has come to: its weights, or their mean, and the loss at fixed weights.
#include <algorithm>
#include <bit>
#include <vector>

#include "../structures/flat.hpp"
#include "online.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block of parallel work
constexpr std::int64_t kWeightsPerBlock = 1 << 16;

// Reads weights first..last-1 and returns how many are not finite. Without branches, and by the
// bits of the exponent, so that compilers turn the loops into vectors.
std::uint64_t read_weights(const double* weights, const double* sums, const LazyAverage& average,
                           double count, std::int64_t first, std::int64_t last, double* out) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;
  std::uint64_t found = 0;
  const auto look = [&](std::int64_t n) {
    found += (std::bit_cast<std::uint64_t>(out[n]) & kExponent) == kExponent ? 1U : 0U;
  };
  if (sums == nullptr) {
    for (std::int64_t n = first; n < last; ++n) {
      out[n] = average.current(weights[n]);
      look(n);
    }
  } else {
    for (std::int64_t n = first; n < last; ++n) {
      out[n] = average.mean(weights[n], sums[n], count);
      look(n);
    }
  }
  return found;
}

}  // namespace

bool online_weights(const double* weights, const double* sums, const OnlineState& state,
                    double count, std::int64_t bias_from, std::int64_t size, double* out,
                    ThreadPool& pool) {
  const double unusable =
      pool.sum(size, kWeightsPerBlock, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t border = std::clamp(bias_from, first, last);
        return static_cast<double>(
            read_weights(weights, sums, state.weights, count, first, border, out) +
            read_weights(weights, sums, state.bias, count, border, last, out));
      });
  return unusable == 0.0;
}

double total_loss(const AnyCsr& any, const Examples& examples, const Rule& rule,
                  const double* weights, ThreadPool& pool) {
  return std::visit(
      [&]<class V>(const Csr<V>& x) {
        const std::int32_t width = rule.width(), columns = rule.columns();
        const std::int64_t per = rule.form() == Form::grouped ? width : 1;  // matrix rows each
        const flat::Layout layout{x.cols, columns, examples.bias};
        return pool.sum(x.rows / per, kGrain, [&](std::int64_t first, std::int64_t last) {
          std::vector<double> scores(static_cast<std::size_t>(width)), residual(scores.size());
          double sum = 0.0;
          for (std::int64_t i = first; i < last; ++i) {
            for (std::int64_t r = 0; r < per; ++r) {
              flat::score(x.row(i * per + r), weights, columns, scores.data() + r);
            }
            layout.score_bias(weights, scores.data());
            sum += examples.cost[i] *
                   rule.judge(scores.data(), examples.gold[i], residual.data()).loss;
          }
          return sum;
        });
      },
      any);
}

}  // namespace linnet
