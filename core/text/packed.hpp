// A vocabulary at work on many texts: the scale and the weight of a feature beside its fingerprint.
//
// What is exploited: to look up the n-grams of running text is to wait for memory, and one that is
// known needs a slot of the table, its whole fingerprint, its scale and its weight, each in another
// place. For many texts it pays to bring them together first: one place instead of four. The sums
// are those of the plain way (scoring.cpp), term by term.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "facets.hpp"
#include "tally.hpp"

namespace linnet::text {

class Packed {
 public:
  struct Slot {
    std::uint64_t print;  // 0 where nothing is
    float scale, weight;
  };

  // None where it would not pay for so many bytes of text, or where a fingerprint is 0 or the table
  // is not one that build_table makes. weights[columns of the facet].
  static std::optional<Packed> of(const Facet& facet, const float* weights, std::int64_t bytes,
                                  ThreadPool& pool);

  const Slot& operator[](std::int32_t at) const { return slots_[static_cast<std::size_t>(at)]; }

  void prefetch(std::uint64_t wanted) const {
    LINNET_PREFETCH(slots_.data() + place(wanted, slots_.size()));
  }

  // Where a feature is, or -1.
  std::int32_t find(std::uint64_t wanted) const {
    std::uint64_t at = place(wanted, slots_.size());
    while (slots_[at].print != wanted && slots_[at].print != 0) {
      if (++at == slots_.size()) at = 0;
    }
    return slots_[at].print == wanted && wanted != 0 ? static_cast<std::int32_t>(at) : -1;
  }

 private:
  LargeVector<Slot> slots_;  // in the places of the table's
};

// Scores texts one after the other.
class PackedReader {
 public:
  PackedReader(const Facet& facet, const Packed& packed)
      : analyzer_(*facet.analysis), weighting_(facet.weighting), packed_(packed) {}

  double score(std::string_view text);

 private:
  Analyzer analyzer_;
  const Weighting weighting_;
  const Packed& packed_;
  Tally tally_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::int32_t> known_;
  std::vector<Entry> entries_;
};

}  // namespace linnet::text
