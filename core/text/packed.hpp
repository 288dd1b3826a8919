// A vocabulary at work on many texts: the scale and the weight of a feature beside its fingerprint.
//
// What is exploited: to look up the n-grams of running text is to wait for memory, and one that is
// known needs a slot of the table, its whole fingerprint, its scale and its weight, each in another
// place. For many texts it pays to bring them together first, four features to a line of the cache:
// one place instead of four, and all that is in it is looked at in one go. The sums are those of
// the plain way (scoring.cpp), term by term.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "distinct.hpp"
#include "facets.hpp"
#include "weighing.hpp"

namespace linnet::text {

class Packed {
 public:
  struct Slot {
    std::uint64_t print;  // 0 where nothing is
    float scale, weight;
  };

  // None where it would not pay for so many bytes of text, or where a fingerprint is 0.
  // weights[columns of the facet].
  static std::optional<Packed> of(const Facet& facet, const float* weights, std::int64_t bytes);

  void prefetch(std::uint64_t wanted) const {
    LINNET_PREFETCH(lines_.data() + place(wanted, lines_.size()));
  }

  // What is known of a feature; of one that is unknown, that its scale and weight are 0. All slots
  // of a line are compared: in which of them a feature is cannot be foreseen.
  LINNET_INLINE const Slot& find(std::uint64_t wanted) const {
    const Line* line = lines_.data() + place(wanted, lines_.size());
    while (true) {
      unsigned here = 0;
      for (unsigned k = 0; k < kSlots; ++k) here |= (line->slots[k].print == wanted ? 1U : 0U) << k;
      if (here != 0) return line->slots[std::countr_zero(here)];
      if (line->slots[kSlots - 1].print == 0) return kUnknown;
      if (++line == lines_.data() + lines_.size()) line = lines_.data();
    }
  }

 private:
  static constexpr unsigned kSlots = 4;
  struct alignas(64) Line {
    Slot slots[kSlots];  // filled from the first on
  };
  static constexpr Slot kUnknown{0, 0.0F, 0.0F};

  LargeVector<Line> lines_;
};

// Scores texts one after the other.
class PackedReader {
 public:
  PackedReader(const Facet& facet, const Packed& packed)
      : analyzer_(*facet.analysis),
        raised_(facet.weighting),
        norm_(facet.weighting.norm),
        packed_(packed) {
    for (std::size_t c = 0; c < kSmall; ++c) small_[c] = raised_.of(static_cast<double>(c));
  }

  double score(std::string_view text);

 private:
  static constexpr std::size_t kSmall = 64;  // most counts are below it

  Analyzer analyzer_;
  const Raised raised_;
  const Weighting::Norm norm_;
  const Packed& packed_;
  std::array<double, kSmall> small_;  // what a count becomes
  std::vector<std::uint64_t> prints_;
  Distinct distinct_;
};

}  // namespace linnet::text
