// Two threads on one coordinate descent, without changing a bit of it.
//
// The features are cut in two at one id, so each row has a left and a right half of about equal
// size and each thread owns the weights of one half. For every row both threads score their half,
// exchange the partial scores, add them (left + right), take the same decision from their own copy
// of the dual state, and update their half. One exchange a row is all they share, so a row must be
// long enough to pay for it. A single thread does both halves in turn, with the same sums.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

// Where each row of a matrix is cut.
template <class V>
class Halves {
 public:
  // Rows too short to share (by `columns`, the weights a stored value touches) get an empty right,
  // and so do those of a matrix so small that a second thread is not worth its start.
  // With a pool the places are found by its threads and kept for many sweeps, instead of searching
  // each row when it is met. Then no row is in the cache yet: to read all of it takes less time
  // than to wait for each place that a bisection asks for.
  Halves(const Csr<V>& x, std::int32_t columns, ThreadPool* pool) : x_(x), cut_(x.cols) {
    const double row_work = static_cast<double>(x.stored()) * columns;
    shared_ =
        x.rows >= 1000 && row_work >= kLeast && row_work >= 128.0 * static_cast<double>(x.rows);
    if (!shared_) return;
    cut_ = median_feature();
    if (pool == nullptr) return;
    middle_.resize(static_cast<std::size_t>(x.rows));
    pool->ranges(x.rows, 1024, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) middle_[i] = x_.start[i] + below(i);
    });
  }

  bool shared() const { return shared_; }
  std::int32_t cut() const { return cut_; }  // the first feature of the right half

  std::pair<Row<V>, Row<V>> both(std::int64_t i) const {
    const std::int64_t cut = middle(i);
    return {between(x_.start[i], cut), between(cut, x_.start[i + 1])};
  }
  void prefetch(std::int64_t i) const {
    if (!middle_.empty()) LINNET_PREFETCH(middle_.data() + i);
  }
  Row<V> left(std::int64_t i) const { return between(x_.start[i], middle(i)); }
  Row<V> right(std::int64_t i) const { return between(middle(i), x_.start[i + 1]); }

 private:
  static constexpr double kLeast = 1 << 20;

  Row<V> between(std::int64_t first, std::int64_t last) const {
    return {x_.index + first, advance(x_.value, first), last - first};
  }

  std::int64_t middle(std::int64_t i) const {
    if (!shared_) return x_.start[i + 1];
    return middle_.empty() ? find(i) : middle_[i];
  }

  // How many columns of row i lie left of the cut
  std::int32_t below(std::int64_t i) const {
    std::int32_t count = 0;
    for (std::int64_t k = x_.start[i]; k < x_.start[i + 1]; ++k) count += x_.index[k] < cut_;
    return count;
  }

  // Bisection without branches: which half of a row holds the cut is a coin toss to the processor,
  // and a wrong guess costs it more than the search.
  std::int64_t find(std::int64_t i) const {
    const std::int32_t* at = x_.index + x_.start[i];
    for (std::int64_t left = x_.start[i + 1] - x_.start[i]; left > 0;) {
      const std::int64_t step = (left + 1) / 2;
      at += step & -static_cast<std::int64_t>(at[step - 1] < cut_);
      left -= step;
    }
    return at - x_.index;
  }

  // Half of the stored values lie below it, judged by a sample of the rows.
  std::int32_t median_feature() const {
    std::vector<std::int32_t> sample;
    const std::int64_t step = std::max<std::int64_t>(1, x_.rows / 64);
    for (std::int64_t i = 0; i < x_.rows; i += step) {
      sample.insert(sample.end(), x_.index + x_.start[i], x_.index + x_.start[i + 1]);
    }
    if (sample.empty()) return x_.cols;
    auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    return *middle;
  }

  const Csr<V>& x_;
  std::int32_t cut_;
  std::vector<std::int64_t> middle_;  // [rows] where the right half of a row begins, or empty
  bool shared_ = false;
};

