// Fits weights to a small problem, read from the standard input:
//
//   solver loss rows columns classes tolerance     solver: newton, lbfgs, dual, online
//   rows times: gold cost values
//
// and writes, a line each: objective, gap, the certificate at the weights, then the weights. What
// the core refuses is written behind "refused:".
#include <cstdio>
#include <exception>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "solvers/batch.hpp"
#include "solvers/certificate.hpp"
#include "solvers/dual_cd.hpp"
#include "solvers/online.hpp"

using namespace linnet;
using Numbers = std::vector<double>;

struct Last final : Progress {
  void poll() override {}
  bool record(const Iteration& now) override {
    iteration = now;
    return true;
  }
  Iteration iteration;
};

struct Data {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index, gold;
  Numbers value, cost;
};

Data read(std::int64_t rows, std::int32_t columns) {
  Data data;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int32_t gold;
    double number;
    std::cin >> gold >> number;
    data.gold.push_back(gold);
    data.cost.push_back(number);
    for (std::int32_t j = 0; j < columns; ++j) {
      std::cin >> number;
      data.index.push_back(j);
      data.value.push_back(number);
    }
    data.start.push_back(static_cast<std::int64_t>(data.index.size()));
  }
  return data;
}

void learn_online(const AnyCsr& x, const Examples& examples, const std::string& loss, double* w,
                  ThreadPool& pool) {
  RuleOptions options;
  options.classes = examples.classes;
  const auto rule = make_rule(loss, options);
  const std::int64_t rows = rows_of(x);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  const Numbers rates(order.size(), 0.1);
  OnlineState state;
  online_pass(x, examples, OnlineOptions{rule.get()}, order.data(), rows, rates.data(), nullptr, w,
              nullptr, state, {}, pool);
}

int main() try {
  std::string solver, loss;
  std::int64_t rows;
  std::int32_t columns, classes;
  double tolerance;
  std::cin >> solver >> loss >> rows >> columns >> classes >> tolerance;
  const Data data = read(rows, columns);
  const AnyCsr x =
      Csr<double>{rows, columns, data.start.data(), data.index.data(), data.value.data()};
  const Examples examples{data.gold.data(), data.cost.data(), classes, 1.0, true};
  const auto size = static_cast<std::size_t>((columns + 1) * examples.columns());
  Numbers w(size), alpha(static_cast<std::size_t>(rows * examples.columns()));
  Last last;
  ThreadPool pool(1, last);
  if (solver == "dual") {
    DualOptions how{loss};
    how.tolerance = tolerance;
    dual_coordinate_descent(x, examples, how, alpha.data(), w.data(), pool);
  } else if (solver == "online") {
    learn_online(x, examples, loss, w.data(), pool);
  } else {
    const auto f = make_objective(x, examples, {loss, Form::columns, 1.0}, pool);
    BatchOptions how;
    how.tolerance = tolerance;
    (solver == "newton" ? newton : lbfgs)(*f, w.data(), how, pool);
  }
  const double gap = subgradient_gap(x, examples, {loss}, w.data(), pool);
  std::printf("%.17g\n%.17g\n%.17g\n", last.iteration.objective, last.iteration.gap, gap);
  for (const double v : w) std::printf("%.17g ", v);
  std::puts("");
} catch (const std::exception& error) {
  std::printf("refused: %s\n", error.what());
}
