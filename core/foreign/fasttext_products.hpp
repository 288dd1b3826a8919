// A short cut for fastText's sigmoids, which are read from a table: where the sum of a label surely
// falls into one cell of the table, the order of the original's 32-bit operations does not matter.
//
// What a row adds to a label's sum is kept as one number, the product of its input and output rows,
// and beside them the largest sum of absolute values that any label's product has. From the latter
// follows how far rounding can have carried the original away: with n rows of d dimensions at most
// (n + d + 8) 2^-24 times its mean, and a hundredth more for rounding of the second order.
#pragma once

#include <cstdint>
#include <vector>

namespace linnet::foreign {

struct FastTextInput;

class FastTextProducts {
 public:
  // output [labels][dim], scale [labels] or null.
  FastTextProducts(const FastTextInput& input, std::int64_t rows, const float* output,
                   const float* scale, std::int32_t labels);

  // The sums of all labels lie in low .. high, [labels] each; false if nothing is known of them.
  bool bounds(const std::vector<std::int32_t>& rows, std::vector<double>& low,
              std::vector<double>& high) const;

 private:
  std::int32_t dim_, width_;    // width: labels and the sum of absolute values
  std::vector<float> product_;  // [rows][width]
};

}  // namespace linnet::foreign
