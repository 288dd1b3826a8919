// Chains of second order (chain.hpp): the score of a label depends on the two before it.
//
//   best_t[b][c] = max_a (best_{t-1}[a][b] + second[a][b][c]) + state[t][c]
//   a_t[b][c]    = (sum_a a_{t-1}[a][b] e^second[a][b][c]) e^state_t[c]
//
// The dynamic programmes are those of the first order over pairs of neighbouring labels, in time
// n L^3 (SPEC M-112, M-119). For one middle label b they are a product of a vector and a matrix, so
// tables lie with the middle label first. One or two tokens have no triple and are a chain of first
// order. Ties go to the lowest label, the last one first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../numeric.hpp"
#include "chain.hpp"
#include "row_products.hpp"

namespace linnet::chain {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// now[b][c] = max_a before[a][b] + second[a][b][c]; the lowest a of equals is kept.
LINNET_CLONES
void step(const double* before, const double* second, std::int64_t L, double* now,
          std::uint8_t* from) {
  std::fill(now, now + L * L, kNever);
  std::fill(from, from + L * L, std::uint8_t{0});
  for (std::int64_t a = 0; a < L; ++a) {
    for (std::int64_t b = 0; b < L; ++b) {
      const double base = before[a * L + b];
      if (base == kNever) continue;
      const double* const row = second + (a * L + b) * L;
      double* const to = now + b * L;
      std::uint8_t* const came = from + b * L;
      for (std::int64_t c = 0; c < L; ++c) {
        const double reached = base + row[c];
        came[c] = reached > to[c] ? static_cast<std::uint8_t>(a) : came[c];
        to[c] = reached > to[c] ? reached : to[c];
      }
    }
  }
}

// pairs[a][b] = start[a] + state[0][a] + transition[a][b] + state[1][b]
void first_pairs(const double* state, const Potentials& p, double* pairs) {
  const std::int64_t L = p.labels;
  for (std::int64_t a = 0; a < L; ++a) {
    for (std::int64_t b = 0; b < L; ++b) {
      pairs[a * L + b] = p.start[a] + state[a] + p.transition[a * L + b] + state[L + b];
    }
  }
}

}  // namespace

Potentials label_potentials(const double* weights, std::int32_t labels, int order,
                            std::vector<double>& room) {
  const std::int64_t L = labels, pairs = L * L;
  const double* const start = weights + pairs;
  Potentials p{labels, weights, start, start + L};
  if (order != 2) return p;
  const double* const triples = p.stop + L;
  room.resize(static_cast<std::size_t>(pairs * L));
  for (std::int64_t a = 0; a < L; ++a) {
    for (std::int64_t k = 0; k < pairs; ++k)
      room[a * pairs + k] = weights[k] + triples[a * pairs + k];
  }
  p.second = room.data();
  return p;
}

double Decoder::best_of_second(const double* state, std::int64_t n, const Potentials& p,
                               std::int32_t* labels) {
  const std::int64_t L = p.labels, pairs = L * L;
  std::fill(labels, labels + n, 0);
  before_.resize(static_cast<std::size_t>(pairs));
  now_.resize(before_.size());
  if (from_.size() < static_cast<std::size_t>((n - 2) * pairs)) from_.resize((n - 2) * pairs);
  first_pairs(state, p, before_.data());
  for (std::int64_t t = 2; t < n; ++t) {
    step(before_.data(), p.second, L, now_.data(), from_.data() + (t - 2) * pairs);
    for (std::int64_t b = 0; b < L; ++b) {
      for (std::int64_t c = 0; c < L; ++c) now_[b * L + c] += state[t * L + c];
    }
    before_.swap(now_);
  }
  double best = kNever;
  for (std::int64_t c = 0; c < L; ++c) {
    for (std::int64_t b = 0; b < L; ++b) {
      const double total = before_[b * L + c] + p.stop[c];
      if (!(total > best)) continue;
      best = total;
      labels[n - 2] = static_cast<std::int32_t>(b);
      labels[n - 1] = static_cast<std::int32_t>(c);
    }
  }
  if (best == kNever) return best;
  for (std::int64_t t = n - 1; t > 1; --t) {
    labels[t - 2] = from_[(t - 2) * pairs + labels[t - 1] * L + labels[t]];
  }
  return best;
}

