#include "text/word_break.hpp"

#include "text/unicode.hpp"

namespace linnet::text {
namespace {

using enum WordBreak;

struct Kind {
  WordBreak value;
  bool pictographic;
};

// The kind of the character at p, which moves behind it.
Kind take(const char*& p, const char* end) {
  const std::uint8_t bits = table::record(decode(p, end)).word_break;
  return {static_cast<WordBreak>(bits & (kPictographic - 1)), (bits & kPictographic) != 0};
}

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
bool is_plain(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26 || is_digit(c); }

bool is_letter(WordBreak k) { return k == letter || k == hebrew_letter; }
bool is_newline(WordBreak k) { return k == cr || k == lf || k == newline; }
bool is_transparent(WordBreak k) { return k == extend || k == format || k == zwj; }  // WB4
bool joins_letters(WordBreak k) {
  return k == mid_letter || k == mid_number_letter || k == single_quote;
}
bool joins_numbers(WordBreak k) {
  return k == mid_number || k == mid_number_letter || k == single_quote;
}

// The kind of the first character at or behind p that is not transparent; `other` at the end.
WordBreak look_ahead(const char* p, const char* end) {
  while (p < end) {
    const WordBreak k = take(p, end).value;
    if (!is_transparent(k)) return k;
  }
  return other;
}

// The rules that see two characters only, transparent ones left out (WB5, WB8 to WB10, WB13).
bool sticks(WordBreak left, WordBreak right) {
  if (is_letter(left)) return is_letter(right) || right == numeric || right == extend_number_letter;
  switch (left) {
    case numeric: return is_letter(right) || right == numeric || right == extend_number_letter;
    case katakana: return right == katakana || right == extend_number_letter;
    case extend_number_letter:
      return is_letter(right) || right == numeric || right == katakana ||
             right == extend_number_letter;
    default: return false;
  }
}

// The rules that see one character more on either side (WB6, WB7, WB7a to WB7c, WB11, WB12).
// before | left ? right ..., with what follows `right` beginning at p.
bool sticks_across(WordBreak before, WordBreak left, WordBreak right, const char* p,
                   const char* end) {
  if (is_letter(left) && joins_letters(right)) {
    if (left == hebrew_letter && right == single_quote) return true;
    return is_letter(look_ahead(p, end));
  }
  if (is_letter(before) && joins_letters(left) && is_letter(right)) return true;
  if (left == hebrew_letter && right == double_quote) return look_ahead(p, end) == hebrew_letter;
  if (before == hebrew_letter && left == double_quote && right == hebrew_letter) return true;
  if (left == numeric && joins_numbers(right)) return look_ahead(p, end) == numeric;
  return before == numeric && joins_numbers(left) && right == numeric;
}

}  // namespace

std::size_t next_word_boundary(std::string_view text, std::size_t from) {
  if (from >= text.size()) return text.size();
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin + from;
  if (end - p > 1 && p[0] == ' ' && is_plain(p[1])) return from + 1;  // between most words
  WordBreak before = other;               // the last but one that is not transparent
  WordBreak left = take(p, end).value;    // the last that is not transparent
  WordBreak neighbour = left;             // the last of all
  bool odd = left == regional_indicator;  // how many indicators stand in a row
  while (p < end) {
    if (is_letter(left) || left == numeric) {  // the inside of a plain word, by the short way
      for (; p < end && is_plain(*p); ++p) {
        before = left;
        neighbour = left = is_digit(*p) ? numeric : letter;
      }
      if (p == end || *p == ' ') break;
    }
    const char* const at = p;
    const Kind kind = take(p, end);
    const WordBreak right = kind.value;
    const auto here = static_cast<std::size_t>(at - begin);
    if (neighbour == cr && right == lf) return static_cast<std::size_t>(p - begin);  // WB3
    if (is_newline(neighbour) || is_newline(right)) return here;                     // WB3a, WB3b
    const bool glued = (neighbour == zwj && kind.pictographic) ||                    // WB3c
                       (neighbour == space && right == space);                       // WB3d
    neighbour = right;
    if (is_transparent(right)) continue;  // WB4
    const bool flag = odd && left == regional_indicator && right == regional_indicator;
    if (!glued && !flag && !sticks(left, right) && !sticks_across(before, left, right, p, end)) {
      return here;  // WB999
    }
    odd = right == regional_indicator && !flag;
    before = left;
    left = right;
  }
  return static_cast<std::size_t>(p - begin);
}

}  // namespace linnet::text
