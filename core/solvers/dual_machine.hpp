// One dual coordinate descent over a group of columns: its sweeps over the rows, and the weights
// W = X^T A that go with its dual variables. Two threads may share a sweep (halves.hpp), and the
// bias goes at a pace of its own (bias_pace.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "../large_pages.hpp"
#include "../structures/flat.hpp"
#include "bias_pace.hpp"
#include "dual_face.hpp"
#include "dual_rule.hpp"
#include "halves.hpp"
#include "likeness.hpp"
#include "sleepers.hpp"

namespace linnet {

template <class V>
class DualMachine {
 public:
  // `weights` is [J + 1][width of the rule], all 0 but for the bias; it becomes X^T of the rule's
  // coefficients. `norms` are the |x_i|^2, `pace` that of the bias.
  DualMachine(const Csr<V>& x, const Halves<V>& halves, double bias, double pace,
              const double* norms, std::unique_ptr<DualRule> rule, double* weights)
      : x_(x),
        halves_(halves),
        norms_(norms),
        width_(rule->width()),
        layout_{x.cols, width_, bias},
        weights_(weights),
        bias_(bias, pace, width_, weights + layout_.bias_from()),
        exchange_(std::max(width_, static_cast<std::int32_t>(kMostTogether))),
        left_{std::move(rule), Sleepers(x.rows, width_ == 1 ? kTogether : 1)} {}

  // Where measure() writes the scores that it takes, [rows][width]; if `known`, they are those of
  // the weights at the start.
  void keep_scores(double* scores, bool known) {
    scores_ = scores;
    scores_known_ = known;
  }

  // Makes the weights that go with the dual variables: once, before anything else. With a pool, its
  // threads make a half each, unless the weights are `known`.
  void start() {
    const std::vector<std::int32_t> rows = used_rows();
    add_rows(rows, kBoth);
    begin(!rows.empty());
  }
  void start(ThreadPool& pool, bool known) {
    const std::vector<std::int32_t> rows = used_rows();
    if (known) {
      std::vector<double> amount(static_cast<std::size_t>(width_));
      for (const std::int32_t i : rows) {
        left_.rule->coefficients(i, amount.data());
        bias_.aim_at(amount.data());
      }
    } else {
      add_halves(rows, pool);
    }
    begin(!rows.empty());
  }

  // Lets the sweeps work on rounded weights, where that pays; until refine(), measure() and
  // solve_face() must not be called.
  void round_weights() {
    if (width_ > 1 || x_.cols < kLarge || !left_.rule->is_smooth()) return;
    rounded_.assign(static_cast<std::size_t>(x_.cols), 0.0F);
    batch_ = batch_for(likeness_of_neighbours(rounded_.data()));
    std::copy_n(weights_, x_.cols, rounded_.begin());
  }
  bool is_rough() const { return !rounded_.empty(); }

  // Puts the exact weights, made anew from the dual variables, in the place of the rounded ones.
  // Who makes a half clears it, too: what another core has written is slow to reach.
  void refine(ThreadPool& pool) {
    rounded_ = {};
    batch_ = 1;
    bias_.forget_aim();
    double *const middle = weights_ + halves_.cut(), *const end = weights_ + x_.cols;
    const std::vector<std::int32_t> rows = used_rows();
    pool.run(2, [&](std::int64_t side) {
      std::fill(side == kLeft ? weights_ : middle, side == kLeft ? middle : end, 0.0);
      add_rows(rows, static_cast<int>(side));
    });
  }

  // One pass over the rows that are awake. `share` allows two threads of the pool, one for each
  // half of the features, where rows are long enough and two have been found faster than one.
  void sweep(std::int64_t epoch, std::uint64_t seed, bool share, ThreadPool& pool) {
    zero_ = scores_known_ = false;
    for (std::int32_t c = 0; c < width_; ++c) {
      if (!left_.rule->is_done(std::min(c, left_.rule->problems() - 1))) bias_.follow(c);
    }
    const bool rests = rest_ > 0 && rest_-- > 0;
    const bool possible = share && halves_.shared() && pool.threads() > 1 && !rests;
    left_.begin(epoch, seed);
    std::int64_t from = 0;  // how many of the rows have been visited
    if (possible && race_.is_new()) {
      from = run_timed(0, kWarm, epoch, pool);  // which says little of its pace
      from = run_timed(from, from + kTrial, epoch, pool);
    }
    const bool together = possible && race_.together();
    if (together) {
      run_together(from, epoch, seed, pool);
    } else {
      run_timed(from, left_.sleepers.size(), epoch, pool);
    }
  }

