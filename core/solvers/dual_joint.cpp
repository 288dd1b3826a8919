#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "dual_machine.hpp"

namespace linnet {
namespace {

// The dual variables of one example at their optimum. `scores` are x_i W, q = |x_i|^2, `alpha` the
// coefficients of x_i in the K columns, which are replaced.
class Block {
 public:
  Block(const DualOptions& options, std::int32_t classes)
      : options_(options),
        classes_(classes),
        bounds_(static_cast<std::size_t>(classes)),
        order_(bounds_) {}

  // g_k = score_k + cost of guessing k: what the cost-augmented argmax runs over.
  double augmented(const double* scores, std::int32_t gold, std::int32_t k) const {
    if (k == gold) return scores[k];
    return scores[k] + (options_.margins == nullptr ? 1.0 : options_.margins[gold * classes_ + k]);
  }

  // The share of this example in the duality gap; never negative but for rounding.
  double share(const double* scores, const double* alpha, std::int32_t gold, double cost) {
    if (cost == 0.0) return 0.0;
    if (options_.loss ==
        Loss::log) {  // cost * KL(p || softmax(scores)), p = 1[gold] - alpha / cost
      double* z = bounds_.data();
      std::copy(scores, scores + classes_, z);
      double sum = softmax(z, classes_);
      for (std::int32_t k = 0; k < classes_; ++k) {
        const double p = std::max(0.0, (k == gold ? 1.0 : 0.0) - alpha[k] / cost);
        sum += x_log_x(p) - p * scores[k];
      }
      return cost * sum;
    }
    double top = scores[gold], cross = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) {
      const double g = augmented(scores, gold, k);
      top = std::max(top, g);
      cross += alpha[k] * g;
    }
    const double violation = top - scores[gold];
    if (options_.loss == Loss::hinge) return cost * violation + cross;
    return cost * violation * violation + alpha[gold] * alpha[gold] / (4.0 * cost) + cross;
  }

  double loss(const double* scores, std::int32_t gold) {
    if (options_.loss == Loss::log) {
      double* z = bounds_.data();
      std::copy(scores, scores + classes_, z);
      return softmax(z, classes_) - scores[gold];
    }
    double top = scores[gold];
    for (std::int32_t k = 0; k < classes_; ++k) top = std::max(top, augmented(scores, gold, k));
    const double violation = top - scores[gold];
    return options_.loss == Loss::hinge ? violation : violation * violation;
  }

  void optimise(const double* scores, double q, double cost, std::int32_t gold, double* odds,
                double* alpha) {
    if (options_.loss == Loss::log) {
      soft(scores, q * cost, cost, gold, odds, alpha);
    } else if (q > 0.0) {
      hard(scores, q, cost, gold, alpha);
    } else {
      empty(scores, cost, gold, alpha);
    }
  }

