// The features of texts when the columns are known: by a vocabulary, or by hashing.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel.hpp"
#include "../views.hpp"
#include "analysis.hpp"
#include "blocks.hpp"
#include "table.hpp"
#include "tally.hpp"

namespace linnet::text {

// From n-grams to columns.
struct Columns {
  Table table{};              // the vocabulary, unless
  std::uint32_t buckets = 0;  // there are that many buckets to hash into,
  bool signs = false;         // half of the features counting negatively
  bool by_print = false;      // by the fingerprint of an n-gram, which is never spelled
  std::int32_t unknown = -1;  // the column of all that the vocabulary does not have, or none
};

// Reads texts one after the other.
class Reader {
 public:
  Reader(const Analysis& analysis, const Columns& columns)
      : analyzer_(analysis), columns_(columns) {}

  // What whoever reads the features will ask for: table[column * width], and scale[column] where
  // there is one. It is on its way as soon as a column is known.
  void will_need(const float* table, std::int64_t width, const float* scale) {
    needed_ = table;
    width_ = width;
    scale_ = scale;
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
  void hash_prints();
  void hash_spellings();
  void count_buckets();
  void count_known();
  // What is needed for a column is on its way.
  void ask_for(std::int32_t column) const {
    if (needed_) LINNET_PREFETCH(needed_ + column * width_);
    if (scale_) LINNET_PREFETCH(scale_ + column);
  }

  Analyzer analyzer_;
  const Columns& columns_;
  Tally tally_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::uint32_t> hashes_;
  std::vector<Occurrence> hashed_;
  std::vector<std::int32_t> known_;
  std::vector<Entry> entries_, spare_;
  const float* needed_ = nullptr;
  std::int64_t width_ = 0;
  const float* scale_ = nullptr;
};

}  // namespace linnet::text
