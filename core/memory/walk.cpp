#include "walk.hpp"

#include <algorithm>
#include <cmath>

#include "nearest.hpp"

namespace linnet::memory {
namespace {

bool differ(const Feature& f, std::int64_t u, std::int64_t v) {
  if (f.delta != Delta::number) return f.code[u] != f.code[v];
  return f.number[u] != f.number[v] && !(f.number[u] != f.number[u] && f.number[v] != f.number[v]);
}

}  // namespace

Runs::Runs(const Instances& memory) : end_(memory.features) {
  for (std::int32_t j = 0; j < memory.features; ++j) {
    auto& end = end_[j];
    end.resize(static_cast<std::size_t>(memory.size));
    std::int64_t begin = 0;
    for (std::int64_t u = 1; u <= memory.size; ++u) {
      const bool stops = u == memory.size ||
                         (j > 0 && end_[j - 1][u] != 0) ||  // a shorter run begins
                         differ(memory.feature[j], u, begin);
      if (!stops) continue;
      end[begin] = static_cast<std::int32_t>(u);
      begin = u;
    }
  }
}

double Walk::term(std::int32_t j, std::int64_t u) const {
  const Feature& f = memory_.feature[j];
  if (f.delta == Delta::overlap) {
    return f.code[u] == code_[j] && code_[j] >= 0 ? 0.0 : bounded(f.weight);
  }
  if (f.delta == Delta::value_difference) return bounded(row_[j][f.code[u]]);
  const double x = number_[j], y = f.number[u];
  if (x != x || y != y) return bounded(f.weight);
  if (f.scale == 0.0 || f.weight == 0.0) return 0.0;
  return bounded(std::abs((x - y) / f.scale) * f.weight);
}

void Walk::record(double d, std::int64_t u) {
  near_->emplace_back(d, u);
  auto& found = *limits_;
  const auto at = std::lower_bound(found.begin(), found.end(), d);
  if (at != found.end() && *at - d < kSame) return;
  if (at != found.begin() && d - *(at - 1) < kSame) return;
  if (static_cast<std::int64_t>(found.size()) == wanted_) {
    if (at == found.end()) return;
    found.pop_back();
  }
  found.insert(at, d);
  if (static_cast<std::int64_t>(found.size()) == wanted_) bound_ = found.back() + kSame;
}

void Walk::visit(std::int32_t j, std::int64_t first, std::int64_t last, double sum) {
  const bool leaf = j + 1 == memory_.features;
  for (std::int64_t u = first; u < last;) {
    const std::int64_t end = runs_.end(j, u);
    const double d = bounded(sum + term(j, u));
    if (d <= bound_) {
      if (leaf) {
        for (std::int64_t v = u; v < end; ++v) record(d, v);
      } else {
        visit(j + 1, u, end, d);
      }
    }
    u = end;
  }
}

void Walk::find(const std::int32_t* code, const double* number, std::int32_t skip,
                std::int64_t first, std::int64_t last, std::int64_t wanted,
                std::vector<double>& limits, std::vector<std::pair<double, std::int64_t>>& near) {
  limits.clear();
  near.clear();
  code_ = code;
  number_ = number;
  wanted_ = wanted;
  limits_ = &limits;
  near_ = &near;
  bound_ = std::numeric_limits<double>::infinity();
  for (std::int32_t j = skip; j < memory_.features; ++j) {
    const bool rows = memory_.feature[j].delta == Delta::value_difference;
    row_[j] = rows ? distances_.value_differences(j, code[j]) : nullptr;
  }
  order_.clear();
  for (std::int64_t u = first; u < last; u = runs_.end(skip, u)) {
    order_.emplace_back(term(skip, u), u);
  }
  std::sort(order_.begin(), order_.end());
  for (const auto& [d, u] : order_) {
    if (d > bound_) break;
    if (skip + 1 == memory_.features) {
      for (std::int64_t v = u; v < runs_.end(skip, u); ++v) record(d, v);
    } else {
      visit(skip + 1, u, runs_.end(skip, u), d);
    }
  }
}

}  // namespace linnet::memory
