#include "grams.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "radix.hpp"

namespace linnet::text {
namespace {

// What is sorted: the number of an n-gram, and something to carry along. In one word where both
// fit, in two where they do not.
struct Narrow {
  using Word = std::uint64_t;
  int low;  // bits of what is carried
  Word make(std::uint64_t number, std::uint64_t carried) const { return number << low | carried; }
  static std::uint64_t key(Word w) { return w; }
  std::uint64_t number(Word w) const { return w >> low; }
  std::uint64_t carried(Word w) const { return w & ((std::uint64_t{1} << low) - 1); }
};
struct Broad {
  struct Word {
    std::uint64_t first, second;
  };
  static constexpr int low = 0;
  Word make(std::uint64_t number, std::uint64_t carried) const { return {number, carried}; }
  static std::uint64_t key(const Word& w) { return w.first; }
  std::uint64_t number(const Word& w) const { return w.first; }
  std::uint64_t carried(const Word& w) const { return w.second; }
};

int bits_for(std::uint64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(largest)));
}

constexpr std::int64_t kGrain = 1 << 16;  // occurrences in a block of work

std::int64_t blocks_of(std::int64_t size) { return (size + kGrain - 1) / kGrain; }

}  // namespace

// Where n-grams of one length end in the corpus, in the order of their beginnings. Those of length
// 1 are the tokens themselves and need no list.
struct Grams::Occurrences {
  const LargeVector<std::uint32_t>* tokens = nullptr;
  Ids node, last, text;
  Raw<std::uint8_t> skipped;  // empty when nothing is skipped

  std::int64_t size() const { return static_cast<std::int64_t>(text.size()); }
  std::uint32_t node_of(std::int64_t k) const { return tokens ? (*tokens)[k] : node[k]; }
  std::uint32_t last_of(std::int64_t k) const {
    return tokens ? static_cast<std::uint32_t>(k) : last[k];
  }
};

// What is sorted, and room for it a second time: kept from one length to the next, because memory
// that the system hands out anew is cleared first, which takes longer than a pass of the sorting.
template <class Word>
struct Room {
  Raw<Word> words, spare;

  void reserve(std::size_t size) {
    if (words.size() >= size) return;
    words = Raw<Word>(size);
    spare = Raw<Word>(size);
  }
};
struct Grams::Rooms {
  Room<Narrow::Word> narrow;
  Room<Broad::Word> broad;
  Room<Narrow::Word>& of(Narrow) { return narrow; }
  Room<Broad::Word>& of(Broad) { return broad; }
};

Grams::Grams(Texts texts, const Analysis& analysis, std::int64_t min_documents, ThreadPool& pool)
    : analysis_(analysis),
      min_documents_(min_documents),
      tokens_(texts, analysis, pool),
      rows_(texts.size()) {
  Occurrences occurrences = first_occurrences(pool);
  Rooms rooms;
  for (int n = 1; n <= analysis.longest; ++n) {
    if (n > 1 && n < analysis.longest) occurrences = longer(occurrences, pool);
    levels.push_back(level(occurrences, n, rooms, pool));
  }
}

Grams::Occurrences Grams::first_occurrences(ThreadPool& pool) const {
  Occurrences all;
  all.tokens = &tokens_.token;
  all.text = Ids(tokens_.token.size());
  pool.ranges(static_cast<std::int64_t>(rows_), 1024, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      std::fill(all.text.data() + tokens_.start[row], all.text.data() + tokens_.start[row + 1],
                static_cast<std::uint32_t>(row));
    }
  });
  if (analysis_.skip > 0) {
    all.skipped = Raw<std::uint8_t>(all.text.size());
    std::fill(all.skipped.data(), all.skipped.data() + all.text.size(), std::uint8_t{0});
  }
  return all;
}