// Every pair of neighbouring labels keeps its k best beginnings: (score, the label before the pair,
// which of the beginnings of that pair).
std::int64_t Decoder::n_best_of_second(const double* state, std::int64_t n, const Potentials& p,
                                       std::int64_t k, std::int32_t* labels, double* scores) {
  struct Beginning {
    double score;
    std::int64_t from;  // a label, or at the end a pair, the last label first
    std::int64_t rank;
  };
  const std::int64_t L = p.labels, pairs = L * L;
  std::vector<std::vector<Beginning>> kept(static_cast<std::size_t>((n - 1) * pairs));
  std::vector<Beginning> reached;
  const auto take = [&] {
    const auto most = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(k, std::ssize(reached)));
    const auto better = [](const Beginning& a, const Beginning& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.from != b.from ? a.from < b.from : a.rank < b.rank;
    };
    std::partial_sort(reached.begin(), reached.begin() + most, reached.end(), better);
    return std::vector<Beginning>(reached.begin(), reached.begin() + most);
  };
  const auto gather = [&](const std::vector<Beginning>& list, std::int64_t from, double extra) {
    for (std::size_t r = 0; r < list.size(); ++r) {
      const double value = list[r].score + extra;
      if (value > kNever) reached.push_back({value, from, static_cast<std::int64_t>(r)});
    }
  };
  std::vector<double> first(static_cast<std::size_t>(pairs));
  first_pairs(state, p, first.data());
  for (std::int64_t k2 = 0; k2 < pairs; ++k2) {
    if (first[k2] > kNever) kept[k2].push_back({first[k2], 0, 0});
  }
  for (std::int64_t t = 2; t < n; ++t) {
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const double here = state[t * L + pair % L];
      if (here == kNever) continue;
      reached.clear();
      for (std::int64_t a = 0; a < L; ++a) {
        gather(kept[(t - 2) * pairs + a * L + pair / L], a, p.second[a * pairs + pair]);
      }
      kept[(t - 1) * pairs + pair] = take();
      for (Beginning& one : kept[(t - 1) * pairs + pair]) one.score += here;
    }
  }
  reached.clear();
  for (std::int64_t c = 0; c < L; ++c) {
    for (std::int64_t b = 0; b < L; ++b) {
      gather(kept[(n - 2) * pairs + b * L + c], c * L + b, p.stop[c]);
    }
  }
  const std::vector<Beginning> whole = take();
  for (std::int64_t r = 0; r < std::ssize(whole); ++r) {
    std::int32_t* const row = labels + r * n;
    scores[r] = whole[r].score;
    row[n - 1] = static_cast<std::int32_t>(whole[r].from / L);
    row[n - 2] = static_cast<std::int32_t>(whole[r].from % L);
    std::int64_t rank = whole[r].rank;
    for (std::int64_t t = n - 1; t > 1; --t) {
      const Beginning& at = kept[(t - 1) * pairs + row[t - 1] * L + row[t]][rank];
      row[t - 2] = static_cast<std::int32_t>(at.from);
      rank = at.rank;
    }
  }
  return std::ssize(whole);
}

void exponentiate_second(const Potentials& p, Exponentials& e) {
  const std::int64_t L = e.labels, width = e.width;
  e.second_top = largest(p.second, L * L * L);
  e.onward.assign(static_cast<std::size_t>(L * L * width), 0.0);
  e.back.assign(e.onward.size(), 0.0);
  for (std::int64_t b = 0; b < L; ++b) {
    for (std::int64_t a = 0; a < L; ++a) {
      double* const row = e.onward.data() + (b * L + a) * width;
      for (std::int64_t c = 0; c < L; ++c) row[c] = p.second[(a * L + b) * L + c] - e.second_top;
      exp_in_place(row, L);
      for (std::int64_t c = 0; c < L; ++c) e.back[(b * L + c) * width + a] = row[c];
    }
  }
}

void PairSums::add_triples_to(double* out, double* triples_out, const Exponentials& e) const {
  const std::int64_t L = e.labels, width = e.width;
  const auto see = [&](std::int64_t b, std::int64_t c) {
    for (std::int64_t a = 0; a < L; ++a) {
      const std::int64_t at = (b * L + a) * width + c;
      double value = triples[at] * e.onward[at];
      if (!final_triples.empty()) value += final_triples[at];
      out[b * L + c] += value;
    }
  };
  const Following& f = e.following;
  for (std::int64_t b = 0; b < L; ++b) {
    for (std::int64_t c = 0; !f && c < L; ++c) see(b, c);
    for (std::int64_t k = f ? f.start[b] : 0; f && k < f.start[b + 1]; ++k) see(b, f.next[k]);
    for (std::int64_t a = 0; a < L; ++a) {
      for (std::int64_t c = 0; c < L; ++c) {
        const std::int64_t at = (b * L + a) * width + c, to = (a * L + b) * L + c;
        if (f.triple && !f.triple[to]) continue;
        const double value = triples[at] * e.onward[at];
        triples_out[to] += final_triples.empty() ? value : value + final_triples[at];
      }
    }
  }
}

