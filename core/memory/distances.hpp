// The distances of one query to a range of instances, feature by feature.
#pragma once

#include <cstdint>
#include <vector>

#include "instances.hpp"

namespace linnet::memory {

class Distances {
 public:
  Distances(const Instances& memory, const Settings& settings);

  // out[u - first] = D(query, instance u) over the features from `skip` on, for first <= u < last.
  void measure(const std::int32_t* code, const double* number, std::int32_t skip,
               std::int64_t first, std::int64_t last, double* out);

  // row[level'] = w_j delta_j(level, level'); row[kMissing] and row[kUnseen] are w_j. Valid until
  // the next call for this feature.
  const double* value_differences(std::int32_t j, std::int32_t level);

 private:
  void add_up(const std::int32_t* code, const double* number, std::int32_t skip, std::int64_t first,
              std::int64_t last, double* out);
  double in_units_of_largest(const std::int32_t* code, const double* number, std::int32_t skip,
                             std::int64_t u);

  const Instances& memory_;
  const Settings& settings_;
  // Rows of w_j delta_j(level, .), kept from query to query while they are few.
  std::vector<std::vector<double>> rows_;         // [J][levels or 1][levels]
  std::vector<std::vector<std::int32_t>> known_;  // [J] the level of each row, or -1
};

}  // namespace linnet::memory