 private:
  // alpha_k = min(cap_k, (B_k - theta) / q) with zero sum, B_k = q alpha_k - g_k, cap 0 for wrong
  // labels and `cost` for the gold one (hinge) or, squared, a softer slope instead of a cap. The
  // wrong labels below theta are a prefix of the sorted B; theta is found by growing it.
  void hard(const double* scores, double q, double cost, std::int32_t gold, double* alpha) {
    const bool squared = options_.loss == Loss::squared_hinge;
    const double gold_q = squared ? q + 1.0 / (2.0 * cost) : q;
    std::size_t wrong = 0;
    double gold_b = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) {
      bounds_[k] = q * alpha[k] - augmented(scores, gold, k);
      if (k == gold) {
        gold_b = bounds_[k];
      } else {
        order_[wrong++] = bounds_[k];
      }
    }
    std::sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(wrong));
    double theta = gold_b, total = 0.0;
    for (std::size_t r = 0; r < wrong && order_[r] < theta; ++r) {
      total += order_[r];
      const double n = static_cast<double>(r + 1);
      theta = (gold_b / gold_q + total / q) / (1.0 / gold_q + n / q);
      if (!squared && (gold_b - theta) / q > cost) theta = (q * cost + total) / n;
    }
    double gold_value = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) {
      if (k == gold) continue;
      alpha[k] = std::min(0.0, (bounds_[k] - theta) / q);
      gold_value -= alpha[k];
    }
    alpha[gold] = squared ? gold_value : std::min(gold_value, cost);
  }

  // A row without features: its scores are 0, all its mass goes to the costliest guess.
  void empty(const double* scores, double cost, std::int32_t gold, double* alpha) const {
    std::int32_t worst = gold;
    for (std::int32_t k = 0; k < classes_; ++k) {
      if (augmented(scores, gold, k) > augmented(scores, gold, worst)) worst = k;
    }
    std::fill(alpha, alpha + classes_, 0.0);
    if (worst == gold) return;
    const double margin = augmented(scores, gold, worst) - scores[gold];
    const double mass = options_.loss == Loss::hinge ? cost : 2.0 * cost * margin;
    alpha[gold] = mass;
    alpha[worst] = -mass;
  }

  // p = softmax(z) with z + q_cost p = t, t = scores + q_cost p_old: the minimum of the strongly
  // convex |z - t|^2 / 2 + q_cost logsumexp(z). Newton; the Hessian is diagonal plus rank one.
  void soft(const double* scores, double q_cost, double cost, std::int32_t gold, double* odds,
            double* alpha) {
    double* t = bounds_.data();
    double* p = order_.data();
    for (std::int32_t k = 0; k < classes_; ++k) {
      t[k] = scores[k] + q_cost * ((k == gold ? 1.0 : 0.0) - alpha[k] / cost);
    }
    double value = objective(odds, t, q_cost, p);
    for (int round = 0; round < 30; ++round) {
      double top = 0.0, p_inverse_g = 0.0, p_inverse_p = 0.0;
      for (std::int32_t k = 0; k < classes_; ++k) {
        const double g = odds[k] - t[k] + q_cost * p[k];
        top = std::max(top, std::abs(g));
        p_inverse_g += p[k] * g / (1.0 + q_cost * p[k]);
        p_inverse_p += p[k] * p[k] / (1.0 + q_cost * p[k]);
      }
      if (top <= 1e-9) break;
      const double shift = q_cost * p_inverse_g / (1.0 - q_cost * p_inverse_p);
      step_.resize(static_cast<std::size_t>(classes_));
      for (std::int32_t k = 0; k < classes_; ++k) {
        const double g = odds[k] - t[k] + q_cost * p[k];
        step_[k] = (g + shift * p[k]) / (1.0 + q_cost * p[k]);
      }
      double length = 1.0, next = 0.0;
      for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
        for (std::int32_t k = 0; k < classes_; ++k) {
          odds[k] -= (halving == 0 ? 1.0 : -length) * step_[k];
        }
        next = objective(odds, t, q_cost, p);
        if (next <= value + 1e-12 * std::abs(value)) break;
      }
      value = next;
    }
    for (std::int32_t k = 0; k < classes_; ++k) {
      alpha[k] = cost * ((k == gold ? 1.0 : 0.0) - p[k]);
    }
  }

  double objective(const double* z, const double* t, double q_cost, double* p) const {
    std::copy(z, z + classes_, p);
    double sum = q_cost * softmax(p, classes_);
    for (std::int32_t k = 0; k < classes_; ++k) sum += 0.5 * (z[k] - t[k]) * (z[k] - t[k]);
    return sum;
  }

  DualOptions options_;
  std::int32_t classes_;
  std::vector<double> bounds_, order_, step_;  // [K] scratch
};

// All classes in one loss: the duals of a row are one block.
class JointRule {
 public:
  JointRule(const Examples& examples, const DualOptions& options, const double* alpha,
            std::int64_t rows)
      : examples_(examples),
        options_(options),
        rows_(rows),
        classes_(examples.classes),
        alpha_(alpha, alpha + rows * classes_),
        block_(options, classes_) {
    if (options.loss != Loss::log) return;
    // p starts where alpha says; a fresh start (alpha = 0) has all mass on the gold label.
    odds_.resize(alpha_.size());
    for (std::int64_t n = 0; n < rows * classes_; ++n) {
      const double cost = examples.cost[n / classes_];
      const double gold = n % classes_ == examples.gold[n / classes_] ? 1.0 : 0.0;
      const double p = cost > 0.0 ? gold - alpha_[n] / cost : gold;
      odds_[n] = std::log(std::clamp(p, 1e-12, 1.0));
    }
  }

  std::int32_t width() const { return classes_; }
  std::int32_t problems() const { return 1; }

  void coefficients(std::int64_t i, double* amount) const {
    std::copy_n(alpha_.data() + i * classes_, classes_, amount);
  }

  Visit step(std::int64_t i, const double* scores, double q, double* amount) {
    double* alpha = alpha_.data() + i * classes_;
    const double cost = examples_.cost[i];
    const double share = block_.share(scores, alpha, examples_.gold[i], cost);
    if (share <= negligible_ || cost == 0.0) return {share, false, false};
    double* odds = odds_.empty() ? nullptr : odds_.data() + i * classes_;
    std::copy_n(alpha, classes_, amount);
    block_.optimise(scores, q, cost, examples_.gold[i], odds, alpha);
    bool moved = false;
    for (std::int32_t k = 0; k < classes_; ++k) {
      amount[k] = alpha[k] - amount[k];
      moved |= amount[k] != 0.0;
    }
    return {share, true, moved};
  }

