// The best split of some rows on one attribute.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "grow.hpp"

namespace linnet::trees {

inline constexpr std::int32_t kMissing = -2;
inline constexpr double kTie = 1e-10;  // scores closer than this are equal: the first one wins

struct Split {
  double score = -std::numeric_limits<double>::infinity();
  double gain = 0.0;
  std::int32_t feature = -1;
  std::int32_t low = -1, high = -1;  // of an ordered attribute
};

// Scratch for one tree; every call leaves it as it found it.
class Splitter {
 public:
  Splitter(const Rows& rows, const Limits& limits);

  // Counts the classes of the rows; returns whether there are two.
  bool begin(std::span<const std::int32_t> rows);
  // The split on one attribute; its score is -inf when there is none.
  Split best(std::int32_t feature, std::span<const std::int32_t> rows);
  // Puts the rows into the order of their branches; returns branch and size of each.
  std::vector<std::pair<std::int32_t, std::int32_t>> divide(const Split& split,
                                                            std::span<std::int32_t> rows);

 private:
  Split symbolic(std::int32_t feature, std::span<const std::int32_t> rows);
  Split ordered(std::int32_t feature, std::span<const std::int32_t> rows);
  std::int32_t gather(std::int32_t feature, std::span<const std::int32_t> rows);
  double group_terms(std::int64_t first, std::int64_t last, double& total);
  double ratio_or_gain(double gain, double branch_terms) const;
  void sweep(const std::int32_t* code, Split& found, double missing_terms, double missing);
  std::int32_t branch_of(const Split& split, std::int32_t row) const;

  Rows rows_;
  Limits limits_;
  double total_ = 0.0;              // weight of the rows in hand
  double entropy_terms_ = 0.0;      // sum over classes of c log c
  std::vector<double> counts_;      // [classes] of the rows in hand
  std::vector<double> part_;        // [classes] of one branch, zero between uses
  std::vector<std::int32_t> slot_;  // [values]: number of a value among those in hand, or -1
  std::vector<std::int32_t> seen_;  // the values in hand, by number
  std::vector<std::int64_t> start_;
  std::vector<std::int32_t> grouped_;  // rows by number of their value
};

}  // namespace linnet::trees
