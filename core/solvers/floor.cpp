// The bound from averaged tangents (floor.hpp).
#include "floor.hpp"

#include <algorithm>
#include <cmath>

namespace linnet {
namespace {

constexpr std::int64_t kGrain = 1 << 15;
constexpr int kMostMoves = 1000;    // of a share from one tangent to another
constexpr double kSettled = 1e-12;  // what a move must gain, as a share of the objective

}  // namespace

// The slope of the newest tangent, and its products with all others and of the average with itself,
// in one visit to each. Products of the average with older ones follow from how it was made.
void Floor::multiply(const Objective& f, const double* w, const double* gradient,
                     std::size_t newest, Vectors& vectors) {
  const std::int64_t n = vectors.size();
  const std::size_t used = this->used(), terms = used + 2;
  const auto blocks = static_cast<std::size_t>((n + kGrain - 1) / kGrain);
  std::vector<double> parts(blocks * terms);
  double* const slope = kept_[newest].slope.data();
  const double* const mean = kept_[0].slope.data();
  vectors.pool().ranges(n, kGrain, [&](std::int64_t first, std::int64_t last) {
    double* const part = parts.data() + static_cast<std::size_t>(first / kGrain) * terms;
    double moved = 0.0;  // w . (gradient - l2 w / 2), by which the offset is less than F
    double square = 0.0;
    thread_local std::vector<double> scaled;
    scaled.resize(static_cast<std::size_t>(last - first));
    for (std::int64_t j = first; j < last; ++j) {
      const double l2 = f.l2(j);
      moved += w[j] * (gradient[j] - 0.5 * l2 * w[j]);
      slope[j] = gradient[j] - l2 * w[j];
      square += mean[j] * mean[j] / l2;
      scaled[static_cast<std::size_t>(j - first)] = slope[j] / l2;
    }
    for (std::size_t k = 0; k < used; ++k) {
      part[k] = dot(kept_[k].slope.data() + first, scaled.data(), last - first);
    }
    part[used] = square;
    part[used + 1] = moved;
  });
  std::vector<double> all(terms, 0.0);
  for (std::size_t p = 0; p < parts.size(); ++p) all[p % terms] += parts[p];
  for (std::size_t k = 0; k < used; ++k) products_[k][newest] = products_[newest][k] = all[k];
  products_[0][0] = all[used];
  kept_[newest].offset = -all[used + 1];
}

// The shares of the largest bound, from the average alone. The tangent along which the bound rises
// most takes from the one along which it rises least, as much as raises the bound most.
std::vector<double> Floor::best_shares() const {
  const std::size_t used = this->used();
  std::vector<double> shares(used, 0.0), rise(used);
  shares[0] = 1.0;
  for (std::size_t k = 0; k < used; ++k) rise[k] = kept_[k].offset - products_[k][0];
  for (int move = 0; move < kMostMoves; ++move) {
    std::size_t to = 0, from = used;
    for (std::size_t k = 0; k < used; ++k) {
      if (rise[k] > rise[to]) to = k;
      if (shares[k] > 0.0 && (from == used || rise[k] < rise[from])) from = k;
    }
    const double slope = rise[to] - rise[from];
    const double bend = products_[to][to] - 2.0 * products_[to][from] + products_[from][from];
    if (!(bend > 0.0) || !(slope > 0.0)) break;
    const double share = std::min(shares[from], slope / bend);
    shares[to] += share;
    shares[from] -= share;
    for (std::size_t k = 0; k < used; ++k) {
      rise[k] -= share * (products_[k][to] - products_[k][from]);
    }
    if (share * slope <= kSettled * std::abs(kept_[to].offset)) break;
  }
  return shares;
}

double Floor::bound(const std::vector<double>& shares) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    double along = 0.0;
    for (std::size_t i = 0; i < shares.size(); ++i) along += products_[k][i] * shares[i];
    sum += shares[k] * (kept_[k].offset - 0.5 * along);
  }
  return sum;
}

void Floor::average(const std::vector<double>& shares, Vectors& vectors) {
  const std::size_t used = this->used();
  vectors.pool().ranges(vectors.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
    double* const mean = kept_[0].slope.data();
    for (std::int64_t j = first; j < last; ++j) mean[j] *= shares[0];
    for (std::size_t k = 1; k < used; ++k) {
      if (shares[k] == 0.0) continue;
      const double* const slope = kept_[k].slope.data();
      for (std::int64_t j = first; j < last; ++j) mean[j] += shares[k] * slope[j];
    }
  });
  std::vector<double> products(used, 0.0);
  double offset = 0.0;
  for (std::size_t k = 0; k < used; ++k) {
    offset += shares[k] * kept_[k].offset;
    for (std::size_t i = 0; i < used; ++i) products[k] += products_[k][i] * shares[i];
  }
  kept_[0].offset = offset;
  for (std::size_t k = 1; k < used; ++k) products_[0][k] = products_[k][0] = products[k];
}

double Floor::at(const Objective& f, const double* w, const double* gradient, double objective,
                 Vectors& vectors) {
  const bool first_point = used() == 0;
  const std::size_t newest = first_point ? 0 : 1 + next_;
  if (newest == used()) {
    kept_[newest].slope.resize(static_cast<std::size_t>(vectors.size()));
    for (auto& row : products_) row.push_back(0.0);
    products_.emplace_back(newest + 1, 0.0);
  }
  multiply(f, w, gradient, newest, vectors);
  kept_[newest].offset += objective;
  if (first_point) return kept_[0].offset - 0.5 * products_[0][0];
  next_ = (next_ + 1) % (kept_.size() - 1);
  const std::vector<double> shares = best_shares();
  const double best = bound(shares);
  if (shares[0] < 1.0) average(shares, vectors);
  return best;
}

}  // namespace linnet