  void measure(std::int64_t i, const double* scores, double* loss, double* gap) const {
    Block block(options_, classes_);
    *loss += examples_.cost[i] * block.loss(scores, examples_.gold[i]);
    *gap += block.share(scores, alpha_.data() + i * classes_, examples_.gold[i], examples_.cost[i]);
  }

  void certified(const double* objective, const double*) {
    allowed_ = options_.tolerance * *objective;
    negligible_ = kNegligible * allowed_ / static_cast<double>(std::max<std::int64_t>(1, rows_));
  }

  static constexpr bool kBalanced = true;
  bool is_quadratic() const { return options_.loss != Loss::log; }
  bool is_squared() const { return options_.loss == Loss::squared_hinge; }
  bool is_done(std::int32_t) const { return false; }
  double allowed(std::int32_t) const { return allowed_; }
  std::pair<std::int32_t, std::int32_t> columns_of(std::int32_t) const { return {0, classes_}; }
  double cost(std::int64_t i) const { return examples_.cost[i]; }

  bool is_inside(std::int32_t, std::int64_t i) const {
    const double* alpha = alpha_.data() + i * classes_;
    int count = 0;
    for (std::int32_t k = 0; k < classes_; ++k) count += alpha[k] != 0.0 && !at_cap(i, k);
    return count > 1;
  }

  void free(std::int32_t, std::int64_t i, const double* scores,
            std::vector<Coordinate>& out) const {
    const double* alpha = alpha_.data() + i * classes_;
    out.clear();
    for (std::int32_t k = 0; k < classes_; ++k) {
      if (alpha[k] == 0.0 || at_cap(i, k)) continue;
      const bool gold = k == examples_.gold[i];
      const double slack = gold && is_squared() ? 1.0 / (2.0 * examples_.cost[i]) : 0.0;
      const double high = !gold ? 0.0 : is_squared() ? INFINITY : examples_.cost[i];
      const double gradient = block_.augmented(scores, examples_.gold[i], k) + slack * alpha[k];
      out.push_back({k, 1.0, alpha[k], -INFINITY, high, gradient, slack});
    }
  }

  void take(std::int32_t, std::int64_t i, const Coordinate* from, const Coordinate* to) {
    double* alpha = alpha_.data() + i * classes_;
    const std::int32_t gold = examples_.gold[i];
    for (; from != to; ++from) alpha[from->column] = from->value;
    double wrong = 0.0;  // the gold label takes what rounding has left of a zero sum
    for (std::int32_t k = 0; k < classes_; ++k) wrong += k == gold ? 0.0 : alpha[k];
    alpha[gold] = is_squared() ? -wrong : std::min(-wrong, examples_.cost[i]);
  }

  void copy_alpha(double* out) const { std::copy(alpha_.begin(), alpha_.end(), out); }

 private:
  bool at_cap(std::int64_t i, std::int32_t k) const {
    return k == examples_.gold[i] && !is_squared() && alpha_[i * classes_ + k] >= examples_.cost[i];
  }

  Examples examples_;
  DualOptions options_;
  std::int64_t rows_;
  std::int32_t classes_;
  std::vector<double> alpha_;  // [rows][K]
  std::vector<double> odds_;   // [rows][K] log of the softmax, log loss only
  Block block_;
  double allowed_ = 0.0, negligible_ = 0.0;
};

template <class V>
void solve_joint(const Csr<V>& x, const Examples& examples, const DualOptions& options,
                 double* alpha, double* weights, ThreadPool& pool) {
  using Machine = DualMachine<V, JointRule>;
  std::vector<double> norms(static_cast<std::size_t>(x.rows));
  flat::squared_norms(x, examples.bias, norms.data(), pool);
  const Halves<V> halves(x, examples.classes, true);
  std::vector<std::unique_ptr<Machine>> machines;
  machines.push_back(std::make_unique<Machine>(x, halves, examples.bias, norms.data(),
                                               JointRule(examples, options, alpha, x.rows),
                                               weights));
  DualSolver<V, JointRule>(x, options, machines, pool).solve();
  machines[0]->rule().copy_alpha(alpha);
}

}  // namespace

void dual_joint(const AnyCsr& any, const Examples& examples, const DualOptions& options,
                double* alpha, double* weights, ThreadPool& pool) {
  std::visit([&](const auto& x) { solve_joint(x, examples, options, alpha, weights, pool); }, any);
}

}  // namespace linnet
