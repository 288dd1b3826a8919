// The features of texts when the columns are known: by a vocabulary, or by hashing.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"
#include "analysis.hpp"
#include "blocks.hpp"
#include "table.hpp"

namespace linnet::text {

// From n-grams to columns.
struct Columns {
  Table table{};              // the vocabulary, unless
  std::uint32_t buckets = 0;  // there are that many buckets to hash into,
  bool signs = false;         // half of the features counting negatively
  bool by_print = false;      // by the fingerprint of an n-gram, which is never spelled
  std::int32_t unknown = -1;  // the column of all that the vocabulary does not have, or none
};

// One feature of one text: its column and how often it occurs.
struct Entry {
  std::int32_t column;
  float count;
};

// Counts of 64-bit keys, in the order of their first occurrence.
class Tally {
 public:
  struct Counted {
    std::uint64_t key;
    float count;
  };
  void reset(std::size_t expected);
  void add(std::uint64_t key, float amount);
  const std::vector<Counted>& counted() const { return counted_; }

 private:
  // The lower half of a key tells nearly all others apart without a look at `counted`.
  struct Slot {
    std::uint32_t low;
    std::uint32_t place;  // in counted, from 1; 0 where nothing is
  };
  std::vector<Counted> counted_;
  std::vector<Slot> slots_;
  int shift_ = 0;
};

// Counts of buckets, in the order of their first occurrence.
//
// What is exploited: buckets are numbers that a good hash has drawn, so their lowest bits are the
// place in a table of this text, which is kept so empty that hardly any place is taken by another
// bucket. A bucket that is new and one that is known are then handled by the same instructions
// without a branch, which nobody could foresee.
class BucketTally {
 public:
  void reset(std::size_t expected);
  void add(std::int32_t column, std::int64_t amount);
  void take(std::vector<Entry>& out) const;

 private:
  // A bucket in the lower half, its count in the upper: both are read and written in one go.
  static constexpr std::uint64_t kNobody = 0xffffffffU, kCount = ~kNobody;
  void add_behind(std::size_t at, std::uint32_t bucket, std::int64_t amount);

  std::vector<std::uint64_t> counted_;  // from 1
  std::vector<std::uint32_t> slots_;    // place in counted_, 0 where nothing is
  std::size_t mask_ = 0;
  std::uint32_t used_ = 0;
};

// Reads texts one after the other.
class Reader {
 public:
  Reader(const Analysis& analysis, const Columns& columns)
      : analyzer_(analysis), columns_(columns) {}

  // Weights that whoever reads the features will ask for: table[column * width]. They are on their
  // way as soon as a bucket is known.
  void will_need(const float* table, std::int64_t width) {
    needed_ = table;
    width_ = width;
  }

  // The features of a text, each once, in the order of their first occurrence.
  const std::vector<Entry>& read(std::string_view text);
  // The same, in the order of their columns.
  const std::vector<Entry>& read_sorted(std::string_view text, std::int32_t width);

  // Appends every occurrence of a feature: its column (~column when it counts negatively) and the
  // bytes begin .. end of the raw text that it covers.
  struct Trace {
    std::int32_t column;
    std::uint32_t begin, end;
  };
  void trace(std::string_view text, std::vector<Trace>& out);

 private:
  void count_buckets();

  Analyzer analyzer_;
  const Columns& columns_;
  Tally tally_;
  BucketTally buckets_;
  std::vector<std::uint64_t> keys_, prints_;
  std::vector<Bucket> hashed_;
  std::vector<std::int32_t> candidates_;
  std::vector<Entry> entries_, spare_;
  const float* needed_ = nullptr;
  std::int64_t width_ = 0;
};

}  // namespace linnet::text
