// What a feature can look at in one token: its spelling, its shape, its ends, what it is made of.
//
// Characters have three classes. X: it has a lower case other than itself. x: it has case, but is
// not X. 0: it is a decimal digit of some script. Any other character is of no class.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::text {

enum class Transform : std::uint8_t {
  identity,
  lower,        // str.lower()
  shape,        // X, x and 0 for the characters of these classes, others as they are
  short_shape,  // the same, equal neighbours written once
  prefix,       // the first `low` characters, if there are as many
  suffix,       // the last ones
  ngrams,       // all strings of `low` to `high` characters: several values
  flag,         // "1" if flag number `low` holds
  gazetteer,    // the lists that have a phrase around the token: several values
};

inline bool several(Transform t) { return t == Transform::ngrams || t == Transform::gazetteer; }

// Flags by number. "all" asks for one character at least.
inline constexpr const char* kFlags[] = {
    "is_upper",         // some X, no x
    "is_lower",         // some x, no X
    "is_title",         // the first is X, and no other
    "has_inner_upper",  // some x, and an X that is not the first
    "has_digit",        // some 0
    "is_digit",         // all 0
    "is_number",        // some 0, all others are one of . , : / - +
    "has_hyphen",       // some -
    "has_period",       // some .
    "is_punctuation",   // all punctuation or symbols
};
inline constexpr int kFlagCount = sizeof kFlags / sizeof kFlags[0];

// The flags of a word of valid UTF-8, bit by bit.
std::uint32_t flags_of(std::string_view word);

// Writes the one value of a word of valid UTF-8; false when it has none. Not for gazetteers and
// n-grams.
bool transform(std::string_view word, Transform how, std::int32_t low, std::string& out);

inline bool continues(char byte) { return (byte & 0xC0) == 0x80; }  // a character

// Moves `at` behind the n characters that begin there; false when there are fewer.
inline bool forward(std::string_view word, std::int32_t n, std::size_t& at) {
  for (; n > 0; --n) {
    if (at == word.size()) return false;
    ++at;
    while (at < word.size() && continues(word[at])) ++at;
  }
  return true;
}

// Calls body(gram) for the strings of `low` to `high` characters of a word; some may be equal.
template <class Body>
void each_ngram(std::string_view word, std::int32_t low, std::int32_t high, Body&& body) {
  for (std::size_t begin = 0; begin < word.size(); forward(word, 1, begin)) {
    std::size_t end = begin;
    bool whole = forward(word, low, end);
    for (std::int32_t n = low; whole && n <= high; ++n, whole = forward(word, 1, end)) {
      body(word.substr(begin, end - begin));
    }
  }
}

}  // namespace linnet::text