  // Adds rows first..last-1 to the sums of each problem.
  void measure(std::int64_t first, std::int64_t last, double* loss, double* gap) const {
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    for (std::int64_t i = first; i < last; ++i) {
      if (scores_known_) {
        left_.rule->measure(i, scores_ + i * width_, loss, gap);
        continue;
      }
      if (!zero_) score(i, scores.data());
      if (scores_ != nullptr) std::copy_n(scores.data(), width_, scores_ + i * width_);
      left_.rule->measure(i, scores.data(), loss, gap);
    }
  }

  // The dual of each problem, without a pass over the data: at scores of 0 the gap of a row is its
  // loss and its conjugate.
  void dual_values(double* out) const {
    std::vector<double> zero(static_cast<std::size_t>(width_)), loss(zero), gap(zero),
        squares_(zero);
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      left_.rule->measure(i, zero.data(), loss.data(), gap.data());
    }
    squares(squares_.data());
    const std::int32_t problems = left_.rule->problems();
    for (std::int32_t p = 0; p < problems; ++p) out[p] = loss[p] - gap[p];
    for (std::int32_t c = 0; c < width_; ++c) {
      const double b = bias_[c], aim = bias_.aim(c);
      out[std::min(c, problems - 1)] -= 0.5 * (squares_[c] - b * b + aim * aim);
    }
  }

  // Before faces are solved: these have the bias as one of the weights, X^T A, and from now on so
  // has everybody.
  void begin_faces() {
    bias_.hurry();
    care_.resize(static_cast<std::size_t>(left_.rule->problems()));
  }

