#include "abreast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../numeric.hpp"

namespace linnet::chain {
namespace {

constexpr double kLeast = 1e-280;   // below it logarithms are safer
constexpr double kLargest = 644.0;  // ln 1e280
constexpr double kNone = -1000.0;   // its exponential is 0
constexpr std::int32_t kSteps = 8;  // whose label pairs are added up together

PairLists turned(const PairLists& from) {
  const auto labels = static_cast<std::int32_t>(from.start.size()) - 1;
  PairLists out{std::vector<std::int64_t>(from.start.size(), 0),
                std::vector<std::int32_t>(from.label.size()),
                std::vector<double>(from.excess.size())};
  for (const std::int32_t j : from.label) ++out.start[j + 1];
  for (std::int32_t j = 0; j < labels; ++j) out.start[j + 1] += out.start[j];
  std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
  for (std::int32_t i = 0; i < labels; ++i) {
    for (std::int64_t k = from.start[i]; k < from.start[i + 1]; ++k) {
      const std::int64_t to = next[from.label[k]]++;
      out.label[to] = i;
      out.excess[to] = from.excess[k];
    }
  }
  return out;
}

LINNET_CLONES
double largest(const double* values, std::int64_t n) {
  double top[kLanes];
  for (std::int32_t r = 0; r < kLanes; ++r) top[r] = values[0];
  std::int64_t l = 0;
  for (; l + kLanes <= n; l += kLanes) {
    for (std::int32_t r = 0; r < kLanes; ++r)
      top[r] = values[l + r] > top[r] ? values[l + r] : top[r];
  }
  for (; l < n; ++l) top[0] = values[l] > top[0] ? values[l] : top[0];
  return *std::max_element(top, top + kLanes);
}

// out[l] = base + sum over the list of l of excess * weight[other label]
LINNET_CLONES
void gather(const double* weight, const std::int64_t* start, const std::int32_t* label,
            const double* excess, std::int32_t labels, const double* base, double* out) {
  constexpr std::int32_t kWays = 4;  // sums that do not wait for each other
  for (std::int32_t l = 0; l < labels; ++l) {
    double sum[kWays][kLanes] = {};
    for (std::int32_t r = 0; r < kLanes; ++r) sum[0][r] = base[r];
    std::int64_t k = start[l];
    for (; k + kWays <= start[l + 1]; k += kWays) {
      for (std::int32_t w = 0; w < kWays; ++w) {
        const double* const row = weight + std::int64_t{label[k + w]} * kLanes;
        for (std::int32_t r = 0; r < kLanes; ++r) sum[w][r] += excess[k + w] * row[r];
      }
    }
    for (; k < start[l + 1]; ++k) {
      const double* const row = weight + std::int64_t{label[k]} * kLanes;
      for (std::int32_t r = 0; r < kLanes; ++r) sum[0][r] += excess[k] * row[r];
    }
    double* const to = out + std::int64_t{l} * kLanes;
    for (std::int32_t r = 0; r < kLanes; ++r) {
      to[r] = (sum[0][r] + sum[1][r]) + (sum[2][r] + sum[3][r]);
    }
  }
}

// out = a * b, total = its sum over labels
LINNET_CLONES
void multiply(const double* a, const double* b, std::int32_t labels, double* out, double* total) {
  double sum[kLanes] = {};
  for (std::int32_t l = 0; l < labels; ++l) {
    for (std::int32_t r = 0; r < kLanes; ++r) {
      const double v = a[l * kLanes + r] * b[l * kLanes + r];
      out[l * kLanes + r] = v;
      sum[r] += v;
    }
  }
  for (std::int32_t r = 0; r < kLanes; ++r) total[r] = sum[r];
}

// out = a * factor, lane by lane
LINNET_CLONES
void scale_lanes(double* a, const double* factor, std::int32_t labels) {
  for (std::int32_t l = 0; l < labels; ++l) {
    for (std::int32_t r = 0; r < kLanes; ++r) a[l * kLanes + r] *= factor[r];
  }
}

// out = a * b * factor, total = the sum of a * b over labels; and out * cost is kept, the rows of
// `kept` being kSteps steps wide.
LINNET_CLONES
void multiply_and_keep(const double* a, const double* b, const double* factor, const double* cost,
                       std::int32_t labels, double* out, double* kept, double* total) {
  double sum[kLanes] = {};
  for (std::int32_t l = 0; l < labels; ++l) {
    for (std::int32_t r = 0; r < kLanes; ++r) {
      const double v = a[l * kLanes + r] * b[l * kLanes + r], w = v * factor[r];
      out[l * kLanes + r] = w;
      kept[l * kSteps * kLanes + r] = w * cost[r];
      sum[r] += v;
    }
  }
  for (std::int32_t r = 0; r < kLanes; ++r) total[r] = sum[r];
}

// products[k] += sum over steps and lanes of before[i] after[j], for the pairs k = (i, j). In
// `before` each step lies a row in front of the last; what i has there stays in registers.
LINNET_CLONES
void add_products(const double* before, std::int32_t steps, const double* after,
                  const std::int64_t* start, const std::int32_t* label, std::int32_t labels,
                  double* products) {
  constexpr std::int32_t kCells = kSteps * kLanes;
  const std::int64_t back = std::int64_t{labels} * kLanes;
  for (std::int32_t i = 0; i < labels; ++i) {
    double a[kCells] = {};
    for (std::int32_t q = 0; q < steps; ++q) {
      const double* const row = before - q * back + std::int64_t{i} * kLanes;
      for (std::int32_t r = 0; r < kLanes; ++r) a[q * kLanes + r] = row[r];
    }
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
      const double* const b = after + std::int64_t{label[k]} * kCells;
      double sum[2][kLanes] = {};
      for (std::int32_t q = 0; q < kCells; q += 2 * kLanes) {
        for (std::int32_t r = 0; r < kLanes; ++r) sum[0][r] += a[q + r] * b[q + r];
        for (std::int32_t r = 0; r < kLanes; ++r) {
          sum[1][r] += a[q + kLanes + r] * b[q + kLanes + r];
        }
      }
      double half[kLanes / 2];
      for (std::int32_t r = 0; r < kLanes / 2; ++r) {
        half[r] = (sum[0][r] + sum[1][r]) + (sum[0][r + 4] + sum[1][r + 4]);
      }
      products[k] += (half[0] + half[2]) + (half[1] + half[3]);
    }
  }
}

}  // namespace

