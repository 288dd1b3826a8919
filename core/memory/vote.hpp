// From neighbours to a class (SPEC M-104, A-48).
#pragma once

#include <cstdint>
#include <vector>

#include "instances.hpp"

namespace linnet::memory {

// The nearest groups of a query, in order: groups share a distance, or are single examples.
struct Neighbours {
  std::vector<double> distance;  // [groups] ascending
  std::vector<double> count;     // [groups][classes]

  void clear() {
    distance.clear();
    count.clear();
  }
  // Starts another group and returns its counts.
  double* add(double d, std::int32_t classes);
};

struct Election {
  std::int32_t winner;
  bool tied;
};

// The class of most votes. Classes within kSame of each other are tied; the more frequent in
// training is taken, then the one seen first.
Election elect(const double* votes, const Instances& memory);

// Adds up the votes of the first k groups, weighted by their distance, and elects.
Election poll(const Neighbours& found, std::int64_t k, const Instances& memory,
              const Settings& settings, double* votes);

}  // namespace linnet::memory
