// Dense vector arithmetic for the batch solvers, in parallel, with sums in a fixed order.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace linnet {

class Vectors {
 public:
  Vectors(std::int64_t size, ThreadPool& pool) : size_(size), pool_(pool) {}

  double dot(const double* a, const double* b);
  double dot(const double* a, const double* b, const double* c);  // sum_i a_i b_i c_i
  double max_abs(const double* a);
  void copy(const double* a, double* out);
  void fill(double* out, double value);
  void multiply(double* a, const double* b);                                   // a_i *= b_i
  void scale(double* a, double factor);                                        // a *= factor
  void add(double* a, double factor, const double* b);                         // a += factor b
  void combine(const double* a, double factor, const double* b, double* out);  // out = a + factor b

  std::int64_t size() const { return size_; }
  ThreadPool& pool() { return pool_; }

 private:
  std::int64_t size_;
  ThreadPool& pool_;
};

}  // namespace linnet