Neighbours::Neighbours(const Exponentials& e) {
  const Following& f = e.following;
  following = {std::vector<std::int64_t>(f.start, f.start + e.labels + 1),
               std::vector<std::int32_t>(f.next, f.next + f.start[e.labels]), e.excess};
  preceding = turned(following);
  double largest = 0.0;
  for (std::int32_t i = 0; i < e.labels; ++i) {
    double sum = e.rest * e.labels;
    for (std::int64_t k = f.start[i]; k < f.start[i + 1]; ++k) sum += e.excess[k];
    largest = std::max(largest, sum);
  }
  log_growth = std::log(largest);
}

// Longest sentence first, each to the lane that is shortest so far.
void Abreast::lay_out(const std::int64_t* start, std::int64_t first, std::int64_t last) {
  places_.clear();
  for (std::int64_t s = first; s < last; ++s) {
    const std::int64_t n = start[s + 1] - start[s];
    if (n > 0) places_.push_back({s, start[s] - start[first], n, 0, 0, false});
  }
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.n > b.n; });
  std::array<std::int64_t, kLanes> length{};
  for (Place& place : places_) {
    const auto shortest = std::min_element(length.begin(), length.end());
    place.lane = static_cast<std::int32_t>(shortest - length.begin());
    place.step = *shortest;
    *shortest += place.n;
  }
  steps_ = *std::max_element(length.begin(), length.end());
  at_.assign(static_cast<std::size_t>(steps_ * kLanes), -1);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    for (std::int64_t t = 0; t < place.n; ++t) {
      at_[(place.step + t) * kLanes + place.lane] = static_cast<std::int32_t>(k);
    }
  }
}

