#include <algorithm>
#include <cmath>
#include <vector>

#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "dual_cd.hpp"
#include "sleepers.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 256;         // rows per block of the gap
constexpr std::int64_t kRowsPerCheck = 256;  // rows between checkpoints of an epoch
constexpr double kNegligible = 0.1;          // of the tolerated gap per row: such a row may sleep

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
    if (options_.loss == Loss::log) {  // cost * KL(p || softmax(scores)), p = 1[gold] - alpha / cost
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

  const DualOptions& options_;
  const std::int32_t classes_;
  std::vector<double> bounds_, order_, step_;  // [K] scratch
};

template <class V>
class JointSolver {
 public:
  JointSolver(const Csr<V>& x, const Examples& examples, const DualOptions& options, double* alpha,
              double* weights, ThreadPool& pool)
      : x_(x),
        examples_(examples),
        options_(options),
        pool_(pool),
        classes_(examples.classes),
        alpha_(alpha),
        weights_(weights),
        norms_(static_cast<std::size_t>(x.rows)),
        sleepers_(x.rows) {
    pool.ranges(x.rows, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        norms_[i] = flat::squared_norm(x.row(i)) + examples.bias * examples.bias;
      }
    });
    if (options.loss == Loss::log) start_odds();
    const std::int64_t size = (x.cols + (examples.bias != 0.0 ? 1 : 0)) * std::int64_t{classes_};
    std::fill(weights, weights + size, 0.0);
    for (std::int64_t i = 0; i < x.rows; ++i) add(i, alpha_ + i * classes_);
  }

  void solve() {
    certify(0);
    std::int64_t unchecked = 0;
    double previous = 0.0;
    for (std::int64_t epoch = 1; epoch <= options_.max_epochs && !finished_; ++epoch) {
      const double estimate = sweep(epoch, unchecked);
      const double trend = previous > 0.0 ? std::min(1.0, estimate / previous) : 1.0;
      previous = estimate;
      const bool looks_done = 0.5 * estimate * trend <= options_.tolerance * objective_;
      if (looks_done || unchecked >= 10 * x_.stored() || epoch == options_.max_epochs) {
        certify(epoch);
        unchecked = 0;
        if (looks_done && !finished_) sleepers_.wake_all();
      }
    }
  }

 private:
  // p starts where alpha says; a fresh start (alpha = 0) has all mass on the gold label.
  void start_odds() {
    odds_.resize(static_cast<std::size_t>(x_.rows) * classes_);
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      const double cost = examples_.cost[i];
      for (std::int32_t k = 0; k < classes_; ++k) {
        const double gold = k == examples_.gold[i] ? 1.0 : 0.0;
        const double p = cost > 0.0 ? gold - alpha_[i * classes_ + k] / cost : gold;
        odds_[i * classes_ + k] = std::log(std::clamp(p, 1e-12, 1.0));
      }
    }
  }

  double sweep(std::int64_t epoch, std::int64_t& work) {
    Block block(options_, classes_);
    std::vector<double> scores(static_cast<std::size_t>(classes_)), amount(scores), none(scores);
    const auto& order = sleepers_.awake(epoch, options_.seed);
    const double negligible = kNegligible * options_.tolerance * objective_ /
                              static_cast<double>(std::max<std::int64_t>(1, x_.rows));
    double estimate = 0.0;
    for (std::size_t n = 0; n < order.size(); ++n) {
      if (n % kRowsPerCheck == 0) pool_.checkpoint();
      const std::int32_t i = order[n];
      double* alpha = alpha_ + i * std::int64_t{classes_};
      const double cost = examples_.cost[i];
      score(i, scores.data());
      work += x_.start[i + 1] - x_.start[i];
      const double share = block.share(scores.data(), alpha, examples_.gold[i], cost);
      estimate += share;
      const bool matters = share > negligible;
      sleepers_.visited(i, epoch, matters);
      if (!matters) continue;
      std::copy(alpha, alpha + classes_, amount.begin());
      double* odds = odds_.empty() ? none.data() : odds_.data() + i * std::int64_t{classes_};
      block.optimise(scores.data(), norms_[i], cost, examples_.gold[i], odds, alpha);
      for (std::int32_t k = 0; k < classes_; ++k) amount[k] = alpha[k] - amount[k];
      add(i, amount.data());
    }
    return estimate;
  }

  void score(std::int64_t i, double* out) const {
    flat::score(x_.row(i), weights_, classes_, out);
    const double* row = weights_ + x_.cols * std::int64_t{classes_};
    for (std::int32_t k = 0; k < classes_ && examples_.bias != 0.0; ++k) {
      out[k] += examples_.bias * row[k];
    }
  }

  // Few columns change at a time: only those are written.
  void add(std::int64_t i, const double* amount) {
    changed_.clear();
    for (std::int32_t k = 0; k < classes_; ++k) {
      if (amount[k] != 0.0) changed_.push_back(k);
    }
    if (changed_.empty()) return;
    const Row<V> x = x_.row(i);
    if (changed_.size() * 3 > static_cast<std::size_t>(classes_)) {
      flat::add(x, amount, classes_, weights_);
    } else {
      for (std::int64_t n = 0; n < x.size; ++n) {
        double* row = weights_ + x.index[n] * std::int64_t{classes_};
        const double v = value_at(x.value, n);
        for (const std::int32_t k : changed_) row[k] += v * amount[k];
      }
    }
    double* row = weights_ + x_.cols * std::int64_t{classes_};
    for (const std::int32_t k : changed_) {
      if (examples_.bias != 0.0) row[k] += examples_.bias * amount[k];
    }
  }

  void certify(std::int64_t epoch) {
    const std::int64_t size =
        (x_.cols + (examples_.bias != 0.0 ? 1 : 0)) * std::int64_t{classes_};
    const double squares = pool_.sum(size, 1 << 15, [&](std::int64_t first, std::int64_t last) {
      double sum = 0.0;
      for (std::int64_t j = first; j < last; ++j) sum += weights_[j] * weights_[j];
      return sum;
    });
    std::vector<double> gaps(static_cast<std::size_t>((x_.rows + kGrain - 1) / kGrain));
    const double loss = pool_.sum(x_.rows, kGrain, [&](std::int64_t first, std::int64_t last) {
      Block block(options_, classes_);
      std::vector<double> scores(static_cast<std::size_t>(classes_));
      double sum = 0.0, gap = 0.0;
      for (std::int64_t i = first; i < last; ++i) {
        const std::int32_t gold = examples_.gold[i];
        score(i, scores.data());
        sum += examples_.cost[i] * block.loss(scores.data(), gold);
        gap += block.share(scores.data(), alpha_ + i * std::int64_t{classes_}, gold,
                           examples_.cost[i]);
      }
      gaps[static_cast<std::size_t>(first / kGrain)] = gap;
      return sum;
    });
    double gap = 0.0;
    for (double part : gaps) gap += part;
    gap = std::max(0.0, gap);
    objective_ = 0.5 * squares + loss;
    finished_ = !pool_.progress().record({epoch, objective_, gap, 0.0, 0.0}) ||
                gap <= options_.tolerance * objective_;
  }

  const Csr<V>& x_;
  const Examples& examples_;
  const DualOptions& options_;
  ThreadPool& pool_;
  const std::int32_t classes_;
  double* alpha_;              // [rows][K]
  double* weights_;            // [J + 1][K]
  std::vector<double> norms_;  // [rows] |x_i|^2 with the bias
  std::vector<double> odds_;   // [rows][K] log of the softmax, log loss only
  std::vector<std::int32_t> changed_;
  Sleepers sleepers_;
  double objective_ = 0.0;
  bool finished_ = false;
};

}  // namespace

void dual_joint(const AnyCsr& any, const Examples& examples, const DualOptions& options,
                double* alpha, double* weights, ThreadPool& pool) {
  std::visit(
      [&]<class V>(const Csr<V>& x) {
        JointSolver<V>(x, examples, options, alpha, weights, pool).solve();
      },
      any);
}

}  // namespace linnet
