// The n-grams of a corpus, numbered length by length.
//
// Tokens are numbered in the order of their spellings. An n-gram is its first n - 1 tokens, already
// numbered, and its last. Occurrences are brought together by the first n - 1, then sorted by the
// last: that numbers the n-grams of length n in order and leaves the texts of each together,
// ascending. So length n follows from length n - 1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "analysis.hpp"
#include "blocks.hpp"
#include "numbering.hpp"

namespace linnet::text {

class Distribution;
using Ids = Raw<std::uint32_t>;

// The n-grams of one length, numbered in order.
struct Level {
  Ids parent, token;  // [nodes] the n-gram of all tokens but the last, and the last
  LargeVector<std::int64_t> start{0};   // [nodes + 1] into texts
  Ids texts;                            // the text of every occurrence, grouped by node, ascending
  LargeVector<std::int64_t> documents;  // [nodes] distinct texts
  LargeVector<std::uint8_t> frequent;   // [nodes] may a longer n-gram have it
  LargeVector<char> kept;               // [nodes] is it a feature
  LargeVector<std::int64_t> column;     // [nodes] its place, or that of the first below it

  std::int64_t nodes() const { return static_cast<std::int64_t>(token.size()); }
};

class Grams {
 public:
  // n-grams that fewer than `min_documents` texts have are not made longer: nothing that begins or
  // ends with one can be in more texts.
  Grams(Texts texts, const Analysis& analysis, std::int64_t min_documents, ThreadPool& pool);

  std::vector<Level> levels;  // [longest] of length 1, 2, ...
  std::string_view spelling(std::uint32_t token) const { return tokens_.spelling(token); }

 private:
  struct Occurrences;

  std::vector<std::int64_t> extended(const Occurrences& shorter, ThreadPool& pool) const;
  Occurrences longer(const Occurrences& shorter, ThreadPool& pool) const;
  template <class Visit>
  void extensions(const Occurrences& shorter, std::int64_t first, std::int64_t last,
                  Visit visit) const;
  Level words(const Occurrences& occurrences, ThreadPool& pool) const;
  Level level(Occurrences& occurrences, int n, Raw<std::uint64_t>& room, ThreadPool& pool) const;
  template <class Item>
  Ids collect(const Occurrences& occurrences, int n, bool numbered, const Distribution& groups,
              Item* items, Level& level, ThreadPool& pool) const;
  bool whole_word(const Occurrences& occurrences, std::int64_t k, int n) const;
  // Words shorter than the shortest n-gram are features of "char_wb".
  bool takes_short_words(int n) const {
    return n < analysis_.shortest && analysis_.tokenizer == Tokenizer::inside;
  }

  const Analysis analysis_;
  const std::int64_t min_documents_;
  const Numbered tokens_;
  const std::size_t rows_;
};

}  // namespace linnet::text
