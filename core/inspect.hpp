// One pass over a matrix that tells what it is like, before anything relies on it.
#pragma once

#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

struct Inspection {
  bool finite = true;      // no NaN, no infinity
  bool all_ones = true;    // values need not be stored
  bool fits_float = true;  // every value is exactly a float
  bool ascending = true;   // column ids strictly ascend within each row
  bool inside = true;      // column ids lie in 0..cols-1, row pointers do not decrease
  bool non_negative = true;
};

// For double values `narrow` (may be null) receives each value as a float.
Inspection inspect(const Csr<float>& x, float* narrow, ThreadPool& pool);
Inspection inspect(const Csr<double>& x, float* narrow, ThreadPool& pool);

// Writes each row in ascending order of column ids; both outputs are [stored]. Vectorisers often
// leave rows unsorted, and sorting them here is several times faster than before the call.
void sort_rows(const Csr<float>& x, std::int32_t* index, float* value, ThreadPool& pool);
void sort_rows(const Csr<double>& x, std::int32_t* index, double* value, ThreadPool& pool);

// out[j] = how many of the column ids index[n] are j; false when some are not in 0..cols-1.
bool count_columns(const std::int32_t* index, std::int64_t n, std::uint32_t* out, std::int64_t cols,
                   ThreadPool& pool);

}  // namespace linnet