// Calls visit(k, place of the new token, tokens skipped) for every occurrence k of a block that can
// be made one token longer. What too few texts contain is left behind: nothing that begins with it,
// or ends with such a token, can be in more. (Lengths that are no features themselves do not know
// how many texts contain them.)
template <class Visit>
void Grams::extensions(const Occurrences& shorter, std::int64_t block, Visit visit) const {
  const Level& prefix = levels.back();
  const Level& words = levels.front();
  const auto depth = static_cast<int>(levels.size());
  const std::int64_t least = depth < analysis_.shortest ? 0 : min_documents_;
  const std::int64_t least_word = analysis_.shortest > 1 ? 0 : min_documents_;
  const std::int64_t end = std::min(shorter.size(), (block + 1) * kGrain);
  for (std::int64_t k = block * kGrain; k < end; ++k) {
    std::uint32_t at = shorter.last_of(k);
    if (least > 1 && prefix.documents[shorter.node_of(k)] < least) continue;
    int skipped = analysis_.skip > 0 ? shorter.skipped[k] : 0;
    for (; skipped <= analysis_.skip && !tokens_.ends(at); ++skipped) {
      ++at;
      if (least_word > 1 && words.documents[tokens_.token[at]] < least_word) continue;
      visit(k, at, skipped);
    }
  }
}

