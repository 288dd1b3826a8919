// Branch and bound over the trie of instances, for distances that are sums (SPEC M-99).
//
// Instances that share their first features share the first terms of the sum. A walk adds a term
// where a run of equal values begins and leaves the run as soon as the sum is beyond the last of
// the distances that are wanted. The runs of the first feature are visited in order of distance.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "distances.hpp"
#include "instances.hpp"

namespace linnet::memory {

class Runs {
 public:
  explicit Runs(const Instances& memory);
  // One past the run of instances that agree with u in the features up to j.
  std::int64_t end(std::int32_t j, std::int64_t u) const { return end_[j][u]; }

 private:
  std::vector<std::vector<std::int32_t>> end_;  // [J][U], set where a run begins
};

class Walk {
 public:
  Walk(const Instances& memory, const Runs& runs, Distances& distances)
      : memory_(memory), runs_(runs), distances_(distances), row_(memory.features) {}

  // The `wanted` smallest different distances from a query over the features from `skip` on,
  // ascending, and every instance at one of them. Others may be among the instances.
  void find(const std::int32_t* code, const double* number, std::int32_t skip, std::int64_t first,
            std::int64_t last, std::int64_t wanted, std::vector<double>& limits,
            std::vector<std::pair<double, std::int64_t>>& near);

 private:
  double term(std::int32_t j, std::int64_t u) const;
  void visit(std::int32_t j, std::int64_t first, std::int64_t last, double sum);
  void record(double d, std::int64_t u);

  const Instances& memory_;
  const Runs& runs_;
  Distances& distances_;
  const std::int32_t* code_ = nullptr;
  const double* number_ = nullptr;
  std::vector<const double*> row_;  // [J] value differences of the query
  std::vector<std::pair<double, std::int64_t>> order_;
  std::int64_t wanted_ = 0;
  double bound_ = 0.0;
  std::vector<double>* limits_ = nullptr;
  std::vector<std::pair<double, std::int64_t>>* near_ = nullptr;
};

}  // namespace linnet::memory