// alpha_ has a_t[a][b] at [b][t - 1][a] for t = 1 .. n - 1, so that for one middle label the tokens
// follow each other. Returns whether all sums stayed in range.
bool Marginals::forward_second(std::int64_t n, const Exponentials& e) {
  const std::int64_t L = e.labels, width = e.width, rows = n - 1;
  const double* const first = emission_.data();
  weighted_.assign(static_cast<std::size_t>(L * width), 0.0);
  for (std::int64_t t = 1; t < n; ++t) {
    double sum = 0.0;
    for (std::int64_t b = 0; b < L; ++b) {
      double* const row = weighted_.data() + b * width;
      if (t == 1) {
        const double begin = e.start[b] * first[b];
        for (std::int64_t c = 0; c < L; ++c) row[c] = begin * e.forward[b * width + c];
      } else {
        times(alpha_.data() + (b * rows + t - 2) * width, e.onward.data() + b * L * width, e.labels,
              e.width, row);
      }
      sum += multiply(row, first + t * width, e.width, row);
    }
    if (!(sum > 1e-280)) return false;
    scale_[t] = sum;
    const double factor = 1.0 / sum;
    for (std::int64_t c = 0; c < L; ++c) {
      double* const to = alpha_.data() + (c * rows + t - 1) * width;
      for (std::int64_t b = 0; b < L; ++b) to[b] = weighted_[b * width + c] * factor;
      std::fill(to + L, to + width, 0.0);
    }
  }
  return true;
}

// share_ receives the marginals, beta_ ends as b_1[a][b] at [b][a], and turned_ has
// e^state_t[c] b_t[b][c] / scale at [b][t - 1][c], which with alpha_ makes the triples. Returns
// whether the labels of every token sum up to 1: what a_t lost to underflow, b_t may have
// multiplied.
bool Marginals::backward_second(std::int64_t n, const Exponentials& e, double last) {
  const std::int64_t L = e.labels, width = e.width, rows = n - 1;
  share_.assign(static_cast<std::size_t>(n * L), 0.0);
  beta_.assign(static_cast<std::size_t>(L * width), 0.0);  // [c][b]: b_t[b][c]
  for (std::int64_t c = 0; c < L; ++c) {
    std::fill_n(beta_.data() + c * width, L, e.stop[c] / last);
  }
  for (std::int64_t t = n - 1; t > 0; --t) {
    double total = 0.0;
    for (std::int64_t c = 0; c < L; ++c) {
      const double* const a = alpha_.data() + (c * rows + t - 1) * width;
      share_[t * L + c] = multiply(a, beta_.data() + c * width, e.width, weighted_.data());
      total += share_[t * L + c];
      for (std::int64_t b = 0; t == 1 && b < L; ++b) share_[b] += weighted_[b];
    }
    if (!(std::abs(total - 1.0) < 1e-9)) return false;
    if (t == 1) break;
    const double* const row = emission_.data() + t * width;
    const double factor = 1.0 / scale_[t];
    for (std::int64_t b = 0; b < L; ++b) {
      double* const to = turned_.data() + (b * rows + t - 1) * width;
      for (std::int64_t c = 0; c < L; ++c) to[c] = row[c] * beta_[c * width + b] * factor;
      std::fill(to + L, to + width, 0.0);
    }
    for (std::int64_t b = 0; b < L; ++b) {
      times(turned_.data() + (b * rows + t - 1) * width, e.back.data() + b * L * width, e.labels,
            e.width, beta_.data() + b * width);
    }
  }
  return true;
}

// The expected pair of the first two tokens, and the triples.
void Marginals::add_second(std::int64_t n, const Exponentials& e, double weight,
                           PairSums& pairs) const {
  const std::int64_t L = e.labels, width = e.width, rows = n - 1;
  for (std::int64_t b = 0; b < L; ++b) {
    for (std::int64_t a = 0; a < L; ++a) {
      pairs.final[a * L + b] += weight * alpha_[b * rows * width + a] * beta_[b * width + a];
    }
    add_products(alpha_.data() + b * rows * width, turned_.data() + (b * rows + 1) * width, weight,
                 n - 2, e.labels, e.width, pairs.triples.data() + b * L * width);
  }
}

