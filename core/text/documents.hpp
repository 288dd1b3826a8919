// Documents spelled out: numbers between 0 and 1 become words by a law, and words become lines.
//
// Given for each word of a document a chance u, in [0, 1), and a chance v. The word has the rank r
// at which the cumulative probability of the law first exceeds u; where v < signal it tells of the
// document's class c, and is word (r + step[c]) mod V instead of word r. A line is the label of the
// class, the words, each with the space behind it that its spelling has, and a line feed in place
// of the last.
#pragma once

#include <cstdint>
#include <span>

namespace linnet::text {

struct Law {
  std::span<const double> cumulative;   // [V], ascending, the last being 1
  std::span<const std::int32_t> guide;  // rank at which the search for k / size begins
  std::span<const std::int64_t> step;   // [classes], below V
  double signal;
  std::span<const std::uint8_t> spelling;  // words and labels, one after the other
  std::span<const std::int64_t> offset;    // [V + classes + 1], where each begins
};

// The longest spelling; as many bytes are copied for every one, which is faster than to ask.
inline constexpr std::int64_t kLongestSpelling = 16;

// Writes lines and returns how many bytes they have. `out` has room for kLongestSpelling bytes for
// each word and each document.
std::int64_t spell_documents(const Law& law, std::span<const std::int64_t> classes,
                             const std::int64_t* lengths, const double* chances,
                             const double* about, std::uint8_t* out);

}  // namespace linnet::text
