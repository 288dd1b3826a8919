// Tokens and the weights of (feature, label) pairs in the shape that training likes.
//
// A feature with many labels has a row with a place for every label, added to the scores by whole
// vectors; a feature with few keeps its labels and weights side by side, its cell. Features lie in
// the order of their use: often used ones together, where the caches keep them, rare ones as
// the corpus meets them, where they are read ahead. The tokens hold places instead of numbers of
// features. All of this is made once; any number of buffers of weights share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"
#include "chain.hpp"

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
  Packed(const AnyCsr& tokens, const Pairs& pairs, std::int32_t labels, int order = 1);

  // The weights of label pairs, starts, stops, and of triples in a chain of second order.
  static std::int64_t label_weights(std::int64_t labels, int order) {
    return labels * (labels + 2) + (order == 2 ? labels * labels * labels : 0);
  }
  std::int64_t size() const { return tail_ + labelled_; }  // of a buffer
  std::int64_t tail() const { return tail_; }              // where label pairs begin
  std::int64_t weights() const { return from_.back() + labelled_; }
  // Where triples begin in a buffer; -1 in a chain of first order.
  std::int64_t triples() const {
    const std::int64_t pairs = label_weights(labels_, 1);
    return labelled_ > pairs ? tail_ + pairs : -1;
  }

  // A vector of weights in the order of the pairs, and in the order of use.
  template <class T>
  void in_order(const T* weights, T* ordered) const;
  void out_of_order(const double* ordered, double* weights) const;

  // A buffer with all weights 0. `fill` and `collect` move weights in the order of use; `collect`
  // leaves zeros behind.
  Buffer empty() const;
  void fill(const double* ordered, double* buffer, ThreadPool& pool) const;
  void collect(double* buffer, double* ordered, ThreadPool& pool) const;
  // The same for weights in the order of the pairs, on one thread.
  void pack(const double* weights, double* buffer) const;
  void unpack(const double* buffer, double* weights) const;

  // The scores of labels. In a chain of second order a triple scores its weight besides that of its
  // last pair; their sums are written to `room`.
  Potentials potentials(const double* buffer, std::vector<double>& room) const {
    return label_potentials(buffer + tail_, static_cast<std::int32_t>(labels_),
                            triples() < 0 ? 1 : 2, room);
  }

  // Whole vectors are read and written, so an array [tokens][L] needs room for this many more.
  static constexpr std::int64_t kRoom = 7;

  // out[t - first][l] = sum_j x_tj w_jl for the tokens first .. last - 1.
  void score(const double* buffer, std::int64_t first, std::int64_t last, double* out) const;

  // buffer[j, l] += x_tj residual[t - first][l] for those tokens, but only for one part of the
  // features: a thread for each part gives every sum its own order of terms.
  void add(const double* residual, std::int64_t first, std::int64_t last, std::int64_t part,
           std::int64_t parts, double* buffer) const;

  // buffer[j, gold[t]] += cost x_tj^2 for the tokens first .. last - 1 and one part of the
  // features.
  void count(const std::int32_t* gold, double cost, std::int64_t first, std::int64_t last,
             std::int64_t part, std::int64_t parts, double* buffer) const;

  // sum_j x_tj (w_ja - w_jb): how far label a leads b at token t.
  double lead(const double* buffer, std::int64_t token, std::int32_t a, std::int32_t b) const;

  // Calls change(weight, x_tj) for the weights that the features of token t have for a label.
  template <class Change>
  void for_each(const double* buffer, std::int64_t token, std::int32_t label,
                Change&& change) const {
    for (std::int64_t k = start_[token]; k < start_[token + 1]; ++k) {
      const double v = value_.empty() ? 1.0 : value_[k];
      if (const std::int64_t at = find(buffer, place_[k], label); at >= 0) change(at, v);
    }
  }

 private:
  static constexpr std::int64_t kUnit = 2;  // doubles: what places count
  static constexpr std::int64_t kShares =
      64;  // features are cut into this many parts of equal work

  // A cell is count and labels as int32, filled up to whole doubles, then the weights.
  static std::int64_t head_of(std::int64_t count) { return (count + 2) / 2; }
  static std::int32_t number(const double* cell, std::int64_t k) {
    std::int32_t n;
    std::memcpy(&n, reinterpret_cast<const char*>(cell) + k * sizeof n, sizeof n);
    return n;
  }
  // Where a feature has its weight for a label, or -1.
  std::int64_t find(const double* buffer, std::uint32_t place, std::int32_t label) const {
    const std::int64_t at = std::int64_t{place} * kUnit;
    if (place < rows_end_) {
      const std::int32_t* const from = label_.data() + from_[at / width_];
      const std::int32_t* const to = label_.data() + from_[at / width_ + 1];
      const bool has = to - from == labels_ || std::binary_search(from, to, label);
      return has ? at + label : -1;
    }
    const std::int64_t count = number(buffer + at, 0);
    for (std::int64_t k = 0; k < count; ++k) {
      if (number(buffer + at, k + 1) == label) return at + head_of(count) + k;
    }
    return -1;
  }

  template <class V>
  void order_features(const Csr<V>& x, const Pairs& pairs);
  template <class V>
  void translate(const Csr<V>& x);
  void share_work(const std::vector<std::int64_t>& uses);
  template <class Visit>
  void each_pair(std::int64_t k, Visit visit) const;
  std::int64_t features() const { return static_cast<std::int64_t>(feature_.size()); }
  bool is_row(std::int64_t k) const { return at_[k] < rows_end_; }
  std::uint32_t edge(std::int64_t part, std::int64_t parts) const;

  const std::int64_t labels_, width_;  // of rows: labels rounded up to whole vectors
  const std::int64_t labelled_;        // weights of labels alone
  std::int64_t tail_ = 0;
  std::uint32_t rows_end_ = 0;  // places below are rows
  // Features in the order of use:
  std::vector<std::int32_t> feature_;  // [features] the number it has elsewhere
  std::vector<std::uint32_t> at_;      // [features] place
  std::vector<std::int64_t> from_;     // [features + 1] its weights in an ordered vector
  std::vector<std::int32_t> label_;    // [pairs] of those weights
  const std::int64_t* pair_start_;     // of the pairs as they were given
  std::vector<std::uint32_t> shares_;  // [kShares + 1] places
  // Tokens:
  const std::int64_t* start_;         // [tokens + 1]
  std::vector<std::uint32_t> place_;  // ascending within a token
  std::vector<double> value_;         // empty where all are 1
};

}  // namespace linnet::chain
