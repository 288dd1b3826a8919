#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "dual_machine.hpp"

namespace linnet {
namespace {

constexpr std::int32_t kWidest = 32;  // columns that share a sweep
// The log-odds u of alpha' = cost sigmoid(u) at the optimum of one coordinate:
//   u + m + q cost sigmoid(u) = 0,      m = margin - q alpha.
// The left side rises with slope >= 1, so Newton inside the bracket [-m - q cost, -m] is safe.
double log_coordinate(double u, double m, double q_cost) {
  double low = -m - q_cost, high = -m;
  u = std::clamp(u, low, high);
  for (int round = 0; round < 50; ++round) {
    const double p = sigmoid(u);
    const double g = u + m + q_cost * p;
    (g > 0.0 ? high : low) = u;
    const double next = u - g / (1.0 + q_cost * p * (1.0 - p));
    u = next >= low && next <= high ? next : 0.5 * (low + high);
    if (std::abs(g) <= 1e-3) break;  // Newton has squared the error by now
  }
  return u;
}

// Columns first..first+width-1, each a binary problem of its own.
class ColumnsRule {
 public:
  ColumnsRule(const Examples& examples, const DualOptions& options, const double* alpha,
              std::int64_t rows, std::int32_t first, std::int32_t width)
      : examples_(examples),
        options_(options),
        rows_(rows),
        first_(first),
        width_(width),
        alpha_(static_cast<std::size_t>(rows) * width),
        done_(static_cast<std::size_t>(width), 0),
        allowed_(static_cast<std::size_t>(width)),
        negligible_(allowed_) {
    if (options.loss == Loss::log) odds_.resize(alpha_.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int32_t c = 0; c < width; ++c) {
        const double a = alpha[i * examples.columns() + first + c];
        alpha_[i * width + c] = a;
        // -inf at a = 0, where Newton starts from its bracket
        if (!odds_.empty()) odds_[i * width + c] = std::log(a) - std::log(examples.cost[i] - a);
      }
    }
  }

  std::int32_t width() const { return width_; }
  std::int32_t problems() const { return width_; }

  void coefficients(std::int64_t i, double* amount) const {
    for (std::int32_t c = 0; c < width_; ++c) amount[c] = sign(i, c) * alpha_[i * width_ + c];
  }

  Visit step(std::int64_t i, const double* scores, double q, double* amount) {
    Visit visit{0.0, false, false};
    const double cost = examples_.cost[i];
    for (std::int32_t c = 0; c < width_; ++c) {
      amount[c] = 0.0;
      if (done_[c] || cost == 0.0) continue;
      const double y = sign(i, c), margin = y * scores[c];
      double& a = alpha_[i * width_ + c];
      const double share = quick_share(i, c, margin, a, cost);
      visit.share += share;
      if (share <= negligible_[c]) continue;
      const double next = optimum(i, c, margin, a, cost, q);
      amount[c] = y * (next - a);
      visit.mattered = true;
      visit.moved |= next != a;
      a = next;
    }
    return visit;
  }

  void measure(std::int64_t i, const double* scores, double* loss, double* gap) const {
    const double cost = examples_.cost[i];
    if (cost == 0.0) return;
    for (std::int32_t c = 0; c < width_; ++c) {
      const double margin = sign(i, c) * scores[c], a = alpha_[i * width_ + c];
      const double value = cost * loss::value(options_.loss, margin);
      loss[c] += value;
      gap[c] += value + cost * loss::conjugate(options_.loss, a / cost) + a * margin;
    }
  }

  void certified(const double* objective, const double* gap) {
    for (std::int32_t c = 0; c < width_; ++c) {
      const double allowed = options_.tolerance * objective[c];
      done_[c] = gap[c] <= allowed;
      allowed_[c] = allowed;
      negligible_[c] =
          kNegligible * allowed / static_cast<double>(std::max<std::int64_t>(1, rows_));
    }
  }

  static constexpr bool kBalanced = false;
  bool is_quadratic() const { return options_.loss != Loss::log; }
  bool is_squared() const { return options_.loss == Loss::squared_hinge; }
  bool is_done(std::int32_t c) const { return done_[c]; }
  double allowed(std::int32_t c) const { return allowed_[c]; }
  std::pair<std::int32_t, std::int32_t> columns_of(std::int32_t c) const { return {c, 1}; }
  double cost(std::int64_t i) const { return examples_.cost[i]; }

  bool is_inside(std::int32_t c, std::int64_t i) const {
    const double a = alpha_[i * width_ + c];
    return a > 0.0 && (is_squared() || a < examples_.cost[i]);
  }

  void free(std::int32_t c, std::int64_t i, const double* score,
            std::vector<Coordinate>& out) const {
    const double a = alpha_[i * width_ + c], y = sign(i, c), cost = examples_.cost[i];
    const double slack = is_squared() ? 1.0 / (2.0 * cost) : 0.0;
    out.assign(1,
               {0, y, a, 0.0, is_squared() ? INFINITY : cost, y * *score - 1.0 + slack * a, slack});
  }

  void take(std::int32_t c, std::int64_t i, const Coordinate* from, const Coordinate*) {
    alpha_[i * width_ + c] = from->value;
  }

