// The weights of (feature, label) pairs in the shape that one-thread scoring likes.
//
// A feature with many labels has a row with a place for every label, added to the scores by whole
// vectors; a feature with few keeps its weights and labels side by side in one cache line. Label
// pairs, starts and stops follow. The layout is made once; any number of buffers share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "../learners/crf.hpp"
#include "../views.hpp"

namespace linnet::chain {

// Memory that begins at a whole cache line, so that rows do too.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

using Buffer = std::vector<double, LineAllocator<double>>;

class Packed {
 public:
  explicit Packed(const ChainProblem& problem);

  std::int64_t size() const { return tail_ + labels_ * (labels_ + 2); }
  std::int64_t tail() const { return tail_; }  // where label pairs begin

  // Between a vector of weights as a CRF has it and a buffer; `pack` also writes the labels.
  void pack(const double* weights, double* buffer) const;
  void unpack(const double* buffer, double* weights) const;

  // Where the weight of a pair lies, or -1.
  std::int64_t find(const double* buffer, std::int32_t feature, std::int32_t label) const {
    const std::int64_t at = place_[feature] >> kShift, count = place_[feature] & kRow;
    if (count == kRow) return has(feature, label) ? at + label : -1;
    for (std::int64_t k = 0; k < count; ++k) {
      if (label_at(buffer + at + count, k) == label) return at + k;
    }
    return -1;
  }

  Potentials potentials(const double* buffer) const {
    const double* const transition = buffer + tail_;
    const double* const start = transition + labels_ * labels_;
    return {static_cast<std::int32_t>(labels_), transition, start, start + labels_};
  }

  // Of the token that is being scored: rows, the places of features with few labels, values.
  struct Scratch {
    std::vector<const double*> rows;
    std::vector<std::int64_t> few;
    std::vector<double> factors;
  };

  // Whole vectors are written, so an array of scores needs room for this many more.
  static constexpr std::int64_t kRoom = 7;

  // out[t - first][l] = sum_j x_tj w_jl for the tokens first .. last - 1.
  void score(const AnyCsr& tokens, const double* buffer, std::int64_t first, std::int64_t last,
             double* out, Scratch& scratch) const;

 private:
  static constexpr int kShift = 20;
  static constexpr std::int64_t kRow = (std::int64_t{1} << kShift) - 1;

  static std::int32_t label_at(const double* room, std::int64_t k) {
    std::int32_t label;
    std::memcpy(&label, reinterpret_cast<const char*>(room) + k * sizeof label, sizeof label);
    return label;
  }
  bool has(std::int32_t feature, std::int32_t label) const {
    const std::int32_t* const from = pairs_.label + pairs_.start[feature];
    const std::int32_t* const to = pairs_.label + pairs_.start[feature + 1];
    return to - from == labels_ || std::binary_search(from, to, label);
  }
  template <class V>
  void score(const Csr<V>& x, const double* buffer, std::int64_t first, std::int64_t last,
             double* out, Scratch& scratch) const;

  const Pairs pairs_;
  const std::int64_t labels_, width_;  // of rows: labels rounded up to whole vectors
  std::int64_t tail_ = 0;
  std::vector<std::int64_t> place_;  // [features] position << kShift | pairs, kRow for a row
};

}  // namespace linnet::chain
