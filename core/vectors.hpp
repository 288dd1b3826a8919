// Dense vector arithmetic for the batch solvers, in parallel, with sums in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace linnet {

double dot(const double* a, const double* b, std::int64_t n);  // by the calling thread

class Vectors {
 public:
  Vectors(std::int64_t size, ThreadPool& pool) : size_(size), pool_(pool) {}

  double dot(const double* a, const double* b);
  double dot(const double* a, const double* b, const double* c);  // sum_i a_i b_i c_i
  void dots(const double* a, const double* b, std::int32_t columns, double* out);  // of each column
  double max_abs(const double* a);
  void copy(const double* a, double* out);
  void fill(double* out, double value);
  void multiply(double* a, const double* b);                                   // a_i *= b_i
  void scale(double* a, double factor);                                        // a *= factor
  void add(double* a, double factor, const double* b);                         // a += factor b
  void combine(const double* a, double factor, const double* b, double* out);  // out = a + factor b

  // out[c] = the sum of term(n) over the n of column c, those with n % columns == c.
  template <class Term>
  void sums(std::int32_t columns, double* out, Term&& term) {
    const std::int64_t rows = size_ / columns;
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / columns);
    const std::int64_t blocks = (rows + grain - 1) / grain;
    std::vector<double> parts(static_cast<std::size_t>(blocks * columns));
    pool_.run(blocks, [&](std::int64_t block) {
      double* part = parts.data() + block * columns;
      for (std::int64_t j = block * grain; j < std::min(rows, (block + 1) * grain); ++j) {
        for (std::int32_t c = 0; c < columns; ++c) part[c] += term(j * columns + c);
      }
    });
    std::fill(out, out + columns, 0.0);
    for (std::size_t n = 0; n < parts.size(); ++n) out[n % columns] += parts[n];
  }

  std::int64_t size() const { return size_; }
  ThreadPool& pool() { return pool_; }

 private:
  std::int64_t size_;
  ThreadPool& pool_;
};

}  // namespace linnet
