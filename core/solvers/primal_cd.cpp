// Primal coordinate descent (primal_cd.hpp): the weights of a column in a new order every epoch.
#include "primal_cd.hpp"

#include <memory>
#include <vector>

#include "../losses/all.hpp"
#include "../random.hpp"
#include "../structures/flat.hpp"
#include "../structures/transposed.hpp"
#include "stopping.hpp"

namespace linnet {
namespace {

constexpr double kDecrease = 0.01;  // share of the slope that a step must gain
constexpr int kTrials = 30;
constexpr std::int64_t kPolled = 256;  // weights between two polls

template <class L, class V>
class PrimalDescent {
 public:
  PrimalDescent(const Csr<V>& x, const Examples& examples, const Objective& f, double* w,
                std::uint64_t seed, ThreadPool& pool)
      : x_(x),
        examples_(examples),
        f_(f),
        w_(w),
        seed_(seed),
        pool_(pool),
        columns_(examples.columns()),
        by_feature_(transpose(x, pool)),
        order_(static_cast<std::size_t>(flat::Layout{x.cols, columns_, examples.bias}.rows())),
        score_(static_cast<std::size_t>(x.rows * columns_)),
        margin_(score_.size()) {}

  void epoch(std::uint64_t number) {
    permutation(order_.data(), static_cast<std::int64_t>(order_.size()), seed_, number);
    // afresh, so that no rounding adds up over the epochs
    flat::scores(x_, w_, columns_, examples_.bias, score_.data(), pool_);
    pool_.run(columns_, [&](std::int64_t column) {
      double* margin = margin_.data() + column * x_.rows;
      for (std::int64_t i = 0; i < x_.rows; ++i) {
        margin[i] = sign(i, column) * score_[i * columns_ + column];
      }
      for (std::size_t n = 0; n < order_.size(); ++n) {
        if (n % kPolled == 0) pool_.checkpoint();
        step(order_[n], column, margin);
      }
    });
  }

 private:
  double sign(std::int64_t i, std::int64_t column) const {
    return examples_.gold[i] == (examples_.classes == 2 ? 1 : column) ? 1.0 : -1.0;
  }

  // body(i, v) for the examples that have feature j with value v; the last feature is the bias.
  template <class Body>
  void each(std::int64_t j, Body&& body) const {
    if (j == x_.cols) {
      for (std::int64_t i = 0; i < x_.rows; ++i) body(i, examples_.bias);
      return;
    }
    const Row<V> column = by_feature_.column(j);
    for (std::int64_t k = 0; k < column.size; ++k) {
      body(column.index[k], value_at(column.value, k));
    }
  }

  void step(std::int64_t j, std::int64_t column, double* margin) {
    const std::int64_t at = j * columns_ + column;
    const double l2 = f_.l2(at), w = w_[at];
    double slope = l2 * w, curvature = l2;
    each(j, [&](std::int64_t i, double v) {
      const double cost = examples_.cost[i];
      slope += cost * L::derivative(margin[i]) * sign(i, column) * v;
      curvature += cost * L::curvature(margin[i]) * v * v;
    });
    if (slope == 0.0 || !(curvature > 0.0)) return;
    double z = -slope / curvature;
    for (int trial = 0; trial < kTrials; ++trial, z *= 0.5) {
      double change = l2 * z * (w + 0.5 * z);
      each(j, [&](std::int64_t i, double v) {
        const double m = margin[i];
        change += examples_.cost[i] * (L::value(m + sign(i, column) * v * z) - L::value(m));
      });
      if (!(change <= kDecrease * z * slope)) continue;
      w_[at] = w + z;
      each(j, [&](std::int64_t i, double v) { margin[i] += sign(i, column) * v * z; });
      return;
    }  // no step gains more than rounding takes
  }

  const Csr<V> x_;
  const Examples examples_;
  const Objective& f_;
  double* const w_;  // [cols + 1][columns]
  const std::uint64_t seed_;
  ThreadPool& pool_;
  const std::int32_t columns_;
  const Columns<V> by_feature_;
  std::vector<std::int64_t> order_;  // of the features, the bias among them
  std::vector<double> score_;        // [rows][columns]
  std::vector<double> margin_;       // [columns][rows]
};

}  // namespace

void primal_coordinate_descent(const AnyCsr& any, const Examples& examples, std::string_view loss,
                               Objective& f, double* w, const BatchOptions& options,
                               std::uint64_t seed, ThreadPool& pool) {
  Vectors vectors(f.size(), pool);
  const auto gradient =
      std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(f.size()));
  const auto solve = [&]<class L, class V>(std::type_identity<L>, const Csr<V>& x) {
    if constexpr (HasCurvature<L>) {
      PrimalDescent<L, V> descent(x, examples, f, w, seed, pool);
      Stopping stopping(f, options, vectors);
      for (std::uint64_t epoch = 0;; ++epoch) {
        const double objective = f.evaluate(w, gradient.get());
        const double norm = vectors.max_abs(gradient.get());
        if (stopping.at(w, gradient.get(), objective, norm, 0.0)) return;
        descent.epoch(epoch);
      }
    } else {
      lacks(L::kName, "curvature", "primal coordinate descent");
    }
  };
  with_loss(MarginLosses{}, loss, [&]<class L>(std::type_identity<L> which) {
    std::visit([&](const auto& x) { solve(which, x); }, any);
  });
}

}  // namespace linnet