  // Solves one problem on its face: all its dual variables inside their bounds at once.
  void solve_face(std::int32_t problem, ThreadPool& pool) {
    DualRule& rule = *left_.rule;
    const auto [first, count] = rule.columns_of(problem);
    for (std::int32_t c = first; c < first + count; ++c) bias_.arrive(c);
    Face<V> face(x_, layout_.bias, count, rule.is_balanced());
    std::vector<double> scores(static_cast<std::size_t>(2 * width_));
    std::vector<Coordinate> free;
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      const double q = norms_[i] + bias_.square();
      if (q == 0.0 || !rule.is_inside(problem, i)) continue;
      if (count == 1) {
        scores[0] = score_column(i, first);
      } else {
        score(i, scores.data());
      }
      rule.free(problem, i, scores.data(), free);
      face.add(i, q, rule.cost(i), free);
    }
    care_[problem].take(face.solve(kNegligible * rule.allowed(problem), care_[problem].share,
                                   rule.most(), rule.slack(), pool));
    for (std::int64_t r = 0; r < face.rows(); ++r) {
      const std::int64_t i = face.row(r);
      rule.take(problem, i, face.begin(r), face.end(r));
      for (const Coordinate* c = face.begin(r); c != face.end(r); ++c) {
        add_to_column(i, first + c->column, c->sign * face.change(c));
      }
    }
  }

  void faces_solved() { right_.reset(); }  // what it knew of the duals is no longer so

  void certified(const double* objective, const double* gap) {
    left_.rule->certified(objective, gap);
    if (right_) right_->rule->certified(objective, gap);
  }

  void expect(const double* objective) {
    left_.rule->expect(objective);
    if (right_) right_->rule->expect(objective);
  }

  void wake_all() {
    left_.sleepers.wake_all();
    if (right_) right_->sleepers.wake_all();
  }

  // |W|^2 of each column
  void squares(double* out) const {
    if (width_ == 1) {
      *out = bias_[0] * bias_[0] +
             (is_rough() ? sum_of_squares(rounded_.data()) : sum_of_squares(weights_));
      return;
    }
    std::fill(out, out + width_, 0.0);
    for (std::int64_t j = 0; j < layout_.rows(); ++j) {
      const double* row = weights_ + j * width_;
      for (std::int32_t c = 0; c < width_; ++c) out[c] += row[c] * row[c];
    }
  }

  double lag(std::int32_t column) const { return bias_.lag(column); }

  const DualRule& rule() const { return *left_.rule; }
  double estimate() const {
    double sum = left_.estimate;
    for (std::int32_t c = 0; c < width_; ++c) sum += lag(c);
    return sum;
  }
  std::int64_t work() const { return left_.work; }
  const double* weights() const { return weights_; }

 private:
  // How well the equations of a face are to be solved. A digit at a time is enough while the next
  // sweep finds another face anyway, and with many rows the later digits take hundreds of rounds.
  // Where some faces have brought the optimum hardly nearer, a digit more is asked for.
  struct Care {
    static constexpr int kFaces = 5;
    double share = 0.1;                                       // to leave of what could be gained
    double before = std::numeric_limits<double>::infinity();  // what could be gained some faces ago
    int faces = 0;
    void take(double gain) {
      if (++faces % kFaces != 0) return;
      if (gain > 0.5 * before) share *= 0.1;
      before = gain;
    }
  };

  // With one column, reading the rows takes longer than reading the weights.
  static constexpr std::int64_t kTogether = 16;
  static constexpr std::int64_t kAhead = 3;      // rows between a prefetch and its use,
  static constexpr std::int64_t kFarAhead = 32;  // and of what is known of a row
  static constexpr std::int64_t kWarm = 1024,
                                kTrial = 2048;  // rows before one thread is timed, and then
  // From so many weights on they are too large for the cache next to a core. Half the bytes are
  // then worth more than the last digits, as long as the gap is far from its end.
  static constexpr std::int32_t kLarge = 1 << 16;
  static constexpr std::int64_t kMostTogether = 16;  // rows in a batch
  static_assert(kWarm % kMostTogether == 0 && kTrial % kMostTogether == 0);
  static constexpr int kLeft = 0, kRight = 1, kBoth = 2;
  static constexpr std::int64_t kNoRow = -1;

  // The dual state of one thread; two threads make the same decisions from their own copies.
  struct Side {
    std::unique_ptr<DualRule> rule;
    Sleepers sleepers;
    double estimate = 0.0;  // sum of the gap shares met during the sweep
    std::int64_t work = 0;  // stored values read during the sweep

    void begin(std::int64_t epoch, std::uint64_t seed) {
      sleepers.awake(epoch, seed);
      estimate = 0.0;
      work = 0;
    }
    Side copy() const { return {rule->clone(), sleepers, estimate, work}; }
  };

  // Visits the rows from..to-1 of the order, or as many as there are, alone; returns how far it is.
  std::int64_t run_timed(std::int64_t from, std::int64_t to, std::int64_t epoch, ThreadPool& pool) {
    const std::int64_t before = left_.work, end = std::min(to, left_.sleepers.size());
    race_.begin();
    run(left_, kBoth, from, end, epoch, pool);
    race_.end(false, left_.work - before);
    right_.reset();
    return end;
  }

  void run_together(std::int64_t from, std::int64_t epoch, std::uint64_t seed, ThreadPool& pool) {
    const std::int64_t before = left_.work, end = left_.sleepers.size();
    race_.begin();
    if (right_) {
      right_->begin(epoch, seed);
    } else {
      right_ = std::make_unique<Side>(left_.copy());
    }
    exchange_.reset(race_.alone() * static_cast<double>(x_.stored()) / static_cast<double>(x_.rows),
                    batch_);
    pool.run(2, [&](std::int64_t side) {
      run(side == 0 ? left_ : *right_, static_cast<int>(side), from, end, epoch, pool);
    });
    race_.end(true, left_.work - before);
    if (!exchange_.parted()) return;
    right_.reset();
    rest_ = last_rest_ = std::min(64, 2 * last_rest_ + 1);
  }

  void run(Side& side, int part, std::int64_t from, std::int64_t n, std::int64_t epoch,
           ThreadPool& pool) {
    std::vector<double> scores(static_cast<std::size_t>((batch_ + 1) * width_)), amount(scores);
    const std::int32_t* order = side.sleepers.order();
    std::int64_t meeting = 0;
    for (std::int64_t k = from; k < n;) {
      const std::int64_t end = std::min(k + batch_, n);
      if (k % 512 < batch_) pool.checkpoint();
      bool together = part != kBoth;
      for (std::int64_t b = k; b < end; ++b) {
        if (b + kFarAhead < n) prefetch_state(side, order[b + kFarAhead]);
        const std::int32_t i = order[b], next = order[std::min(b + kAhead, n - 1)];
        double* out = scores.data() + (b - k) * width_;
        if (together) {
          score_part(i, part, out, next);
        } else {
          score(i, out, next);
        }
      }
      if (together) {
        together = exchange_.add_up(part, ++meeting, scores.data(),
                                    static_cast<std::int32_t>(end - k) * width_, pool);
      }
      for (std::int64_t b = k; b < end; ++b) {
        const std::int32_t i = order[b];
        const double q = norms_[i] + bias_.felt();
        const Visit visit = side.rule->step(i, scores.data() + (b - k) * width_, q, amount.data());
        if (visit.moved) add(i, amount.data(), part);
        side.sleepers.visited(i, epoch, visit.mattered);
        side.estimate += visit.share;
        side.work += x_.start[i + 1] - x_.start[i];
      }
      k = end;
      if (part == kBoth || together) continue;
      exchange_.part(part, meeting, pool);
      if (part == kRight) return;
      part = kBoth;  // the left goes on alone
    }
  }

  // Neighbouring rows come one after the other, a block of them anywhere.
  LINNET_INLINE void prefetch_state(const Side& side, std::int64_t i) const {
    LINNET_PREFETCH(norms_ + i);
    LINNET_PREFETCH(x_.start + i);
    halves_.prefetch(i);
    side.rule->prefetch(i);
    side.sleepers.prefetch(static_cast<std::int32_t>(i));
  }

  // After the weights: where no bias was given, it begins at its aim, unless scores without it are
  // known. `any` weight is not 0.
  void begin(bool any) {
    if (bias_.is_zero() && !scores_known_) {
      for (std::int32_t c = 0; c < width_; ++c) bias_.arrive(c);
    }
    zero_ = !any && bias_.is_zero();
  }

  // The mean x_i x_k of neighbours as a share of the mean |x_i|^2, judged by a few rows in each of
  // some places.
  double likeness_of_neighbours(float* zeros) const {
    constexpr std::int64_t kPlaces = 32, kNear = 4;
    if (x_.rows < kPlaces * kNear) return 1.0;
    double products = 0.0, squares = 0.0;
    for (std::int64_t place = 0; place < kPlaces; ++place) {
      const std::int64_t first = place * (x_.rows - kNear) / (kPlaces - 1);
      products += mean_product(x_, kNear, [&](std::int64_t n) { return first + n; }, zeros);
      squares += std::accumulate(norms_ + first, norms_ + first + kNear, 0.0) / kNear;
    }
    return squares > 0.0 ? std::abs(products) / squares : 1.0;
  }

  // The scores of a batch of rows are taken before any of them makes its step, so that two threads
  // meet once a batch. What a row then misses are the steps of those before it in the batch: all of
  // them together are to weigh less than its own.
  static std::int64_t batch_for(double likeness) {
    std::int64_t batch = kMostTogether;
    while (batch > 1 && !(static_cast<double>(batch) * likeness <= 1.0)) batch /= 2;
    return batch;
  }

  Row<V> half(std::int64_t i, int part) const {
    return part == kLeft ? halves_.left(i) : halves_.right(i);
  }

  // The bias belongs to the right half. The memory of row `next`, if there is one, is asked for.
  void score_part(std::int64_t i, int part, double* out, std::int64_t next) const {
    const Row<V> x = half(i, part);
    if (next == kNoRow) {
      flat::score(x, weights_, width_, out);
    } else if (is_rough()) {
      *out = flat::score(x, rounded_.data(), half(next, part));
    } else {
      flat::score(x, weights_, width_, out, half(next, part));
    }
    if (part == kRight) layout_.score_bias(weights_, out);
  }

  // out[2 * width]: the scores, then scratch
  void score(std::int64_t i, double* out, std::int64_t next = kNoRow) const {
    score_part(i, kLeft, out, next);
    score_part(i, kRight, out + width_, next);
    for (std::int32_t c = 0; c < width_; ++c) out[c] += out[width_ + c];
  }

  void add(std::int64_t i, const double* amount, int part) {
    add_features(i, amount, part);
    if (part != kLeft) bias_.move(amount);
  }

  // Half by half, whoever does it: what is added to a weight must not depend on where in a vector
  // its value comes to lie.
  void add_features(std::int64_t i, const double* amount, int part) {
    if (part != kRight) add_row(halves_.left(i), amount);
    if (part != kLeft) add_row(halves_.right(i), amount);
  }

  // Of one column without the bias: eight sums in flight hide the latency of addition.
  template <class W>
  double sum_of_squares(const W* w) const {
    constexpr std::int64_t kSums = 8;
    const std::int64_t n = x_.cols;
    double sum[kSums] = {};
    for (std::int64_t j = 0; j < n / kSums * kSums; j += kSums) {
      for (std::int64_t s = 0; s < kSums; ++s) sum[s] += double{w[j + s]} * w[j + s];
    }
    for (std::int64_t j = n / kSums * kSums; j < n; ++j) sum[0] += double{w[j]} * w[j];
    return std::accumulate(sum, sum + kSums, 0.0);
  }

  // The rows whose coefficients are not all 0.
  std::vector<std::int32_t> used_rows() const {
    std::vector<double> amount(static_cast<std::size_t>(width_));
    std::vector<std::int32_t> rows;
    for (std::int64_t i = 0; i < x_.rows; ++i) {
      left_.rule->coefficients(i, amount.data());
      const bool none =
          std::all_of(amount.begin(), amount.end(), [](double a) { return a == 0.0; });
      if (!none) rows.push_back(static_cast<std::int32_t>(i));
    }
    return rows;
  }

  void add_halves(const std::vector<std::int32_t>& rows, ThreadPool& pool) {
    pool.run(2, [&](std::int64_t side) { add_rows(rows, static_cast<int>(side)); });
  }

  // Adds rows with their coefficients, of the bias to its aim.
  void add_rows(const std::vector<std::int32_t>& rows, int part) {
    std::vector<double> amount(static_cast<std::size_t>(width_));
    const std::int64_t count = std::ssize(rows);
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t i = rows[r], next = rows[std::min(r + kAhead, count - 1)];
      left_.rule->coefficients(i, amount.data());
      if (part != kRight) add_row(halves_.left(i), amount.data(), halves_.left(next));
      if (part != kLeft) add_row(halves_.right(i), amount.data(), halves_.right(next));
      if (part != kLeft) bias_.aim_at(amount.data());
    }
  }

  double score_column(std::int64_t i, std::int32_t column) const {
    const Row<V> x = x_.row(i);
    const double* at = weights_ + column;
    double sum = layout_.bias == 0.0 ? 0.0 : layout_.bias * at[layout_.bias_from()];
    for (std::int64_t k = 0; k < x.size; ++k) {
      sum += value_at(x.value, k) * at[x.index[k] * static_cast<std::int64_t>(width_)];
    }
    return sum;
  }

  void add_to_column(std::int64_t i, std::int32_t column, double amount) {
    const Row<V> x = x_.row(i);
    double* at = weights_ + column;
    bias_.move(static_cast<std::size_t>(column), amount, 1.0);
    for (std::int64_t k = 0; k < x.size; ++k) {
      at[x.index[k] * static_cast<std::int64_t>(width_)] += amount * value_at(x.value, k);
    }
  }

  // Where few of many columns change, only those are written.
  void add_row(const Row<V>& x, const double* amount) {
    if (is_rough()) {
      flat::add(x, *amount, rounded_.data());
      return;
    }
    constexpr std::int32_t kFew = 4;
    std::int32_t changed[kFew], count = 0;
    for (std::int32_t c = 0; c < width_ && count <= kFew; ++c) {
      if (amount[c] == 0.0) continue;
      if (count < kFew) changed[count] = c;
      ++count;
    }
    if (count > kFew || width_ < 3 * count) {
      flat::add(x, amount, width_, weights_);
      return;
    }
    for (std::int64_t n = 0; n < x.size; ++n) {
      double* row = weights_ + x.index[n] * static_cast<std::int64_t>(width_);
      const double v = value_at(x.value, n);
      for (std::int32_t k = 0; k < count; ++k) row[changed[k]] += v * amount[changed[k]];
    }
  }

  // The same while the memory of the row `next` is asked for.
  void add_row(const Row<V>& x, const double* amount, const Row<V>& next) {
    if (is_rough()) {
      flat::add(x, *amount, rounded_.data(), next);
    } else if (width_ == 1) {
      flat::add(x, *amount, weights_, next);
    } else {
      RowLines<V>(next).all();
      add_row(x, amount);
    }
  }

  const Csr<V>& x_;
  const Halves<V>& halves_;
  const double* norms_;  // [rows] |x_i|^2
  const std::int32_t width_;
  std::int64_t batch_ = 1;  // rows; more only while weights are rounded
  const flat::Layout layout_;
  double* weights_;             // [J + 1][width]
  SlowBias bias_;               // the last row of weights_
  LargeVector<float> rounded_;  // [J] what the sweeps work on in the place of weights_, or empty
  Exchange exchange_;
  Race race_;
  Side left_;                     // also the state of a thread that works alone
  std::unique_ptr<Side> right_;   // made when a second thread first joins
  std::vector<Care> care_;        // of each problem, once faces are solved
  bool zero_ = true;              // all weights are still 0
  double* scores_ = nullptr;      // [rows][width] that somebody wants to keep
  bool scores_known_ = false;     // those of the first certificate
  int rest_ = 0, last_rest_ = 0;  // sweeps to make alone after the cores were taken; the last such
};

}  // namespace linnet
