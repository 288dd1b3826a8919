// What an online run has come to: its weights, or their mean, and the loss at fixed weights.
#include <cmath>
#include <vector>

#include "../structures/flat.hpp"
#include "online.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block of parallel work
constexpr std::int64_t kWeightsPerBlock = 1 << 16;

}  // namespace

bool online_weights(const double* weights, const double* sums, const OnlineState& state,
                    double count, std::int64_t bias_from, std::int64_t size, double* out,
                    ThreadPool& pool) {
  const double unusable =
      pool.sum(size, kWeightsPerBlock, [&](std::int64_t first, std::int64_t last) {
        std::int64_t found = 0;
        for (std::int64_t n = first; n < last; ++n) {
          const LazyAverage& average = n >= bias_from ? state.bias : state.weights;
          out[n] = sums == nullptr ? average.current(weights[n])
                                   : average.mean(weights[n], sums[n], count);
          found += !std::isfinite(out[n]);
        }
        return static_cast<double>(found);
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
