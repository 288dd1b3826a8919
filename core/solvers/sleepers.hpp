// Which examples an epoch visits: all but those asleep, in a fresh random order. On large data the
// order may be one of short blocks: neighbouring rows are read from memory at twice the speed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../numeric.hpp"
#include "../random.hpp"

namespace linnet {

class Sleepers {
 public:
  // `block` rows stay together where there are many blocks.
  Sleepers(std::int64_t rows, std::int64_t block)
      : due_(static_cast<std::size_t>(rows)),
        streak_(static_cast<std::size_t>(rows)),
        block_(std::clamp<std::int64_t>(rows / 512, 1, block)) {}

  // Finds the rows due in this epoch, shuffled by (seed, epoch).
  void awake(std::int64_t epoch, std::uint64_t seed) {
    blocks_.clear();
    for (std::int64_t first = 0; first < rows(); first += block_) blocks_.push_back(first);
    Random random(seed, static_cast<std::uint64_t>(epoch));
    shuffle(blocks_.data(), static_cast<std::int64_t>(blocks_.size()), random);
    order_.clear();
    for (const std::int64_t first : blocks_) {
      const std::int64_t last = std::min(rows(), first + block_);
      for (std::int64_t i = first; i < last; ++i) {
        if (due_[i] <= epoch) order_.push_back(static_cast<std::int32_t>(i));
      }
    }
  }

  const std::int32_t* order() const { return order_.data(); }
  std::int64_t size() const { return static_cast<std::int64_t>(order_.size()); }

  void prefetch(std::int32_t row) const {
    LINNET_PREFETCH(due_.data() + row);
    LINNET_PREFETCH(streak_.data() + row);
  }

  // After a visit: a row that did not matter rests, longer each time in a row.
  void visited(std::int32_t row, std::int64_t epoch, bool mattered) {
    if (mattered) {
      streak_[row] = 0;
      return;
    }
    streak_[row] = static_cast<std::uint8_t>(std::min(streak_[row] + 1, kLongest));
    due_[row] = epoch + 1 + streak_[row];
  }

  void wake_all() {
    std::fill(due_.begin(), due_.end(), 0);
    std::fill(streak_.begin(), streak_.end(), std::uint8_t{0});
  }

 private:
  static constexpr int kLongest = 6;

  std::int64_t rows() const { return static_cast<std::int64_t>(due_.size()); }

  std::vector<std::int64_t> due_;
  std::vector<std::uint8_t> streak_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::int32_t> order_;
  const std::int64_t block_;
};

}  // namespace linnet