// How many extensions the blocks before each one have, and all together.
std::vector<std::int64_t> Grams::extended(const Occurrences& shorter, ThreadPool& pool) const {
  const std::int64_t blocks = blocks_of(shorter.size());
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks) + 1, 0);
  pool.run(blocks, [&](std::int64_t b) {
    extensions(shorter, b, [&](std::int64_t, std::uint32_t, int) { ++first[b + 1]; });
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
    extensions(shorter, b, [&](std::int64_t k, std::uint32_t at, int skipped) {
      out.node[to] = shorter.node_of(k);
      out.last[to] = at;
      out.text[to] = shorter.text[k];
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

// Numbers the n-grams of one length, in the order of their tokens, and groups their texts. The
// occurrences learn their numbers if longer n-grams will ask for them. Those of the longest n-grams
// nobody asks for: then `occurrences` are those of the length before, and what is sorted is made
// of them at once.
Level Grams::level(Occurrences& occurrences, int n, Rooms& rooms, ThreadPool& pool) const {
  Level level;
  const bool numbered = (n > 1 && n < analysis_.longest) || takes_short_words(n);
  const auto carried = numbered ? static_cast<std::uint64_t>(occurrences.size()) : rows_;
  const std::uint64_t prefixes =
      n == 1 ? tokens_.spellings() : static_cast<std::uint64_t>(levels.back().nodes());
  const int low = bits_for(carried), word = n == 1 ? 0 : bits_for(tokens_.spellings());
  const int bits = word + bits_for(prefixes);
  if (low + bits <= 64) {
    group(occurrences, n, word, bits, numbered, Narrow{low}, rooms, level, pool);
  } else {
    group(occurrences, n, word, bits, numbered, Broad{}, rooms, level, pool);
  }
  return level;
}

// `word` bits of a number are those of the last token. What is carried through the sorting is the
// occurrence when it must learn its number, else only its text, which spares looking it up.
template <class Pack>
std::int64_t Grams::fill(const Occurrences& occurrences, int n, int word, bool numbered, Pack pack,
                         Room<typename Pack::Word>& room, ThreadPool& pool) const {
  if (n > 1 && n == analysis_.longest) {
    const std::vector<std::int64_t> first = extended(occurrences, pool);
    room.reserve(static_cast<std::size_t>(first.back()));
    pool.run(blocks_of(occurrences.size()), [&](std::int64_t b) {
      std::int64_t to = first[b];
      extensions(occurrences, b, [&](std::int64_t k, std::uint32_t at, int) {
        const std::uint64_t prefix = occurrences.node_of(k);
        room.words[to++] = pack.make(prefix << word | tokens_.token[at], occurrences.text[k]);
      });
    });
    return first.back();
  }
  room.reserve(static_cast<std::size_t>(occurrences.size()));
  pool.ranges(occurrences.size(), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      std::uint64_t number = occurrences.node_of(k);
      if (n > 1) number = number << word | tokens_.token[occurrences.last_of(k)];
      room.words[k] =
          pack.make(number, numbered ? static_cast<std::uint64_t>(k) : occurrences.text[k]);
    }
  });
  return occurrences.size();
}

template <class Pack>
void Grams::group(Occurrences& occurrences, int n, int word, int bits, bool numbered, Pack pack,
                  Rooms& rooms, Level& level, ThreadPool& pool) const {
  using Word = typename Pack::Word;
  Room<Word>& room = rooms.of(pack);
  const std::int64_t size = fill(occurrences, n, word, numbered, pack, room, pool);
  const std::int64_t blocks = blocks_of(size);
  const Word* const order = radix_sort(
      room.words.data(), room.spare.data(), size, pack.low, bits,
      [](const Word& w) { return Pack::key(w); }, pool);
  const bool all = n >= analysis_.shortest, some = takes_short_words(n);
  // What no longer n-gram is made of, and too few texts have, is nobody's business any more: of the
  // longest n-grams most are so.
  const std::int64_t least = n == analysis_.longest && all ? min_documents_ : 0;
  const auto text_of = [&](std::int64_t k) {
    const std::uint64_t carried = pack.carried(order[k]);
    return numbered ? occurrences.text[carried] : static_cast<std::uint32_t>(carried);
  };
  const auto counts = [&](std::int64_t k) {
    return all ||
           (some && whole_word(occurrences, static_cast<std::int64_t>(pack.carried(order[k])), n));
  };
  // Calls visit(first, last, occurrences that count, texts) for each n-gram that begins in a block
  // and is kept: its occurrences are first .. last - 1.
  const auto each_node = [&](std::int64_t block, auto&& visit) {
    const std::int64_t end = std::min(size, (block + 1) * kGrain);
    std::int64_t first = block * kGrain;
    const auto same = [&](std::int64_t k) {
      return pack.number(order[k]) == pack.number(order[k - 1]);
    };
    while (first > 0 && first < end && same(first)) ++first;  // it began in the block before
    for (std::int64_t last; first < end; first = last) {
      std::int64_t counted = 0, texts = 0;
      std::uint32_t before = UINT32_MAX;  // no text has this number
      for (last = first; last == first || (last < size && same(last)); ++last) {
        if (!counts(last)) continue;
        const std::uint32_t text = text_of(last);
        texts += text != before;
        before = text;
        ++counted;
      }
      if (texts >= least) visit(first, last, counted, texts);
    }
  };
  std::vector<std::int64_t> first_node(static_cast<std::size_t>(blocks) + 1, 0),
      first_text = first_node;
  pool.run(blocks, [&](std::int64_t b) {
    each_node(b, [&](std::int64_t, std::int64_t, std::int64_t counted, std::int64_t) {
      ++first_node[b + 1];
      first_text[b + 1] += counted;
    });
  });
  std::partial_sum(first_node.begin(), first_node.end(), first_node.begin());
  std::partial_sum(first_text.begin(), first_text.end(), first_text.begin());
  const auto nodes = static_cast<std::size_t>(first_node.back());
  if (nodes > UINT32_MAX - 1) throw std::length_error("more than 2^32 different n-grams");
  level.parent = Ids(n > 1 ? nodes : 0);
  level.token = Ids(nodes);
  level.start.resize(nodes + 1);
  level.documents.resize(nodes);
  level.texts = Ids(static_cast<std::size_t>(first_text.back()));
  Ids numbers(numbered ? static_cast<std::size_t>(size) : 0);
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t node = first_node[b], to = first_text[b];
    each_node(b, [&](std::int64_t first, std::int64_t last, std::int64_t, std::int64_t texts) {
      const std::uint64_t number = pack.number(order[first]);
      level.start[node] = to;
      level.documents[node] = texts;
      level.token[node] =
          static_cast<std::uint32_t>(n > 1 ? number & ((std::uint64_t{1} << word) - 1) : number);
      if (n > 1) level.parent[node] = static_cast<std::uint32_t>(number >> word);
      for (std::int64_t k = first; k < last; ++k) {
        if (numbered) numbers[pack.carried(order[k])] = static_cast<std::uint32_t>(node);
        if (counts(k)) level.texts[to++] = text_of(k);
      }
      ++node;
    });
  });
  level.start[nodes] = first_text.back();
  if (numbered && !occurrences.tokens) occurrences.node = std::move(numbers);
}

}  // namespace linnet::text