// e^(state - its largest), turned so that the lanes of a label lie side by side.
void Abreast::exponentiate(const double* state, std::int32_t labels) {
  const std::int64_t L = labels;
  row_.resize(static_cast<std::size_t>(kLanes * L));
  for (std::int64_t t = 0; t < steps_; ++t) {
    for (std::int32_t r = 0; r < kLanes; ++r) {
      double* const row = row_.data() + r * L;
      const std::int32_t k = at_[t * kLanes + r];
      if (k < 0) {
        std::fill(row, row + L, kNone);
        continue;
      }
      const double* const from = state + (places_[k].token + t - places_[k].step) * L;
      double top = largest(from, L);
      if (!(top > -std::numeric_limits<double>::infinity())) top = 0.0;
      for (std::int64_t l = 0; l < L; ++l) row[l] = from[l] - top;
      tops_[t * kLanes + r] = top;
    }
    exp_in_place(row_.data(), kLanes * L);  // of whole vectors, whatever L is
    double* const out = emission_.data() + t * L * kLanes;
    for (std::int64_t l = 0; l < L; ++l) {
      for (std::int32_t r = 0; r < kLanes; ++r) out[l * kLanes + r] = row_[r * L + l];
    }
  }
}

void Abreast::forward(const Exponentials& e, const Neighbours& lists) {
  const std::int64_t L = e.labels, row = L * kLanes;
  Lanes rest{};  // of labels that have no weight with each other; a living lane sums to 1
  for (std::int64_t t = 0; t < steps_; ++t) {
    double* const alpha = alpha_.data() + t * row;
    if (t > 0) {
      gather(alpha - row, lists.preceding.start.data(), lists.preceding.label.data(),
             lists.preceding.excess.data(), e.labels, rest.data(), weighted_.data());
    }
    for (std::int32_t r = 0; r < kLanes; ++r) {
      const std::int32_t k = at_[t * kLanes + r];
      if (k < 0 || places_[k].step != t) continue;
      for (std::int64_t l = 0; l < L; ++l) weighted_[l * kLanes + r] = e.start[l];
    }
    double* const scale = scale_.data() + t * kLanes;
    multiply(weighted_.data(), emission_.data() + t * row, e.labels, alpha, scale);
    Lanes inverse{};
    for (std::int32_t r = 0; r < kLanes; ++r) {
      const std::int32_t k = at_[t * kLanes + r];
      if (k >= 0 && !(scale[r] > kLeast)) places_[k].failed = true;
      const bool lives = k >= 0 && !places_[k].failed;
      inverse[r] = lives ? 1.0 / scale[r] : 0.0;
      rest[r] = lives ? e.rest : 0.0;
    }
    scale_lanes(alpha, inverse.data(), e.labels);
  }
}

// ln Z of every sentence, and in ends_ what its last step still lacks.
//
// As in Marginals::run, b_t / scale_t must not get too large. b_t comes from b_n by steps that
// multiply it by `growth` at most, as no emission is above 1, and is divided by the scales that
// follow t. A scale is not above `growth` either, so growth^n over the product of all scales is a
// bound. Sentences above it are done one by one.
void Abreast::sum_up(const Exponentials& e, const Neighbours& lists, std::int64_t first,
                     double* log_z) {
  const std::int64_t L = e.labels;
  ends_.assign(places_.size(), 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    Place& place = places_[k];
    double last = 0.0;
    const double* const alpha = alpha_.data() + (place.step + place.n - 1) * L * kLanes;
    for (std::int64_t l = 0; l < L; ++l) last += alpha[l * kLanes + place.lane] * e.stop[l];
    place.failed = place.failed || !(last > kLeast);
    if (place.failed) continue;
    ends_[k] = last;
    double total = e.start_top + e.stop_top + static_cast<double>(place.n - 1) * e.transition_top;
    double product = 1.0;  // its logarithm is taken before it leaves the range
    double bound = static_cast<double>(place.n) * lists.log_growth - std::log(last);
    const auto set_aside = [&] {
      total += std::log(product);
      bound -= std::log(product);
      product = 1.0;
    };
    for (std::int64_t t = place.step; t < place.step + place.n; ++t) {
      total += tops_[t * kLanes + place.lane];
      const double scale = scale_[t * kLanes + place.lane];
      if (product * scale < 1e-300) set_aside();
      product *= scale;
      if (product < 1e-100 || product > 1e100) set_aside();
    }
    place.failed = !(bound - std::log(product) < kLargest);
    log_z[place.sentence - first] = total + std::log(product) + std::log(last);
  }
}

