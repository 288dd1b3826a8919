#include "grams.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "group_sort.hpp"

namespace linnet::text {
namespace {

// An occurrence to sort: its last token, and something to carry along.
using Word = std::uint64_t;
Word word_of(std::uint32_t token, std::uint32_t carried) { return Word{token} << 32 | carried; }
std::uint32_t carried_by(Word word) { return static_cast<std::uint32_t>(word); }
std::uint32_t token_of(Word word) { return static_cast<std::uint32_t>(word >> 32); }
// Of a token alone nothing is to be sorted.
std::uint32_t carried_by(std::uint32_t item) { return item; }
std::uint32_t token_of(std::uint32_t) { return 0; }

int bits_for(std::uint64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(largest)));
}

constexpr std::int64_t kGrain = 1 << 16;  // occurrences in a block of work

std::int64_t blocks_of(std::int64_t size) { return (size + kGrain - 1) / kGrain; }

// The row of a place that only grows.
class RowOf {
 public:
  RowOf(const std::vector<std::int64_t>& start, std::int64_t place)
      : next_(std::upper_bound(start.begin(), start.end(), place)), first_(start.begin()) {}
  std::uint32_t operator()(std::int64_t place) {
    while (*next_ <= place) ++next_;
    return static_cast<std::uint32_t>(next_ - first_ - 1);
  }

 private:
  std::vector<std::int64_t>::const_iterator next_, first_;
};

}  // namespace

// Where n-grams of one length end in the corpus, in the order of their beginnings. Those of length
// 1 are the tokens themselves and need no list.
struct Grams::Occurrences {
  const Numbered* tokens = nullptr;
  Ids node, last, text;
  Raw<std::uint8_t> skipped;  // empty when nothing is skipped

  std::int64_t size() const {
    return static_cast<std::int64_t>(tokens ? tokens->token.size() : text.size());
  }
  std::uint32_t node_of(std::int64_t k) const { return tokens ? tokens->token[k] : node[k]; }
  std::uint32_t last_of(std::int64_t k) const {
    return tokens ? static_cast<std::uint32_t>(k) : last[k];
  }
  int skipped_at(std::int64_t k) const { return skipped.size() > 0 ? skipped[k] : 0; }
  std::uint32_t text_of(std::int64_t k) const {
    return tokens ? RowOf(tokens->start, k)(k) : text[k];
  }
};

Grams::Grams(Texts texts, const Analysis& analysis, std::int64_t min_documents, ThreadPool& pool)
    : analysis_(analysis),
      min_documents_(min_documents),
      tokens_(texts, analysis, pool),
      rows_(texts.size()) {
  Occurrences occurrences;
  occurrences.tokens = &tokens_;
  levels.push_back(words(occurrences, pool));
  Raw<Word> room;  // kept: memory that the system hands out anew is cleared first
  for (int n = 2; n <= analysis.longest; ++n) {
    if (n < analysis.longest) occurrences = longer(occurrences, pool);
    levels.push_back(level(occurrences, n, room, pool));
  }
}

// Calls visit(k, text, place of the new token, tokens skipped) for every occurrence k of first ..
// last - 1 that can be made one token longer. What too few texts contain is left behind: nothing
// that begins with it, or ends with such a token, can be in more. (Lengths that are no features
// themselves do not know how many texts contain them.)
template <class Visit>
void Grams::extensions(const Occurrences& shorter, std::int64_t first, std::int64_t last,
                       Visit visit) const {
  const std::uint8_t* const prefix = levels.back().frequent.data();
  const std::uint8_t* const word = levels.front().frequent.data();
  if (first == last) return;
  RowOf row(tokens_.start, shorter.last_of(first));
  for (std::int64_t k = first; k < last; ++k) {
    std::uint32_t at = shorter.last_of(k);
    if (!prefix[shorter.node_of(k)]) continue;
    const std::uint32_t text = shorter.tokens ? row(k) : shorter.text[k];
    for (int skipped = shorter.skipped_at(k); skipped <= analysis_.skip && !tokens_.ends(at);
         ++skipped) {
      ++at;
      if (!word[tokens_.token[at]]) continue;
      visit(k, text, at, skipped);
    }
  }
}

