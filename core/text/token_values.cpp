#include "token_values.hpp"

#include <algorithm>

#include "normalise.hpp"
#include "unicode.hpp"

namespace linnet::text {
namespace {

enum class Kind : std::uint8_t { upper, lower, digit, other };

Kind kind_of(char32_t c) {
  const table::Record& record = table::record(c);
  if (record.lower != 0) return Kind::upper;
  if (record.properties & kCased) return Kind::lower;
  return record.properties & kDecimal ? Kind::digit : Kind::other;
}

void shape_of(std::string_view word, bool squeeze, std::string& out) {
  const char* const end = word.data() + word.size();
  char32_t before = kCodePoints;
  for (const char* p = word.data(); p < end;) {
    const char32_t c = decode(p, end);
    char32_t written = c;
    switch (kind_of(c)) {
      case Kind::upper: written = U'X'; break;
      case Kind::lower: written = U'x'; break;
      case Kind::digit: written = U'0'; break;
      case Kind::other: break;
    }
    if (squeeze && written == before) continue;
    append(written, out);
    before = written;
  }
}

bool backward(std::string_view word, std::int32_t n, std::size_t& at) {
  for (; n > 0; --n) {
    if (at == 0) return false;
    --at;
    while (at > 0 && continues(word[at])) --at;
  }
  return true;
}

}  // namespace

std::uint32_t flags_of(std::string_view word) {
  std::size_t count = 0, upper = 0, lower = 0, digits = 0, marks = 0, separators = 0;
  bool first_upper = false, hyphen = false, period = false;
  const char* const end = word.data() + word.size();
  for (const char* p = word.data(); p < end; ++count) {
    const char32_t c = decode(p, end);
    const Kind kind = kind_of(c);
    first_upper |= kind == Kind::upper && count == 0;
    upper += kind == Kind::upper;
    lower += kind == Kind::lower;
    digits += kind == Kind::digit;
    marks += (properties(c) & kPunctuation) != 0;
    hyphen |= c == U'-';
    period |= c == U'.';
    separators +=
        c < 0x80 && std::string_view(".,:/-+").find(static_cast<char>(c)) != std::string_view::npos;
  }
  const bool holds[kFlagCount] = {
      upper > 0 && lower == 0,
      lower > 0 && upper == 0,
      first_upper && upper == 1,
      lower > 0 && upper > (first_upper ? 1U : 0U),
      digits > 0,
      digits > 0 && digits == count,
      digits > 0 && digits + separators == count,
      hyphen,
      period,
      count > 0 && marks == count,
  };
  std::uint32_t bits = 0;
  for (int k = 0; k < kFlagCount; ++k) bits |= static_cast<std::uint32_t>(holds[k]) << k;
  return bits;
}

bool transform(std::string_view word, Transform how, std::int32_t low, std::string& out) {
  out.clear();
  std::size_t at = 0;
  switch (how) {
    case Transform::identity: out = word; return true;
    case Transform::lower: Normaliser({.lowercase = true})(word, out, nullptr); return true;
    case Transform::shape: shape_of(word, false, out); return true;
    case Transform::short_shape: shape_of(word, true, out); return true;
    case Transform::prefix:
      if (!forward(word, low, at)) return false;
      out.assign(word.data(), at);
      return true;
    case Transform::suffix:
      at = word.size();
      if (!backward(word, low, at)) return false;
      out.assign(word.data() + at, word.size() - at);
      return true;
    case Transform::flag: out.push_back('1'); return (flags_of(word) >> low & 1U) != 0;
    case Transform::ngrams:
    case Transform::gazetteer: break;
  }
  return false;
}

}  // namespace linnet::text
