// The instances near a query, where the first feature is a number and the distance a root of summed
// powers or a maximum.
//
// No distance is smaller than what its first feature alone gives, and instances are sorted by that
// feature: those that matter stand in a window around the query. It is widened until whoever is
// outside is farther away than the last of the distances that are wanted.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "distances.hpp"
#include "instances.hpp"

namespace linnet::memory {

class Window {
 public:
  Window(const Instances& memory, const Settings& settings, Distances& distances)
      : memory_(memory), settings_(settings), distances_(distances) {}

  static bool serves(const Instances& memory, const Settings& settings);

  // The `wanted` smallest different distances from a query, ascending, and every instance at one of
  // them, among others.
  void find(const std::int32_t* code, const double* number, std::int64_t wanted,
            std::vector<double>& limits, std::vector<std::pair<double, std::int64_t>>& near);

 private:
  double alone(double x, std::int64_t u) const;
  std::pair<std::int64_t, std::int64_t> within(double x, std::int64_t middle, double limit) const;

  const Instances& memory_;
  const Settings& settings_;
  Distances& distances_;
  std::vector<double> measured_;  // [U], set inside the window
};

}  // namespace linnet::memory