// Is one thread faster, or two? On some machines a message between cores takes longer than half a
// row. Both come to the same bits, so the clock may decide: the first sweep is begun by one thread
// and ended by two, each later one made in the way that was last seen to be faster.
class Race {
 public:
  bool is_new() const { return alone_ == 0.0; }
  bool together() const { return alone_ > 0.0 && together_ <= alone_; }
  double alone() const { return alone_; }
  void begin() { began_ = Clock::now(); }
  void end(bool together, std::int64_t work) {
    if (work == 0) return;
    const std::chrono::duration<double> seconds = Clock::now() - began_;
    (together ? together_ : alone_) = seconds.count() / static_cast<double>(work);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point began_;
  double alone_ = 0.0, together_ = 0.0;  // seconds a stored value of the last such sweep; 0: none
};

// The meeting place of the two threads. Slots alternate, so a thread may be one row ahead.
//
// When other programs hold the cores, waiting for each other would cost more than it saves. The
// left side watches the clock and may part: it says so with the scores of a row, and from the next
// row on works alone. So it does when a trial of some rows is slower than one thread is known to
// be: to find out must not cost a whole sweep. When that happens never changes a result.
class Exchange {
 public:
  explicit Exchange(std::int32_t columns) {
    for (auto& side : slots_) {
      for (auto& slot : side) {
        if (columns <= Slot::kFew) continue;
        slot.many = std::make_unique<double[]>(static_cast<std::size_t>(columns) + 16);
        slot.partial = slot.many.get();
      }
    }
  }

  // Before a sweep; both threads count their meetings from 1 afterwards, each about `rows` rows.
  // `pace` is the seconds that one thread takes for a row, 0 where that is not known.
  void reset(double pace, std::int64_t rows = 1) {
    rows_ = rows;
    pace_ = pace;
    for (auto& side : slots_) {
      for (auto& slot : side) slot.meeting.store(0, std::memory_order_relaxed);
    }
    began_ = Clock::now();
    stalled_ = Clock::duration::zero();
    parted_ = false;
  }

  // Replaces the `count` partial scores of side 0 (left) or 1 (right) by left + right. Returns
  // false when this was the last meeting.
  bool add_up(int side, std::int64_t meeting, double* partial, std::int32_t count,
              ThreadPool& pool) {
    Slot& mine = slots_[side][meeting & 1];
    std::copy(partial, partial + count, mine.partial);
    if (side == 0) mine.last = parted_ = too_slow() || fails_trial(meeting);
    mine.meeting.store(meeting, std::memory_order_release);
    Slot& other = slots_[1 - side][meeting & 1];
    await(other, meeting, side, pool);
    for (std::int32_t c = 0; c < count; ++c) {
      const double theirs = other.partial[c];
      partial[c] = side == 0 ? partial[c] + theirs : theirs + partial[c];
    }
    return !(side == 0 ? parted_ : other.last);
  }

  // After the last meeting: the right side says that its half is written, the left waits.
  void part(int side, std::int64_t meeting, ThreadPool& pool) {
    Slot& slot = slots_[1][(meeting + 1) & 1];
    if (side == 1) {
      slot.meeting.store(meeting + 1, std::memory_order_release);
    } else {
      await(slot, meeting + 1, 0, pool);
    }
  }

  bool parted() const { return parted_; }

 private:
  using Clock = std::chrono::steady_clock;

  // A few scores travel beside the number of the meeting itself.
  struct alignas(128) Slot {
    static constexpr std::int32_t kFew = 16;
    std::atomic<std::int64_t> meeting{0};
    bool last = false;
    double few[kFew];
    std::unique_ptr<double[]> many;
    double* partial = few;
  };

  static constexpr auto kSettling = std::chrono::milliseconds(8);
  static constexpr std::int64_t kWarm = 512, kTrial = 1024;  // rows before and in a trial

  bool too_slow() const {
    if (stalled_ < std::chrono::milliseconds(2)) return false;
    return stalled_ > (Clock::now() - began_ - kSettling) / 4;
  }

  bool fails_trial(std::int64_t meeting) {
    const std::int64_t begins = kWarm / rows_, ends = (kWarm + kTrial) / rows_;
    if (pace_ == 0.0 || (meeting != begins && meeting != ends)) return false;
    const auto now = Clock::now();
    const std::chrono::duration<double> seconds = now - std::exchange(trial_, now);
    return meeting == ends && seconds.count() > pace_ * kTrial;
  }

  void await(const Slot& slot, std::int64_t meeting, int side, ThreadPool& pool) {
    for (int spins = 0; spins < 256; ++spins) {
      if (slot.meeting.load(std::memory_order_acquire) == meeting) return;
      relax();
    }
    const auto since = Clock::now();
    while (slot.meeting.load(std::memory_order_acquire) != meeting) {
      pool.checkpoint();
      std::this_thread::yield();
    }
    // Until a thread that has just been made finds a core of its own, waiting is no sign of a
    // crowd.
    if (side == 0 && since > began_ + kSettling) stalled_ += Clock::now() - since;
  }

  static void relax() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
  }

  Slot slots_[2][2];
  double pace_ = 0.0;
  std::int64_t rows_ = 1;
  Clock::time_point began_, trial_;
  Clock::duration stalled_{};
  bool parted_ = false;
};

}  // namespace linnet
