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
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

// Where each row of a matrix is cut.
template <class V>
class Halves {
 public:
  // Rows too short to share (by `columns`, the weights a stored value touches) get an empty right.
  Halves(const Csr<V>& x, std::int32_t columns) : x_(x), middle_(static_cast<std::size_t>(x.rows)) {
    const double row_work = static_cast<double>(x.stored()) * columns;
    shared_ = x.rows >= 1000 && row_work >= 128.0 * static_cast<double>(x.rows);
    const std::int32_t cut = shared_ ? median_feature() : x.cols;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      const std::int32_t* first = x.index + x.start[i];
      const std::int32_t* last = x.index + x.start[i + 1];
      middle_[i] = x.start[i] + (std::lower_bound(first, last, cut) - first);
    }
  }

  bool shared() const { return shared_; }

  Row<V> left(std::int64_t i) const { return between(x_.start[i], middle_[i]); }
  Row<V> right(std::int64_t i) const { return between(middle_[i], x_.start[i + 1]); }

 private:
  Row<V> between(std::int64_t first, std::int64_t last) const {
    return {x_.index + first, advance(x_.value, first), last - first};
  }

  // Half of the stored values lie below it, judged by a sample of the rows.
  std::int32_t median_feature() const {
    std::vector<std::int32_t> sample;
    const std::int64_t step = std::max<std::int64_t>(1, x_.rows / 500);
    for (std::int64_t i = 0; i < x_.rows; i += step) {
      sample.insert(sample.end(), x_.index + x_.start[i], x_.index + x_.start[i + 1]);
    }
    if (sample.empty()) return x_.cols;
    auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    return *middle;
  }

  const Csr<V>& x_;
  std::vector<std::int64_t> middle_;  // [rows] where the right half of a row begins
  bool shared_ = false;
};

// The meeting place of the two threads. Slots alternate, so a thread may be one row ahead.
class Exchange {
 public:
  explicit Exchange(std::int32_t columns) : columns_(columns) {
    for (auto& side : slots_) {
      for (auto& slot : side) {
        slot.partial = std::make_unique<double[]>(static_cast<std::size_t>(columns) + 16);
      }
    }
  }

  // Before a sweep; both threads count their rows from 1 afterwards.
  void reset() {
    for (auto& side : slots_) {
      for (auto& slot : side) slot.row.store(0, std::memory_order_relaxed);
    }
    yields_ = 0;
  }

  // Replaces the partial scores of side 0 (left) or 1 (right) for meeting `row` by left + right.
  void add_up(int side, std::int64_t row, double* partial, ThreadPool& pool) {
    Slot& mine = slots_[side][row & 1];
    std::copy(partial, partial + columns_, mine.partial.get());
    mine.row.store(row, std::memory_order_release);
    Slot& other = slots_[1 - side][row & 1];
    for (int spins = 1; other.row.load(std::memory_order_acquire) != row; ++spins) {
      if (spins % 256 != 0) {
        relax();
        continue;
      }
      pool.checkpoint();
      std::this_thread::yield();
      if (side == 0) ++yields_;
    }
    for (std::int32_t c = 0; c < columns_; ++c) {
      const double theirs = other.partial[c];
      partial[c] = side == 0 ? partial[c] + theirs : theirs + partial[c];
    }
  }

  // How often the left side gave up its core: many times means that the cores are taken.
  std::int64_t yields() const { return yields_; }

 private:
  static void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_ia32_pause();
#endif
  }

  struct alignas(128) Slot {
    std::atomic<std::int64_t> row{0};
    std::unique_ptr<double[]> partial;
  };

  const std::int32_t columns_;
  Slot slots_[2][2];
  std::int64_t yields_ = 0;
};

}  // namespace linnet