double Marginals::run_second(double* state, std::int64_t n, const Potentials& p,
                             const Exponentials& e, PairSums* pairs, double weight) {
  const std::int64_t L = e.labels, width = e.width, rows = n - 1;
  const auto all = static_cast<std::size_t>(L * rows * width);
  for (std::vector<double>* room : {&alpha_, &turned_}) {
    if (room->size() < all) room->resize(all);
  }
  scale_.resize(static_cast<std::size_t>(n));
  if (pairs && pairs->final.empty()) pairs->final.assign(static_cast<std::size_t>(L * L), 0.0);
  double log_z =
      e.start_top + e.stop_top + e.transition_top + static_cast<double>(n - 2) * e.second_top;
  log_z = exponentiate(state, n, e, log_z);
  if (!forward_second(n, e)) return logarithmic_second(state, n, p, pairs, weight);
  double last = 0.0;
  for (std::int64_t c = 0; c < L; ++c) {
    const double* const a = alpha_.data() + (c * rows + n - 2) * width;
    for (std::int64_t b = 0; b < L; ++b) last += a[b] * e.stop[c];
  }
  if (!(last > 1e-280) || !backward_second(n, e, last)) {
    return logarithmic_second(state, n, p, pairs, weight);
  }
  for (std::int64_t t = 1; t < n; ++t) log_z += std::log(scale_[t]);
  if (pairs) add_second(n, e, weight, *pairs);
  std::copy(share_.begin(), share_.begin() + n * L, state);
  return log_z + std::log(last);
}

// The same in logarithms: slower, and safe whatever the scores. log_alpha_ and log_beta_ have the
// pair that ends at token t >= 1 at [t - 1][b][c].
double Marginals::logarithmic_second(double* state, std::int64_t n, const Potentials& p,
                                     PairSums* pairs, double weight, double* each) {
  const std::int64_t L = p.labels, square = L * L, width = (L + kVector - 1) / kVector * kVector;
  log_alpha_.assign(static_cast<std::size_t>((n - 1) * square), kNever);
  log_beta_.assign(log_alpha_.size(), kNever);
  std::vector<double> terms;
  const auto log_sum = [&] {
    const double top = *std::max_element(terms.begin(), terms.end());
    if (top == kNever) return kNever;
    double sum = 0.0;
    for (const double term : terms) sum += std::exp(term - top);
    return top + std::log(sum);
  };
  const auto alpha = [&](std::int64_t t) { return log_alpha_.data() + (t - 1) * square; };
  const auto beta = [&](std::int64_t t) { return log_beta_.data() + (t - 1) * square; };
  first_pairs(state, p, alpha(1));
  terms.resize(static_cast<std::size_t>(L));
  for (std::int64_t t = 2; t < n; ++t) {
    for (std::int64_t k = 0; k < square; ++k) {
      for (std::int64_t a = 0; a < L; ++a) {
        terms[a] = alpha(t - 1)[a * L + k / L] + p.second[a * square + k];
      }
      alpha(t)[k] = log_sum() + state[t * L + k % L];
    }
  }
  for (std::int64_t k = 0; k < square; ++k) beta(n - 1)[k] = p.stop[k % L];
  for (std::int64_t t = n - 1; t > 1; --t) {
    for (std::int64_t k = 0; k < square; ++k) {
      const std::int64_t next = (k % L) * L;
      for (std::int64_t c = 0; c < L; ++c) {
        terms[c] = p.second[k * L + c] + state[t * L + c] + beta(t)[next + c];
      }
      beta(t - 1)[k] = log_sum();
    }
  }
  terms.resize(static_cast<std::size_t>(square));
  for (std::int64_t k = 0; k < square; ++k) terms[k] = alpha(n - 1)[k] + beta(n - 1)[k];
  const double log_z = log_sum();
  if (log_z == kNever) {
    std::fill(state, state + n * L, 1.0 / static_cast<double>(L));
    if (each) std::fill(each, each + (n - 1) * square, 1.0 / static_cast<double>(square));
    return kNever;
  }
  if (pairs && pairs->final_triples.empty()) {
    pairs->final_triples.assign(static_cast<std::size_t>(square * width), 0.0);
  }
  for (std::int64_t t = 2; pairs && t < n; ++t) {
    for (std::int64_t k = 0; k < square; ++k) {
      for (std::int64_t c = 0; c < L; ++c) {
        const double whole =
            alpha(t - 1)[k] + p.second[k * L + c] + state[t * L + c] + beta(t)[(k % L) * L + c];
        pairs->final_triples[((k % L) * L + k / L) * width + c] += weight * std::exp(whole - log_z);
      }
    }
  }
  std::fill(state, state + n * L, 0.0);
  for (std::int64_t t = 1; t < n; ++t) {
    for (std::int64_t k = 0; k < square; ++k) {
      const double share = std::exp(alpha(t)[k] + beta(t)[k] - log_z);
      state[t * L + k % L] += share;
      if (t == 1) state[k / L] += share;
      if (t == 1 && pairs) pairs->final[k] += weight * share;
      if (each) each[(t - 1) * square + k] = share;
    }
  }
  return log_z;
}

}  // namespace linnet::chain