void Abreast::backward(double* state, const Exponentials& e, const Neighbours& lists,
                       const double* cost, PairSums* pairs) {
  const std::int64_t L = e.labels, row = L * kLanes;
  std::fill(beta_.begin(), beta_.end(), 0.0);
  for (std::int64_t t = steps_ - 1; t >= 0; --t) {
    const double* const alpha = alpha_.data() + t * row;
    Lanes factor{}, costs{};  // no step leads from a sentence back to the one before it
    for (std::int32_t r = 0; r < kLanes; ++r) {
      const std::int32_t k = at_[t * kLanes + r];
      if (k < 0 || places_[k].failed) {
        for (std::int64_t l = 0; l < L; ++l) beta_[l * kLanes + r] = 0.0;
        continue;
      }
      const Place& place = places_[k];
      if (t == place.step + place.n - 1) {
        for (std::int64_t l = 0; l < L; ++l) beta_[l * kLanes + r] = e.stop[l] / ends_[k];
      }
      double* const out = state + (place.token + t - place.step) * L;
      for (std::int64_t l = 0; l < L; ++l) {
        out[l] = alpha[l * kLanes + r] * beta_[l * kLanes + r];
      }
      if (t > place.step) factor[r] = 1.0 / scale_[t * kLanes + r];
      costs[r] = cost[place.sentence];
    }
    if (t == 0) break;
    Lanes total;
    multiply_and_keep(emission_.data() + t * row, beta_.data(), factor.data(), costs.data(),
                      e.labels, weighted_.data(), after_.data() + kept_ * kLanes, total.data());
    for (std::int32_t r = 0; r < kLanes; ++r) total[r] *= factor[r] * e.rest;
    if (pairs && ++kept_ == kSteps) add_pairs(e, t - 1, *pairs);
    gather(weighted_.data(), lists.following.start.data(), lists.following.label.data(),
           lists.following.excess.data(), e.labels, total.data(), beta_.data());
  }
  if (pairs && kept_ > 0) add_pairs(e, 0, *pairs);
}

// The pairs of the kept steps, the last of which leads from `step` on: multiplied together, as that
// needs fewer visits to memory.
void Abreast::add_pairs(const Exponentials& e, std::int64_t step, PairSums& pairs) {
  constexpr std::int64_t kCells = kSteps * kLanes;
  for (std::int64_t l = 0; l < e.labels && kept_ < kSteps; ++l) {
    std::fill(after_.data() + l * kCells + kept_ * kLanes, after_.data() + (l + 1) * kCells, 0.0);
  }
  const std::int64_t row = std::int64_t{e.labels} * kLanes;
  add_products(alpha_.data() + (step + kept_ - 1) * row, static_cast<std::int32_t>(kept_),
               after_.data(), e.following.start, e.following.next, e.labels, pairs.products.data());
  kept_ = 0;
}

void Abreast::run(double* state, const std::int64_t* start, std::int64_t first, std::int64_t last,
                  const Potentials& p, const Exponentials& e, const Neighbours& lists,
                  const double* cost, PairSums* pairs, double* log_z) {
  const std::int64_t L = e.labels;
  std::fill(log_z, log_z + (last - first), 0.0);
  const auto one_by_one = [&](std::int64_t s) {
    log_z[s - first] = alone_.run(state + (start[s] - start[first]) * L, start[s + 1] - start[s], p,
                                  e, pairs, cost[s]);
  };
  if (last - first == 1) return one_by_one(first);  // it may be of any length
  lay_out(start, first, last);
  if (steps_ == 0) return;
  const auto all = static_cast<std::size_t>(steps_ * L * kLanes);
  if (emission_.size() < all) {
    emission_.resize(all);
    alpha_.resize(all);
  }
  tops_.resize(static_cast<std::size_t>(steps_ * kLanes));
  scale_.resize(tops_.size());
  beta_.resize(static_cast<std::size_t>(L * kLanes));
  weighted_.assign(beta_.size(), 0.0);
  after_.resize(beta_.size() * kSteps);
  exponentiate(state, e.labels);
  forward(e, lists);
  sum_up(e, lists, first, log_z);
  backward(state, e, lists, cost, pairs);
  for (const Place& place : places_) {
    if (place.failed) one_by_one(place.sentence);
  }
}

}  // namespace linnet::chain
