// Default word boundaries of Unicode (UAX #29, rules WB1 to WB999).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linnet::text {

// The Word_Break property, in the order that build_unicode_tables.py writes it.
enum class WordBreak : std::uint8_t {
  other,
  cr,
  lf,
  newline,
  extend,
  zwj,
  format,
  regional_indicator,
  katakana,
  hebrew_letter,
  letter,
  single_quote,
  double_quote,
  mid_number_letter,
  mid_letter,
  mid_number,
  numeric,
  extend_number_letter,
  space,
};
inline constexpr std::uint8_t kPictographic = 32;  // Extended_Pictographic, or-ed to the above

// The first boundary behind `from`, which must be a boundary itself (0, or the answer of the call
// before); text.size() at the latest. Bytes that are not UTF-8 count as U+FFFD.
std::size_t next_word_boundary(std::string_view text, std::size_t from);

}  // namespace linnet::text
