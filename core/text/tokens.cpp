#include "tokens.hpp"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

// ---- words, 64 bytes at a time: where they begin and end is a matter of bits ----

constexpr std::size_t kChunk = 64, kLongestCharacter = 4;

// What is known of the bytes of a chunk, a bit for each. A word is a run of `word`; what is neither
// that nor white space stands alone, and has its first and its last byte marked.
struct Marks {
  std::uint64_t word = 0, first = 0, last = 0;
  std::size_t size = kChunk;  // bytes looked at, whole characters
};

// Bit k of the result tells whether flag[k] is 1, for 64 flags that are 0 or 1.
std::uint64_t packed(const std::uint8_t* flag) {
  std::uint64_t bits = 0;
#if defined(__SSE2__)
  for (int k = 0; k < 4; ++k) {
    const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flag) + k);
    const auto some = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(flags, 7)));
    bits |= std::uint64_t{some} << (16 * k);
  }
#else
  for (unsigned k = 0; k < 8; ++k) {
    bits |=
        (load<std::uint64_t>(reinterpret_cast<const char*>(flag) + 8 * k) * 0x0102040810204080U >>
         56)
        << (8 * k);
  }
#endif
  return bits;
}

// Which of 64 bytes are ASCII characters of a word, and which are neither that nor white space;
// returns whether all are ASCII.
LINNET_CLONES
bool classify(const char* text, std::uint8_t* word, std::uint8_t* other) {
  std::uint8_t any = 0;
  for (std::size_t k = 0; k < kChunk; ++k) {
    const auto c = static_cast<std::uint8_t>(text[k]);
    any |= c;
    const auto letter = static_cast<std::uint8_t>((c | 32) - 'a') < 26;
    const auto digit = static_cast<std::uint8_t>(c - '0') < 10;
    const auto space =
        (static_cast<std::uint8_t>(c - 9) < 5) | (static_cast<std::uint8_t>(c - 28) < 5);
    const bool is_word = letter | digit | (c == '_');
    word[k] = is_word;
    other[k] = !(is_word | space);
  }
  return any < 0x80;
}

// The marks of any characters, as many as fit a chunk for sure.
Marks decoded(const char* begin, const char* end) {
  Marks marks;
  const char* p = begin;
  while (p < end && p - begin <= static_cast<std::ptrdiff_t>(kChunk - kLongestCharacter)) {
    const auto at = p - begin;
    const std::uint8_t kind = next(p, end);
    const auto size = p - begin - at;
    if (kind & kWord) {
      marks.word |= ((std::uint64_t{1} << size) - 1) << at;
    } else if (!(kind & kSpace)) {
      marks.first |= std::uint64_t{1} << at;
      marks.last |= std::uint64_t{1} << (at + size - 1);
    }
  }
  marks.size = static_cast<std::size_t>(p - begin);
  return marks;
}

Marks marks_of(const char* begin, const char* end) {
  std::array<std::uint8_t, kChunk> word, other;
  std::array<char, kChunk> padded;
  const char* chunk = begin;
  if (end - begin < static_cast<std::ptrdiff_t>(kChunk)) {
    padded.fill(' ');
    std::copy(begin, end, padded.begin());
    chunk = padded.data();
  }
  if (!classify(chunk, word.data(), other.data())) return decoded(begin, end);
  const std::uint64_t alone = packed(other.data());
  return {packed(word.data()), alone, alone, kChunk};
}

// Writes the places of the bits that are set, and returns how many they are. Eight at a time: how
// many are left is asked less often, and more are written than there are.
LINNET_CLONES
std::size_t places_of(std::uint64_t bits, std::uint32_t from, std::uint32_t* out) {
  constexpr std::size_t kAtOnce = 8;
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  const auto n = static_cast<std::size_t>(std::popcount(bits));
  for (std::size_t done = 0; done < n; done += kAtOnce) {
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      out[done + k] = from + static_cast<std::uint32_t>(std::countr_zero(bits | kTop));
      bits &= bits - 1;
    }
  }
  return n;
}

// The bytes of the character that begins with this one.
std::uint32_t character_size(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return 1U + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0);
}

// Runs of word characters; single ones, and other characters, only when `all` are wanted. Tokens do
// not overlap, so the k-th that begins is the k-th that ends.
void words(std::string_view text, bool all, Tokens& tokens) {
  std::array<std::uint32_t, kChunk + 8> begins, ends;  // one may have begun in a chunk before
  std::array<Token, kChunk + 8> found;
  std::size_t open = 0;                   // is the first of `begins` still to end
  std::uint64_t in_word = 0, behind = 0;  // was the last byte of a word, the end of one alone
  const auto close = [&](std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {  // written and overwritten: which stay is not foreseen
      found[kept] = {begins[k], ends[k] & 0x7fffffffU, 0};
      kept += all || ends[k] - begins[k] > character_size(text[begins[k]]);
    }
    tokens.insert(tokens.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept));
  };
  const char* const base = text.data();
  for (std::size_t from = 0; from < text.size();) {
    Marks marks = marks_of(base + from, base + text.size());
    if (!all) marks.first = marks.last = 0;
    const std::uint64_t within = ~std::uint64_t{0} >> (kChunk - marks.size);
    const std::uint64_t before = marks.word << 1 | in_word;  // is the byte before one of a word
    const std::uint64_t begin = (marks.word & ~before) | marks.first;
    const std::uint64_t end = ((~marks.word & before) | marks.last << 1 | behind) & within;
    const auto at = static_cast<std::uint32_t>(from);
    const std::size_t begun = open + places_of(begin, at, begins.data() + open);
    const std::size_t ended = places_of(end, at, ends.data());
    close(ended);
    if (begun > ended) begins[0] = begins[ended];
    open = begun - ended;
    in_word = marks.word >> (marks.size - 1) & 1U;
    behind = marks.last >> (marks.size - 1) & 1U;
    from += marks.size;
  }
  if (open == 0) return;
  ends[0] = static_cast<std::uint32_t>(text.size());
  close(1);
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
