// Memory-based learning (SPEC M-95 - M-104): the stored examples and the questions asked of them.
//
// Given:    U different instances of J features, each with the rows of training that are like it;
//           queries of the same features; weights w_j; k.
// Distance: D(x, y) = combine_j w_j delta_j(x_j, y_j), summed in feature order, with delta
//             overlap            0 when equal, else 1
//             value difference   1/2 sum_c |p(c | x_j) - p(c | y_j)|, 1 when x_j was never seen
//             number             |x_j - y_j| / scale_j
//           and combine = sum, root of the sum of powers, or maximum. A missing value has delta 1.
// Returned: for each query the votes of its nearest neighbours and the class they elect.
//
// Features come in the order in which they are summed. Instances are sorted by their values in that
// order, so that those which share the first features stand together: the rows are a trie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace linnet::memory {

constexpr std::int32_t kUnseen = -1;   // the code of a value that training does not have
constexpr std::int32_t kMissing = -2;  // the code of a missing value
// Two distances closer than this are one: sums of the same terms may differ by a last bit.
constexpr double kSame = std::numeric_limits<double>::epsilon();

// Whatever the numbers are, a distance is one that can be ordered: what is too large to be held, or
// is no number, is as far away as can be.
constexpr double kFarthest = std::numeric_limits<double>::max();
inline double bounded(double distance) { return std::min(kFarthest, distance); }

enum class Delta : std::int32_t { overlap = 0, value_difference = 1, number = 2 };
enum class Combine : std::int32_t { sum = 0, power = 1, maximum = 2 };
enum class Vote : std::int32_t {
  majority = 0,
  inverse_linear = 1,
  inverse_distance = 2,
  decay = 3
};
enum class Search : std::int32_t { exact = 0, igtree = 1, tribl = 2, tribl2 = 3 };

struct Feature {
  Delta delta;
  double weight;
  double scale;               // of a number; 0 when training has one value only
  const std::int32_t* code;   // [U] what delta compares: values, or levels of equal p(c | value)
  const std::int32_t* value;  // [U] the values themselves; of a number both are nullptr
  const double* number;       // [U]; else nullptr
  const double* probability;  // [levels][classes] of a value difference, else nullptr
  std::int32_t levels;        // codes are below this
};

struct Instances {
  std::int64_t size;          // U
  std::int32_t features;      // J
  std::int32_t classes;       // K, numbered in order of first appearance
  const Feature* feature;     // [J]
  const std::int64_t* start;  // [U + 1] first training row of each instance
  const std::int32_t* row;    // [start[U]] ascending within an instance
  const std::int32_t* label;  // [start[U]]
  const double* frequency;    // [K] training rows of each class
};

struct Queries {
  std::int64_t size;
  const std::int32_t* code;   // [size][J]
  const std::int32_t* value;  // [size][J]
  const double* number;       // [size][J]
};

struct Settings {
  Combine combine;
  double power;  // of Combine::power
  Vote vote;
  double alpha, beta;  // of Vote::decay: exp(-alpha d^beta)
  std::int64_t k;
  bool count_examples;  // k counts training rows, not different distances
  Search search;
  std::int32_t depth;  // of Search::tribl: the features that must match
};

}  // namespace linnet::memory