  void copy_alpha(double* out) const {
    for (std::int64_t i = 0; i < rows_; ++i) {
      std::copy_n(alpha_.data() + i * width_, width_, out + i * examples_.columns() + first_);
    }
  }

  std::int32_t first() const { return first_; }

 private:
  double sign(std::int64_t i, std::int32_t c) const {
    const std::int32_t positive = examples_.classes == 2 ? 1 : first_ + c;
    return examples_.gold[i] == positive ? 1.0 : -1.0;
  }

  // What `measure` adds to the gap. For the log loss that is cost * KL(p || sigmoid(-margin)), p =
  // a / cost; near its end the second order in the difference of the log-odds spares logarithms.
  double quick_share(std::int64_t i, std::int32_t c, double margin, double a, double cost) const {
    if (options_.loss == Loss::log && a > 0.0) {
      const double u = odds_[i * width_ + c], difference = u + margin, p = a / cost;
      if (std::abs(difference) < 0.5) {
        return 0.5 * cost * p * (1.0 - p) * difference * difference;
      }
      return cost * (p * difference - log1p_exp(u) + log1p_exp(-margin));
    }
    return cost * (loss::value(options_.loss, margin) + loss::conjugate(options_.loss, a / cost)) +
           a * margin;
  }

  // The best value of one dual variable when all others stay.
  double optimum(std::int64_t i, std::int32_t c, double margin, double a, double cost, double q) {
    switch (options_.loss) {
      case Loss::hinge:
        if (q == 0.0) return cost;  // a row of zeros has margin 0 < 1 whatever the weights
        return std::clamp(a - (margin - 1.0) / q, 0.0, cost);
      case Loss::squared_hinge: {
        const double slack = 1.0 / (2.0 * cost);
        return std::max(0.0, a - (margin - 1.0 + slack * a) / (q + slack));
      }
      default: {
        double& u = odds_[i * width_ + c];
        u = log_coordinate(u, margin - q * a, q * cost);
        return cost * sigmoid(u);
      }
    }
  }

  Examples examples_;
  DualOptions options_;
  std::int64_t rows_;
  std::int32_t first_, width_;
  std::vector<double> alpha_;       // [rows][width]
  std::vector<double> odds_;        // [rows][width] log(alpha / (cost - alpha)), log loss only
  std::vector<char> done_;          // [width]
  std::vector<double> allowed_;     // [width] gap
  std::vector<double> negligible_;  // [width]
};

// Zeros whose pages the system hands out when they are first touched.
struct Free {
  void operator()(double* memory) const { std::free(memory); }
};
using Zeroed = std::unique_ptr<double[], Free>;

Zeroed zeroed(std::int64_t size) {
  void* memory = std::calloc(static_cast<std::size_t>(size), sizeof(double));
  if (memory == nullptr) throw std::bad_alloc();
  return Zeroed(static_cast<double*>(memory));
}

template <class V>
void solve_columns(const Csr<V>& x, const Examples& examples, const DualOptions& options,
                   double* alpha, double* weights, ThreadPool& pool) {
  using Machine = DualMachine<V, ColumnsRule>;
  const std::int32_t columns = examples.columns();
  // Wide groups read the data less often. One group shares its rows between two threads; several
  // have a thread each. Their number never depends on how many threads run.
  const std::int32_t count = (columns + kWidest - 1) / kWidest;
  std::vector<double> norms(static_cast<std::size_t>(x.rows));
  flat::squared_norms(x, examples.bias, norms.data(), pool);
  const Halves<V> halves(x, count == 1 ? columns : 0, true);
  const std::int64_t rows = x.cols + (examples.bias != 0.0 ? 1 : 0);
  std::vector<Zeroed> slices(static_cast<std::size_t>(count));
  std::vector<std::unique_ptr<Machine>> machines(static_cast<std::size_t>(count));
  pool.run(count, [&](std::int64_t m) {
    // The last group is the widest of all, so the first must not be narrower: count down.
    const auto first = static_cast<std::int32_t>((count - 1 - m) * columns / count);
    const auto next = static_cast<std::int32_t>((count - m) * columns / count);
    double* own = weights;
    if (count > 1) {
      slices[m] = zeroed(rows * (next - first));
      own = slices[m].get();
    }
    machines[m] = std::make_unique<Machine>(
        x, halves, examples.bias, norms.data(),
        ColumnsRule(examples, options, alpha, x.rows, first, next - first), own);
  });
  DualSolver<V, ColumnsRule>(x, options, machines, pool).solve();
  for (const auto& machine : machines) {
    machine->rule().copy_alpha(alpha);
    const std::int32_t width = machine->rule().width(), first = machine->rule().first();
    for (std::int64_t j = 0; count > 1 && j < rows; ++j) {
      std::copy_n(machine->weights() + j * width, width, weights + j * columns + first);
    }
  }
}

}  // namespace

void dual_columns(const AnyCsr& any, const Examples& examples, const DualOptions& options,
                  double* alpha, double* weights, ThreadPool& pool) {
  std::visit([&](const auto& x) { solve_columns(x, examples, options, alpha, weights, pool); },
             any);
}

}  // namespace linnet
