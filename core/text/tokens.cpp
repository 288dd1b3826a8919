#include "tokens.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "../numeric.hpp"
#include "fingerprint.hpp"
#include "unicode.hpp"
#include "word_break.hpp"

namespace linnet::text {
namespace {

using Tokens = std::vector<Token>;

constexpr std::array<std::uint8_t, 128> ascii_properties() {
  std::array<std::uint8_t, 128> table{};
  for (std::size_t c = 0; c < 128; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = (c >= 9 && c <= 13) || (c >= 28 && c <= 32);
    if (letter || (c >= '0' && c <= '9') || c == '_') table[c] = kWord;
    if (space) table[c] = kSpace;
  }
  return table;
}
constexpr auto kAscii = ascii_properties();

// The properties of the character at `p`, which moves behind it.
inline std::uint8_t next(const char*& p, const char* end) {
  const auto byte = static_cast<unsigned char>(*p);
  if (byte < 128) {
    ++p;
    return kAscii[byte];
  }
  return properties(decode(p, end));
}

void add(Tokens& tokens, const char* base, const char* begin, const char* end) {
  tokens.push_back({static_cast<std::uint32_t>(begin - base),
                    static_cast<std::uint32_t>(end - base) & 0x7fffffffU, 0});
}

// Bit k of the result tells whether flag[k] is 1, for 64 flags that are 0 or 1.
std::uint64_t packed(const std::uint8_t* flag) {
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) {
    bits |=
        (load<std::uint64_t>(reinterpret_cast<const char*>(flag) + 8 * k) * 0x0102040810204080U >>
         56)
        << (8 * k);
  }
  return bits;
}

// Which of 64 ASCII characters are of a word, and which are neither that nor white space.
LINNET_CLONES
void classify(const char* text, std::uint8_t* word, std::uint8_t* other) {
  for (int k = 0; k < 64; ++k) {
    const auto c = static_cast<std::uint8_t>(text[k]);
    const auto letter = static_cast<std::uint8_t>((c | 32) - 'a') < 26;
    const auto digit = static_cast<std::uint8_t>(c - '0') < 10;
    const auto space =
        (static_cast<std::uint8_t>(c - 9) < 5) | (static_cast<std::uint8_t>(c - 28) < 5);
    const bool is_word = letter | digit | (c == '_');
    word[k] = is_word;
    other[k] = !(is_word | space);
  }
}

// The words of two or more characters in a chunk of 64: `turns` has a bit where a word begins or
// ends, by turns, and `open` tells whether one goes on from the chunk before, from `begin` on.
// Where a word of one character stands cannot be foreseen, so it is written and overwritten.
void longer_words(std::uint64_t turns, bool open, std::uint32_t from, std::uint32_t& begin,
                  Tokens& tokens) {
  std::array<Token, 33> found;
  std::size_t n = 0;
  const auto turn = [&] {
    const auto at = from + static_cast<std::uint32_t>(std::countr_zero(turns));
    turns &= turns - 1;
    return at;
  };
  for (; turns != 0; open = false) {
    if (!open) {
      begin = turn();
      if (turns == 0) break;  // it goes on in the next chunk
    }
    const std::uint32_t end = turn();
    found[n] = {begin, end & 0x7fffffffU, 0};
    n += end - begin > 1;
  }
  tokens.insert(tokens.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
}

// words() for ASCII, 64 characters at a time: where runs begin and end is a matter of bits.
void ascii_words(std::string_view text, bool all, Tokens& tokens) {
  std::array<std::uint8_t, 64> word, other;
  std::array<char, 64> rest;
  std::uint64_t before = 0;  // was the last character of a word
  std::uint32_t begin = 0;
  const auto close = [&](std::uint32_t end) {
    if (all || end - begin > 1) tokens.push_back({begin, end & 0x7fffffffU, 0});
  };
  for (std::size_t from = 0; from < text.size(); from += 64) {
    const char* chunk = text.data() + from;
    if (text.size() - from < 64) {
      rest.fill(' ');
      std::copy(chunk, text.data() + text.size(), rest.begin());
      chunk = rest.data();
    }
    classify(chunk, word.data(), other.data());
    const std::uint64_t in = packed(word.data());
    const std::uint64_t turns = in ^ (in << 1 | before);
    if (!all) {
      longer_words(turns, before != 0, static_cast<std::uint32_t>(from), begin, tokens);
      before = in >> 63;
      continue;
    }
    const std::uint64_t single = packed(other.data());
    for (std::uint64_t marks = turns | single; marks != 0; marks &= marks - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(marks));
      const auto at = static_cast<std::uint32_t>(from) + bit;
      if (turns >> bit & 1U) {
        if (in >> bit & 1U) {
          begin = at;
        } else {
          close(at);
        }
      }
      if (single >> bit & 1U) tokens.push_back({at, (at + 1) & 0x7fffffffU, 0});
    }
    before = in >> 63;
  }
  if (before) close(static_cast<std::uint32_t>(text.size()));
}

// Runs of word characters; single ones, and other characters, only when `all` are wanted.
void words(std::string_view text, bool all, Tokens& tokens) {
  if (ascii_prefix(text) == text.size()) return ascii_words(text, all, tokens);
  const char* const base = text.data();
  const char* const end = base + text.size();
  for (const char* p = base; p < end;) {
    const char* const begin = p;
    const std::uint8_t first = next(p, end);
    if (!(first & kWord)) {
      if (all && !(first & kSpace)) add(tokens, base, begin, p);
      continue;
    }
    const char* const second = p;
    const char* stop = p;
    while (p < end && (next(p, end) & kWord)) stop = p;
    if (all || stop > second) add(tokens, base, begin, stop);
    p = stop;
  }
}

void separated(std::string_view text, Tokens& tokens) {
  const char* const base = text.data();
  const char* const end = base + text.size();
  for (const char* p = base; p < end;) {
    const char* begin = p;
    if (next(p, end) & kSpace) continue;
    const char* stop = p;
    while (p < end && !(next(p, end) & kSpace)) stop = p;
    add(tokens, base, begin, stop);
  }
}

void segments(std::string_view text, Tokens& tokens) {
  const char* const base = text.data();
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = next_word_boundary(text, from);
    const char* p = base + from;
    bool blank = true;
    while (blank && p < base + to) blank = next(p, base + to) & kSpace;
    if (!blank) add(tokens, base, base + from, base + to);
    from = to;
  }
}

