// The duality gap at any weights (certificate.hpp): residuals by rows, what they leave of the
// losses and their conjugates, then the gradient they make with the weights.
#include "certificate.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "../losses/example_loss.hpp"
#include "../structures/flat.hpp"
#include "../vectors.hpp"
#include "halves.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;  // examples per block

template <class V>
class Certificate {
 public:
  Certificate(const Csr<V>& x, const Examples& examples, Form form, const ExampleLoss& loss,
              ThreadPool& pool)
      : x_(x),
        examples_(examples),
        loss_(loss),
        pool_(pool),
        columns_(form == Form::grouped ? 1 : examples.columns()),
        per_(form == Form::grouped ? examples.classes : 1),
        residual_(static_cast<std::size_t>(x.rows * columns_)) {}

  double gap(const double* w) {
    flat::scores(x_, w, columns_, examples_.bias, residual_.data(), pool_);
    const double shares =
        pool_.sum(x_.rows / per_, kGrain,
                  [&](std::int64_t first, std::int64_t last) { return residuals(first, last); });
    const flat::Layout layout{x_.cols, columns_, examples_.bias};
    const auto gradient =
        std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(layout.size()));
    add_losses(layout, w, gradient.get());
    return shares + 0.5 * Vectors(layout.size(), pool_).dot(gradient.get(), gradient.get());
  }

 private:
  // Turns the scores of examples first..last-1 into residuals; returns what the losses and their
  // conjugates leave of the gap.
  double residuals(std::int64_t first, std::int64_t last) {
    const std::int64_t width = columns_ * per_;
    std::vector<double> scores(static_cast<std::size_t>(width)), scratch(scores.size());
    double sum = 0.0;
    for (std::int64_t i = first; i < last; ++i) {
      double* row = residual_.data() + i * width;
      const double cost = examples_.cost[i];
      const std::int32_t gold = examples_.gold[i];
      std::copy(row, row + width, scores.begin());
      const double value = loss_.differentiate(gold, cost, row, nullptr, nullptr);
      if (cost == 0.0) continue;
      double share = cost * (value + loss_.conjugate(gold, cost, 1.0, row, scratch.data()));
      for (std::int64_t c = 0; c < width; ++c) share -= row[c] * scores[c];
      sum += std::max(share, 0.0);
    }
    return sum;
  }

  // out = w + X^T R, in the order of the rows; where these are long, two threads have a half of the
  // features each, and the second the bias.
  void add_losses(const flat::Layout& layout, const double* w, double* out) {
    constexpr std::int64_t kAhead = 2;  // rows between a prefetch and its use
    const Halves<V> halves(x_, columns_, &pool_);
    const std::int64_t sides = halves.shared() ? 2 : 1;
    pool_.run(sides, [&](std::int64_t side) {
      const auto part = [&](std::int64_t r) {
        return side == 0 ? halves.left(r) : halves.right(r);
      };
      const std::int64_t cut = sides == 1 ? layout.size() : std::int64_t{halves.cut()} * columns_;
      const std::int64_t first = side == 0 ? 0 : cut, last = side == 0 ? cut : layout.size();
      std::copy(w + first, w + last, out + first);
      for (std::int64_t r = 0; r < x_.rows; ++r) {
        if (r % kGrain == 0) pool_.checkpoint();
        const std::int64_t next = std::min(r + kAhead, x_.rows - 1);
        const double* row = residual_.data() + r * columns_;
        flat::add(part(r), row, columns_, out, part(next));
        if (side + 1 == sides) layout.add_bias(row, out);
      }
    });
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const ExampleLoss& loss_;
  ThreadPool& pool_;
  const std::int32_t columns_;    // of the weights
  const std::int64_t per_;        // matrix rows of one example
  std::vector<double> residual_;  // [rows][columns] cost * d loss / d score
};

}  // namespace

double subgradient_gap(const AnyCsr& any, const Examples& examples, const CertifiedRisk& risk,
                       const double* weights, ThreadPool& pool) {
  const bool columns =
      risk.form == Form::columns || (risk.form == Form::joint && examples.classes == 2);
  const auto loss = columns ? columns_loss(risk.loss, examples.classes)
                            : joint_loss(risk.loss, {examples.classes, risk.margins});
  if (!loss->has_conjugate()) return std::numeric_limits<double>::infinity();
  return std::visit(
      [&]<class V>(const Csr<V>& x) {
        return Certificate<V>(x, examples, risk.form, *loss, pool).gap(weights);
      },
      any);
}

}  // namespace linnet
