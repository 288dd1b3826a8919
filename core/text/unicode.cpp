#include "text/unicode.hpp"

#include <bit>
#include <cstring>

namespace linnet::text {

#include "text/unicode_tables.inc"

namespace {

// A Hangul syllable is L V or L V T by arithmetic (Unicode 3.12).
constexpr char32_t kHangul = 0xAC00, kHangulL = 0x1100, kHangulV = 0x1161, kHangulT = 0x11A7;
constexpr char32_t kHangulTs = 28, kHangulVs = 21, kHangulSyllables = 19 * kHangulVs * kHangulTs;

constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

std::uint64_t load(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

}  // namespace

int measure(const char* p, const char* end, char32_t& c) {
  const auto byte = [p](int i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i]));
  };
  const std::uint32_t lead = byte(0);
  c = lead;
  if (lead < 0x80) return 1;
  c = kCodePoints;
  if (lead < 0xC2 || lead > 0xF4) return 1;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte tells overlong forms, surrogates and what lies above U+10FFFF.
  const std::uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (end - p < 2 || byte(1) < low || byte(1) > high) return 1;
  char32_t value = lead & (0x7FU >> length);
  value = (value << 6) | (byte(1) & 0x3F);
  for (int i = 2; i < length; ++i) {
    if (end - p <= i || (byte(i) & 0xC0) != 0x80) return i;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  c = value;
  return length;
}

std::size_t ascii_prefix(std::string_view text) {
  const char* const p = text.data();
  const std::size_t size = text.size();
  std::size_t i = 0;
  for (; size - i >= 32; i += 32) {
    if ((load(p + i) | load(p + i + 8) | load(p + i + 16) | load(p + i + 24)) & kHighBits) break;
  }
  for (; size - i >= 8; i += 8) {
    const std::uint64_t high = load(p + i) & kHighBits;
    if (!high) continue;
    if constexpr (std::endian::native != std::endian::little) break;
    return i + static_cast<std::size_t>(std::countr_zero(high)) / 8;
  }
  while (i < size && static_cast<unsigned char>(p[i]) < 0x80) ++i;
  return i;
}

std::size_t invalid_at(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  while (p < end) {
    if (static_cast<unsigned char>(*p) < 0x80) {
      p += ascii_prefix({p, static_cast<std::size_t>(end - p)});
      continue;
    }
    const char* const at = p;
    if (decode_checked(p, end) >= kCodePoints) return static_cast<std::size_t>(at - begin);
  }
  return std::string_view::npos;
}

int strip_accents(char32_t c, char32_t out[kMaxStripped]) {
  out[0] = c;
  if (c < 0x80 || c >= kCodePoints) return 1;
  if (c - kHangul < kHangulSyllables) {  // below kHangul the difference wraps to a large number
    const char32_t s = c - kHangul, t = s % kHangulTs;
    out[0] = kHangulL + s / (kHangulVs * kHangulTs);
    out[1] = kHangulV + s / kHangulTs % kHangulVs;
    out[2] = kHangulT + t;
    return t == 0 ? 2 : 3;
  }
  const std::size_t block = table::kStripBlock[c >> table::kBlockBits];
  const std::uint16_t begin =
      table::kStripIndex[(block << table::kBlockBits) | (c & table::kBlockMask)];
  if (begin == 0) return 1;
  const int length = static_cast<int>(table::kStripped[begin]);
  for (int i = 0; i < length; ++i) out[i] = table::kStripped[begin + 1 + i];
  return length;
}

}  // namespace linnet::text