void split(std::string_view text, Tokens& tokens) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\0', from), text.size());
    if (to > from) add(tokens, text.data(), text.data() + from, text.data() + to);
    from = to + 1;
  }
}

// Makes one space of every run of two or more white space characters, as scikit-learn does; a
// single one stays what it is.
void squeeze(std::string& text, std::vector<std::uint32_t>* origin) {
  const char* const base = text.data();
  const char* const end = base + text.size();
  std::size_t out = 0;
  const auto keep = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k, ++out) {
      text[out] = base[k];
      if (origin) (*origin)[out] = (*origin)[k];
    }
  };
  for (const char* p = base; p < end;) {
    const char* const begin = p;
    if (!(next(p, end) & kSpace)) {
      keep(static_cast<std::size_t>(begin - base), static_cast<std::size_t>(p - base));
      continue;
    }
    const char* const single = p;
    const char* stop = p;
    while (p < end && (next(p, end) & kSpace)) stop = p;
    p = stop;
    if (stop == single) {
      keep(static_cast<std::size_t>(begin - base), static_cast<std::size_t>(stop - base));
    } else {
      if (origin) (*origin)[out] = (*origin)[static_cast<std::size_t>(begin - base)];
      text[out++] = ' ';
    }
  }
  if (origin) {
    (*origin)[out] = origin->back();
    origin->resize(out + 1);
  }
  text.resize(out);
}

void characters(std::string_view text, Tokens& tokens) {
  const char* const base = text.data();
  const char* const end = base + text.size();
  for (const char* p = base; p < end;) {
    const char* const begin = p;
    next(p, end);
    add(tokens, base, begin, p);
  }
}

// Rewrites the text as " word  word  word " and cuts it into characters, a segment a word.
void insides(std::string& text, Tokens& tokens, std::vector<std::uint32_t>* origin) {
  Tokens pieces;
  separated(text, pieces);
  std::string padded;
  std::vector<std::uint32_t> from;
  padded.reserve(text.size() + 2 * pieces.size());
  for (const Token& piece : pieces) {
    const std::size_t begin = padded.size();
    padded.push_back(' ');
    padded.append(text, piece.begin, piece.end - piece.begin);
    padded.push_back(' ');
    if (origin) {
      from.push_back((*origin)[piece.begin]);
      from.insert(from.end(), origin->begin() + piece.begin, origin->begin() + piece.end);
      from.push_back((*origin)[piece.end]);
    }
    const std::size_t first = tokens.size();
    characters(std::string_view(padded).substr(begin), tokens);
    for (std::size_t k = first; k < tokens.size(); ++k) {
      tokens[k].begin += static_cast<std::uint32_t>(begin);
      tokens[k].end = (tokens[k].end + static_cast<std::uint32_t>(begin)) & 0x7fffffffU;
    }
    tokens.back().last = 1;
  }
  text.swap(padded);
  if (origin) {
    from.push_back(origin->back());
    origin->swap(from);
  }
}

}  // namespace

void tokenize(Tokenizer tokenizer, std::string& text, Tokens& tokens,
              std::vector<std::uint32_t>* origin) {
  tokens.clear();
  switch (tokenizer) {
    case Tokenizer::word: words(text, false, tokens); break;
    case Tokenizer::token: words(text, true, tokens); break;
    case Tokenizer::whitespace: separated(text, tokens); break;
    case Tokenizer::unicode: segments(text, tokens); break;
    case Tokenizer::split: split(text, tokens); break;
    case Tokenizer::character:
      squeeze(text, origin);
      characters(text, tokens);
      break;
    case Tokenizer::inside: insides(text, tokens, origin); break;
  }
  if (!tokens.empty()) tokens.back().last = 1;
}

}  // namespace linnet::text
