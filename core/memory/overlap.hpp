// Full search with the overlap metric, when features are few (SPEC M-97, M-99).
//
// An instance is as far from the query as the set of features in which they differ says: of J
// features there are 2^J distances, known beforehand. Lists of the instances that have each value
// find those which agree somewhere; all others differ everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "instances.hpp"
#include "vote.hpp"

namespace linnet::memory {

class OverlapIndex {
 public:
  // Whether the metric is overlap throughout and the tables stay small.
  static bool serves(const Instances& memory, const Settings& settings);

  explicit OverlapIndex(const Instances& memory);

  // What one thread needs while it answers.
  struct Scratch {
    std::vector<std::uint16_t> agrees;  // [U] set of features, 0 between queries
    std::vector<std::int32_t> touched;  // instances that agree somewhere
    std::vector<double> count;          // [2^J][K], 0 between queries
    std::vector<std::uint16_t> sets;    // of the touched instances, each once
    std::vector<char> seen;             // [2^J] whether a set is among them, 0 between queries
  };
  Scratch scratch() const;

  // The `wanted` nearest different distances of a query and the classes at each.
  void find(const std::int32_t* code, std::int64_t wanted, Scratch& s, Neighbours& found) const;

 private:
  void gather(const std::int32_t* code, Scratch& s) const;

  const Instances& memory_;
  std::vector<std::vector<std::int64_t>> first_;   // [J][levels + 1]
  std::vector<std::vector<std::int32_t>> member_;  // [J][U] instances by value
  std::vector<double> below_;                      // [levels][K] classes by first feature
  std::vector<double> distance_;                   // [2^J] by the set of features that agree
  std::vector<std::int64_t> tally_start_;          // [U + 1]
  std::vector<std::int32_t> tally_label_;          // classes of each instance, each once
  std::vector<double> tally_count_;
};

}  // namespace linnet::memory
