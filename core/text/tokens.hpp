// Cutting a normalised text into tokens: words, or single characters for character n-grams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::text {

enum class Tokenizer : std::uint8_t {
  word,        // runs of two or more word characters: scikit-learn's default
  token,       // runs of word characters, and every other character that is not white space
  whitespace,  // what white space separates, as str.split()
  unicode,     // segments between the word boundaries of UAX #29 that are not white space
  split,       // what NUL bytes separate: tokens made elsewhere
  character,   // every character; runs of white space count as one space
  inside,      // the characters of each word with a space before and after it ("char_wb")
};

constexpr bool of_characters(Tokenizer t) {
  return t == Tokenizer::character || t == Tokenizer::inside;
}

// One token: bytes begin .. end of the text it was cut from. `last` ends a segment: no n-gram goes
// on behind it.
struct Token {
  std::uint32_t begin;
  std::uint32_t end : 31;
  std::uint32_t last : 1;
};
inline constexpr std::size_t kLongestText = 0x7fffffffU;

// Fills `tokens`. The character tokenizers rewrite `text` (white space), and then `origin` with it
// where it is given: origin[k] says which byte of the raw text byte k comes from.
void tokenize(Tokenizer tokenizer, std::string& text, std::vector<Token>& tokens,
              std::vector<std::uint32_t>* origin);

}  // namespace linnet::text
