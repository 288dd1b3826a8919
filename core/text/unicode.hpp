// What the core knows about characters: UTF-8 in and out, properties, lower case, accents.
//
// The tables are fixed (unicode_tables.inc, made from one version of Python's own character data),
// so that features and predictions are the same whatever Python runs them. Every lookup is two
// steps of a trie; ASCII needs one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linnet::text {

enum Property : std::uint8_t {
  kWord = 1,           // str.isalnum() or '_': \w of Python's re
  kSpace = 2,          // str.isspace(): \s of Python's re, and where str.split() cuts
  kCased = 4,          // has case, and is not case-ignorable (the sigma rule asks no more)
  kCaseIgnorable = 8,  // stands inside words without ending them: apostrophe, accent, soft hyphen
  kDecimal = 16,       // str.isdecimal(): a digit of some script
  kCombining = 32,     // canonical combining class is not 0
  kPunctuation = 64,   // general category P* or S*
};

inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr char32_t kCodePoints = 0x110000;

extern const char* const kUnicodeVersion;

namespace table {

inline constexpr unsigned kBlockBits = 7;
inline constexpr unsigned kBlockMask = (1U << kBlockBits) - 1;

// What characters of one kind share; a character is an index into kRecords.
struct Record {
  std::uint8_t properties;  // Property, or-ed
  std::uint8_t word_break;  // WordBreak of word_break.hpp
  std::int32_t lower;       // lower-case character minus this one
};

extern const std::uint16_t kRecordBlock[];  // (kCodePoints >> kBlockBits), block of each stretch
extern const std::uint8_t kRecordIndex[];   // (blocks << kBlockBits); block 0 is ASCII
extern const Record kRecords[];

inline const Record& record(char32_t c) {
  if (c < 0x80) return kRecords[kRecordIndex[c]];
  if (c >= kCodePoints) c = kReplacement;
  const std::size_t block = kRecordBlock[c >> kBlockBits];
  return kRecords[kRecordIndex[(block << kBlockBits) | (c & kBlockMask)]];
}

}  // namespace table

inline std::uint8_t properties(char32_t c) { return table::record(c).properties; }

// The bytes that the sequence at p takes (p < end), and its character. A sequence that is not UTF-8
// gives kCodePoints and the length of its maximal subpart, at least 1.
int measure(const char* p, const char* end, char32_t& c);

// The character at p, which moves behind it (p < end on entry, p <= end on return); kCodePoints for
// what is not UTF-8.
inline char32_t decode_checked(const char*& p, const char* end) {
  const auto lead = static_cast<unsigned char>(*p);
  if (lead < 0x80) {
    ++p;
    return lead;
  }
  if (lead >= 0xC2 && lead < 0xE0 && end - p > 1 && (p[1] & 0xC0) == 0x80) {
    const char32_t c = ((lead & 0x1FU) << 6) | (static_cast<unsigned char>(p[1]) & 0x3FU);
    p += 2;
    return c;
  }
  char32_t c = 0;
  p += measure(p, end, c);
  return c;
}

// The same with U+FFFD for what is not UTF-8, one for each maximal subpart, as Python's
// bytes.decode("utf-8", "replace") has it.
inline char32_t decode(const char*& p, const char* end) {
  const char32_t c = decode_checked(p, end);
  return c < kCodePoints ? c : kReplacement;
}

// Writes c as UTF-8 at p, where 4 bytes must be free, and returns how many it took. A value that no
// text can hold (a surrogate, or above U+10FFFF) is written as U+FFFD.
inline int encode(char32_t c, char* p) {
  if (c < 0x80) {
    p[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    p[0] = static_cast<char>(0xC0 | (c >> 6));
    p[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c >= kCodePoints || (c >= 0xD800 && c < 0xE000)) c = kReplacement;
  if (c < 0x10000) {
    p[0] = static_cast<char>(0xE0 | (c >> 12));
    p[1] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    p[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  p[0] = static_cast<char>(0xF0 | (c >> 18));
  p[1] = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
  p[2] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  p[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

inline void append(char32_t c, std::string& out) {
  char bytes[4];
  out.append(bytes, static_cast<std::size_t>(encode(c, bytes)));
}

// Position of the first byte that is not ASCII; text.size() if there is none.
std::size_t ascii_prefix(std::string_view text);

// Position of the first sequence that is not UTF-8; npos if there is none.
std::size_t invalid_at(std::string_view text);

// The lower case of one character, without context: out[0..n), n = 1 to 3 is returned. The Greek
// capital sigma gives the form that it has inside a word; normalise.hpp sees to its ends.
inline int lower(char32_t c, char32_t out[3]) {
  out[0] = c + static_cast<char32_t>(table::record(c).lower);
  if (c != 0x130) return 1;
  out[1] = 0x307;  // I with a dot above is the only character with a longer lower case
  return 2;
}

// The character without its accents, out[0..n): its compatibility decomposition (NFKD) less what
// combines. n, 0 to 18, is returned: an accent that stands alone leaves nothing.
inline constexpr int kMaxStripped = 18;
int strip_accents(char32_t c, char32_t out[kMaxStripped]);

}  // namespace linnet::text