// How many extensions the blocks before each one have, and all together.
std::vector<std::int64_t> Grams::extended(const Occurrences& shorter, ThreadPool& pool) const {
  const std::int64_t blocks = blocks_of(shorter.size());
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks) + 1, 0);
  pool.run(blocks, [&](std::int64_t b) {
    extensions(shorter, b * kGrain, std::min(shorter.size(), (b + 1) * kGrain),
               [&](std::int64_t, std::uint32_t, std::uint32_t, int) { ++first[b + 1]; });
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  if (first.back() > UINT32_MAX) throw std::length_error("more than 2^32 n-grams");
  return first;
}

Grams::Occurrences Grams::longer(const Occurrences& shorter, ThreadPool& pool) const {
  const std::vector<std::int64_t> first = extended(shorter, pool);
  Occurrences out;
  const auto size = static_cast<std::size_t>(first.back());
  out.node = Ids(size);
  out.last = Ids(size);
  out.text = Ids(size);
  if (analysis_.skip > 0) out.skipped = Raw<std::uint8_t>(size);
  pool.run(blocks_of(shorter.size()), [&](std::int64_t b) {
    std::int64_t to = first[b];
    extensions(shorter, b * kGrain, std::min(shorter.size(), (b + 1) * kGrain),
               [&](std::int64_t k, std::uint32_t text, std::uint32_t at, int skipped) {
                 out.node[to] = shorter.node_of(k);
                 out.last[to] = at;
                 out.text[to] = text;
                 if (analysis_.skip > 0) out.skipped[to] = static_cast<std::uint8_t>(skipped);
                 ++to;
               });
  });
  return out;
}

bool Grams::whole_word(const Occurrences& occurrences, std::int64_t k, int n) const {
  const std::uint32_t last = occurrences.last_of(k);
  const std::uint32_t first = last - static_cast<std::uint32_t>(n - 1);
  return tokens_.ends(last) && (first == 0 || tokens_.ends(first - 1));
}

// The tokens, numbered already: their texts are grouped. What is carried is the text, or the place
// when that must be looked at once more.
Level Grams::words(const Occurrences& occurrences, ThreadPool& pool) const {
  const bool places = takes_short_words(1);
  const auto each = [&](std::int64_t first, std::int64_t last, auto visit) {
    RowOf row(tokens_.start, first);
    for (std::int64_t k = first; k < last; ++k) {
      visit(tokens_.token[k], places ? static_cast<std::uint32_t>(k) : row(k));
    }
  };
  Distribution groups(occurrences.size(), static_cast<std::int64_t>(tokens_.spellings()), each,
                      pool);
  Ids carried(static_cast<std::size_t>(groups.items()));
  groups.place(each, carried.data(), pool);
  Level level;
  collect(occurrences, 1, places, groups, carried.data(), level, pool);
  return level;
}

// Numbers the n-grams of one length from 2 on, in the order of their tokens, and groups their
// texts. The occurrences learn their numbers if longer n-grams will ask for them. Those of the
// longest n-grams nobody asks for: then `occurrences` are those of the length before, and what is
// sorted is made of them at once.
//
// What is carried through the sorting is the occurrence when it must learn its number, else only
// its text, which spares looking it up.
Level Grams::level(Occurrences& occurrences, int n, Raw<Word>& room, ThreadPool& pool) const {
  const bool is_last = n == analysis_.longest, numbered = !is_last || takes_short_words(n);
  const auto each = [&](std::int64_t first, std::int64_t last, auto visit) {
    if (is_last) {
      extensions(occurrences, first, last,
                 [&](std::int64_t k, std::uint32_t text, std::uint32_t at, int) {
                   visit(occurrences.node_of(k), word_of(tokens_.token[at], text));
                 });
      return;
    }
    for (std::int64_t k = first; k < last; ++k) {
      visit(occurrences.node_of(k),
            word_of(tokens_.token[occurrences.last_of(k)], static_cast<std::uint32_t>(k)));
    }
  };
  Distribution groups(occurrences.size(), levels.back().nodes(), each, pool);
  const auto size = static_cast<std::size_t>(groups.items());
  if (room.size() < size) room = Raw<Word>(size);
  groups.place(each, room.data(), pool);
  Level level;
  Ids numbers = collect(occurrences, n, numbered, groups, room.data(), level, pool);
  if (numbered) occurrences.node = std::move(numbers);
  return level;
}

// Makes the level of items in groups, one for each n-gram of length n - 1 (of length 1: for each
// token). Returns the number of each occurrence if these are asked for.
template <class Item>
Ids Grams::collect(const Occurrences& occurrences, int n, bool numbered, const Distribution& groups,
                   Item* items, Level& level, ThreadPool& pool) const {
  constexpr bool kSorted = std::is_same_v<Item, Word>;
  const bool all = n >= analysis_.shortest, some = takes_short_words(n);
  // What no longer n-gram is made of, and too few texts have, is nobody's business any more: of the
  // longest n-grams most are so.
  const std::int64_t least = n == analysis_.longest && all ? min_documents_ : 0;
  const int bits = bits_for(tokens_.spellings());
  const auto text_of = [&](Item item) {
    return numbered ? occurrences.text_of(carried_by(item)) : carried_by(item);
  };
  const auto counts = [&](Item item) {
    return all || (some && whole_word(occurrences, carried_by(item), n));
  };
  struct Node {
    std::uint32_t first, size, texts;  // of its items; how many texts have it
  };
  const std::vector<std::int64_t> edges = groups.blocks(kGrain);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  std::vector<std::vector<Node>> nodes(static_cast<std::size_t>(blocks));
  std::vector<std::int64_t> first_node(static_cast<std::size_t>(blocks) + 1, 0),
      first_text = first_node;
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<Raw<Word>> spare(static_cast<std::size_t>(lanes));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    for (std::int64_t group = edges[b]; group < edges[b + 1]; ++group) {
      const std::int64_t begin = groups.begin(group), end = groups.end(group);
      if constexpr (kSorted) {
        const auto size = static_cast<std::size_t>(end - begin);
        if (spare[lane].size() < size) spare[lane] = Raw<Word>(size + size / 2);
        sort_words(items + begin, spare[lane].data(), end - begin, bits);
      }
      for (std::int64_t first = begin, last; first < end; first = last) {
        std::int64_t counted = 0;
        std::uint32_t texts = 0, before = UINT32_MAX;  // no text has this number
        const std::uint32_t token = token_of(items[first]);
        for (last = first; last < end && token_of(items[last]) == token; ++last) {
          if (!counts(items[last])) continue;
          const std::uint32_t text = text_of(items[last]);
          texts += text != before;
          before = text;
          ++counted;
        }
        if (texts < least) continue;
        nodes[b].push_back(
            {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first), texts});
        first_text[b + 1] += counted;
      }
    }
    first_node[b + 1] = static_cast<std::int64_t>(nodes[b].size());
  });
  std::partial_sum(first_node.begin(), first_node.end(), first_node.begin());
  std::partial_sum(first_text.begin(), first_text.end(), first_text.begin());
  const auto size = static_cast<std::size_t>(first_node.back());
  if (size > UINT32_MAX - 1) throw std::length_error("more than 2^32 different n-grams");
  level.parent = Ids(n > 1 ? size : 0);
  level.token = Ids(size);
  level.start.resize(size + 1);
  level.documents.resize(size);
  level.frequent.resize(size);
  level.texts = Ids(static_cast<std::size_t>(first_text.back()));
  Ids numbers(numbered ? static_cast<std::size_t>(occurrences.size()) : 0);
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t number = first_node[b], to = first_text[b], group = edges[b];
    for (const Node& node : nodes[b]) {
      while (groups.end(group) <= node.first) ++group;
      level.start[number] = to;
      level.documents[number] = node.texts;
      level.frequent[number] = !all || node.texts >= min_documents_;
      level.token[number] =
          kSorted ? token_of(items[node.first]) : static_cast<std::uint32_t>(group);
      if (n > 1) level.parent[number] = static_cast<std::uint32_t>(group);
      for (std::int64_t k = node.first; k < std::int64_t{node.first} + node.size; ++k) {
        if (numbered) numbers[carried_by(items[k])] = static_cast<std::uint32_t>(number);
        if (counts(items[k])) level.texts[to++] = text_of(items[k]);
      }
      ++number;
    }
  });
  level.start[size] = first_text.back();
  return numbers;
}

}  // namespace linnet::text
