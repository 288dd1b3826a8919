#include "counting.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "numbering.hpp"
#include "radix.hpp"

namespace linnet::text {
namespace {

// Memory that is written before it is read, and so need not be cleared first.
template <class T>
class Raw {
 public:
  Raw() = default;
  explicit Raw(std::size_t size) : data_(size > 0 ? new T[size] : nullptr), size_(size) {}
  T* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};
using Ids = Raw<std::uint32_t>;

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

// The n-grams of one length, numbered in order.
struct Level {
  Ids parent, token;  // [nodes] the n-gram of all tokens but the last, and the last
  std::vector<std::int64_t> start{0};   // [nodes + 1] into texts
  Ids texts;                            // the text of every occurrence, grouped by node, ascending
  std::vector<std::int64_t> documents;  // [nodes] distinct texts
  std::vector<char> kept;               // [nodes] is it a feature
  std::vector<std::int64_t> column;     // [nodes] its place, or that of the first below it

  std::int64_t nodes() const { return static_cast<std::int64_t>(token.size()); }
};

// Where n-grams of one length end in the corpus, in the order of their beginnings. Those of length
// 1 are the tokens themselves and need no list.
struct Occurrences {
  const std::vector<std::uint32_t>* tokens = nullptr;
  Ids node, last, text;
  Raw<std::uint8_t> skipped;  // empty when nothing is skipped

  std::int64_t size() const { return static_cast<std::int64_t>(text.size()); }
  std::uint32_t node_of(std::int64_t k) const { return tokens ? (*tokens)[k] : node[k]; }
  std::uint32_t last_of(std::int64_t k) const {
    return tokens ? static_cast<std::uint32_t>(k) : last[k];
  }
};

constexpr std::int64_t kGrain = 1 << 16;  // occurrences in a block of work

std::int64_t blocks_of(std::int64_t size) { return (size + kGrain - 1) / kGrain; }

}  // namespace

class Corpus {
 public:
  Corpus(Texts texts, const Analysis& analysis, const Limits& limits, ThreadPool& pool)
      : analysis_(analysis), limits_(limits), tokens_(texts, analysis, pool), rows_(texts.size()) {
    Occurrences occurrences = first_occurrences(pool);
    for (int n = 1; n <= analysis.longest; ++n) {
      if (n > 1) occurrences = longer(occurrences, pool);
      levels_.push_back(level(occurrences, n, pool));
    }
    choose();
    place();
  }

  void matrix(std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) const;
  void names(char* bytes, std::int64_t* offset, ThreadPool& pool) const;

  struct Feature {
    std::uint32_t level, node;
  };
  std::vector<Feature> features_;  // [columns] in order
  std::int64_t stored_ = 0, spelled_ = 0;
  std::vector<Level> levels_;

 private:
  Occurrences first_occurrences(ThreadPool& pool) const;
  Occurrences longer(const Occurrences& shorter, ThreadPool& pool) const;
  template <class Visit>
  void extensions(const Occurrences& shorter, std::int64_t block, Visit visit) const;
  Level level(Occurrences& occurrences, int n, ThreadPool& pool) const;
  template <class Pack>
  void group(Occurrences& occurrences, int n, int word, int bits, bool numbered, Pack pack,
             Level& level, ThreadPool& pool) const;
  bool whole_word(const Occurrences& occurrences, std::int64_t k, int n) const;
  // Words shorter than the shortest n-gram are features of "char_wb".
  bool takes_short_words(int n) const {
    return n < analysis_.shortest && analysis_.tokenizer == Tokenizer::inside;
  }
  void choose();
  void keep_most_frequent();
  void place();
  std::int64_t spelling_length(Feature f) const;

  const Analysis analysis_;
  const Limits limits_;
  const Numbered tokens_;
  std::size_t rows_;

  friend class Counts;
};

Occurrences Corpus::first_occurrences(ThreadPool& pool) const {
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
void Corpus::extensions(const Occurrences& shorter, std::int64_t block, Visit visit) const {
  const Level& prefix = levels_.back();
  const Level& words = levels_.front();
  const auto depth = static_cast<int>(levels_.size());
  const std::int64_t least = depth < analysis_.shortest ? 0 : limits_.min_documents;
  const std::int64_t least_word = analysis_.shortest > 1 ? 0 : limits_.min_documents;
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

Occurrences Corpus::longer(const Occurrences& shorter, ThreadPool& pool) const {
  const std::int64_t blocks = blocks_of(shorter.size());
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks) + 1, 0);
  pool.run(blocks, [&](std::int64_t b) {
    extensions(shorter, b, [&](std::int64_t, std::uint32_t, int) { ++first[b + 1]; });
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  if (first.back() > UINT32_MAX) throw std::length_error("more than 2^32 n-grams");
  Occurrences out;
  const auto size = static_cast<std::size_t>(first.back());
  out.node = Ids(size);
  out.last = Ids(size);
  out.text = Ids(size);
  if (analysis_.skip > 0) out.skipped = Raw<std::uint8_t>(size);
  pool.run(blocks, [&](std::int64_t b) {
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

bool Corpus::whole_word(const Occurrences& occurrences, std::int64_t k, int n) const {
  const std::uint32_t last = occurrences.last_of(k);
  const std::uint32_t first = last - static_cast<std::uint32_t>(n - 1);
  return tokens_.ends(last) && (first == 0 || tokens_.ends(first - 1));
}

// Numbers the n-grams of one length, in the order of their tokens, and groups their texts. The
// occurrences learn their numbers if longer n-grams will ask for them.
Level Corpus::level(Occurrences& occurrences, int n, ThreadPool& pool) const {
  Level level;
  const bool numbered = (n > 1 && n < analysis_.longest) || takes_short_words(n);
  const auto carried = numbered ? static_cast<std::uint64_t>(occurrences.size()) : rows_;
  const std::uint64_t prefixes =
      n == 1 ? tokens_.spellings() : static_cast<std::uint64_t>(levels_.back().nodes());
  const int low = bits_for(carried), word = n == 1 ? 0 : bits_for(tokens_.spellings());
  const int bits = word + bits_for(prefixes);
  if (low + bits <= 64) {
    group(occurrences, n, word, bits, numbered, Narrow{low}, level, pool);
  } else {
    group(occurrences, n, word, bits, numbered, Broad{}, level, pool);
  }
  level.documents.assign(static_cast<std::size_t>(level.nodes()), 0);
  pool.ranges(level.nodes(), 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t node = first; node < last; ++node) {
      std::int64_t count = 0;
      for (std::int64_t k = level.start[node]; k < level.start[node + 1]; ++k) {
        count += k == level.start[node] || level.texts[k] != level.texts[k - 1];
      }
      level.documents[node] = count;
    }
  });
  return level;
}

// `word` bits of a number are those of the last token. What is carried through the sorting is the
// occurrence when it must learn its number, else only its text, which spares looking it up.
template <class Pack>
void Corpus::group(Occurrences& occurrences, int n, int word, int bits, bool numbered, Pack pack,
                   Level& level, ThreadPool& pool) const {
  using Word = typename Pack::Word;
  const std::int64_t size = occurrences.size(), blocks = blocks_of(size);
  Raw<Word> words(static_cast<std::size_t>(size)), spare(static_cast<std::size_t>(size));
  pool.ranges(size, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      std::uint64_t number = occurrences.node_of(k);
      if (n > 1) number = number << word | tokens_.token[occurrences.last_of(k)];
      words[k] = pack.make(number, numbered ? static_cast<std::uint64_t>(k) : occurrences.text[k]);
    }
  });
  const Word* const order = radix_sort(
      words.data(), spare.data(), size, pack.low, bits, [](const Word& w) { return Pack::key(w); },
      pool);
  const auto begins = [&](std::int64_t k) {
    return k == 0 || pack.number(order[k]) != pack.number(order[k - 1]);
  };
  const bool all = n >= analysis_.shortest, some = takes_short_words(n);
  const auto counts = [&](std::int64_t k) {
    return all ||
           (some && whole_word(occurrences, static_cast<std::int64_t>(pack.carried(order[k])), n));
  };
  std::vector<std::int64_t> first_node(static_cast<std::size_t>(blocks) + 1, 0),
      first_text = first_node;
  pool.run(blocks, [&](std::int64_t b) {
    for (std::int64_t k = b * kGrain; k < std::min(size, (b + 1) * kGrain); ++k) {
      first_node[b + 1] += begins(k);
      first_text[b + 1] += counts(k);
    }
  });
  std::partial_sum(first_node.begin(), first_node.end(), first_node.begin());
  std::partial_sum(first_text.begin(), first_text.end(), first_text.begin());
  const auto nodes = static_cast<std::size_t>(first_node.back());
  if (nodes > UINT32_MAX - 1) throw std::length_error("more than 2^32 different n-grams");
  level.parent = Ids(n > 1 ? nodes : 0);
  level.token = Ids(nodes);
  level.start.resize(nodes + 1);
  level.texts = Ids(static_cast<std::size_t>(first_text.back()));
  Ids numbers(numbered ? static_cast<std::size_t>(size) : 0);
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t node = first_node[b] - 1, text = first_text[b];
    for (std::int64_t k = b * kGrain; k < std::min(size, (b + 1) * kGrain); ++k) {
      if (begins(k)) {
        const std::uint64_t number = pack.number(order[k]);
        level.start[++node] = text;
        level.token[node] =
            static_cast<std::uint32_t>(n > 1 ? number & ((std::uint64_t{1} << word) - 1) : number);
        if (n > 1) level.parent[node] = static_cast<std::uint32_t>(number >> word);
      }
      const std::uint64_t carried = pack.carried(order[k]);
      if (numbered) numbers[carried] = static_cast<std::uint32_t>(node);
      if (counts(k)) {
        level.texts[text++] =
            numbered ? occurrences.text[carried] : static_cast<std::uint32_t>(carried);
      }
    }
  });
  level.start[nodes] = first_text.back();
  if (numbered && !occurrences.tokens) occurrences.node = std::move(numbers);
}

// Which n-grams are features.
void Corpus::choose() {
  for (Level& level : levels_) {
    level.kept.resize(static_cast<std::size_t>(level.nodes()));
    for (std::int64_t node = 0; node < level.nodes(); ++node) {
      const std::int64_t documents = level.documents[node];
      level.kept[node] =
          documents > 0 && documents >= limits_.min_documents && documents <= limits_.max_documents;
    }
  }
}

// Columns: an n-gram comes before those that begin with it, and they before the next of its length.
void Corpus::place() {
  for (std::size_t depth = levels_.size(); depth-- > 0;) {  // first, how many are at or below each
    Level& level = levels_[depth];
    level.column.resize(static_cast<std::size_t>(level.nodes()));
    for (std::int64_t node = 0; node < level.nodes(); ++node) level.column[node] = level.kept[node];
    if (depth + 1 == levels_.size()) continue;
    const Level& below = levels_[depth + 1];
    for (std::int64_t node = 0; node < below.nodes(); ++node) {
      level.column[below.parent[node]] += below.column[node];
    }
  }
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    Level& level = levels_[depth];
    std::int64_t next = 0;
    for (std::int64_t node = 0; node < level.nodes(); ++node) {
      if (depth > 0 && (node == 0 || level.parent[node] != level.parent[node - 1])) {
        const Level& above = levels_[depth - 1];
        next = above.column[level.parent[node]] + above.kept[level.parent[node]];
      }
      next += std::exchange(level.column[node], next);
    }
    if (depth == 0) features_.resize(static_cast<std::size_t>(next));
  }
  if (static_cast<std::int64_t>(features_.size()) > limits_.max_features)
    return keep_most_frequent();
  if (features_.size() > INT32_MAX) throw std::length_error("more than 2^31 - 1 features");
  for (std::uint32_t depth = 0; depth < levels_.size(); ++depth) {
    const Level& level = levels_[depth];
    for (std::int64_t node = 0; node < level.nodes(); ++node) {
      if (!level.kept[node]) continue;
      const Feature feature{depth, static_cast<std::uint32_t>(node)};
      features_[level.column[node]] = feature;
      stored_ += level.documents[node];
      spelled_ += spelling_length(feature);
    }
  }
}

void Corpus::keep_most_frequent() {
  std::vector<std::pair<std::int64_t, std::int64_t>> rank;  // (-occurrences, column)
  for (const Level& level : levels_) {
    for (std::int64_t node = 0; node < level.nodes(); ++node) {
      if (level.kept[node]) {
        rank.emplace_back(level.start[node] - level.start[node + 1], level.column[node]);
      }
    }
  }
  std::nth_element(rank.begin(), rank.begin() + limits_.max_features, rank.end());
  std::vector<char> wanted(features_.size(), 0);
  for (std::int64_t k = 0; k < limits_.max_features; ++k) wanted[rank[k].second] = 1;
  for (Level& level : levels_) {
    for (std::int64_t node = 0; node < level.nodes(); ++node) {
      if (level.kept[node]) level.kept[node] = wanted[level.column[node]];
    }
  }
  place();
}

std::int64_t Corpus::spelling_length(Feature f) const {
  std::int64_t length = 0;
  for (std::uint32_t node = f.node, depth = f.level;; --depth) {
    const Level& level = levels_[depth];
    length += static_cast<std::int64_t>(tokens_.spelling(level.token[node]).size());
    if (depth == 0) return length;
    length += !analysis_.joined();
    node = level.parent[node];
  }
}

void Corpus::names(char* bytes, std::int64_t* offset, ThreadPool& pool) const {
  const auto columns = static_cast<std::int64_t>(features_.size());
  offset[0] = 0;
  for (std::int64_t j = 0; j < columns; ++j)
    offset[j + 1] = offset[j] + spelling_length(features_[j]);
  pool.ranges(columns, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      char* end = bytes + offset[j + 1];  // written from the last token to the first
      for (std::uint32_t node = features_[j].node, depth = features_[j].level;; --depth) {
        const std::string_view token = tokens_.spelling(levels_[depth].token[node]);
        end = std::copy_backward(token.begin(), token.end(), end);
        if (depth == 0) break;
        if (!analysis_.joined()) *--end = ' ';
        node = levels_[depth].parent[node];
      }
    }
  });
}

// A transposition: the features know their texts, the rows shall know their features. Each block
// of features first counts what it will put into each row, then everyone knows where to write.
void Corpus::matrix(std::int64_t* start, std::int32_t* index, float* value,
                    ThreadPool& pool) const {
  const auto columns = static_cast<std::int64_t>(features_.size());
  const std::int64_t blocks = std::clamp<std::int64_t>(columns, 1, std::min(pool.threads(), 8));
  std::vector<std::int64_t> edge(static_cast<std::size_t>(blocks) + 1, columns);
  edge[0] = 0;
  std::int64_t reached = 0;
  for (std::int64_t j = 0, b = 1; j < columns && b < blocks; ++j) {  // blocks of equal volume
    reached += levels_[features_[j].level].documents[features_[j].node];
    if (reached * blocks >= stored_ * b) edge[b++] = j + 1;
  }
  const auto each = [&](std::int64_t b, auto&& visit) {  // visit(column, text, count)
    for (std::int64_t j = edge[b]; j < edge[b + 1]; ++j) {
      const Level& level = levels_[features_[j].level];
      const std::int64_t last = level.start[features_[j].node + 1];
      for (std::int64_t k = level.start[features_[j].node]; k < last;) {
        const std::uint32_t text = level.texts[k];
        const std::int64_t first = k;
        while (k < last && level.texts[k] == text) ++k;
        visit(j, text, k - first);
      }
    }
  };
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(blocks));
  pool.run(blocks, [&](std::int64_t b) {
    next[b].assign(rows_, 0);
    each(b, [&](std::int64_t, std::uint32_t text, std::int64_t) { ++next[b][text]; });
  });
  start[0] = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::int64_t total = start[row];
    for (auto& places : next) total += std::exchange(places[row], total);
    start[row + 1] = total;
  }
  pool.run(blocks, [&](std::int64_t b) {
    each(b, [&](std::int64_t j, std::uint32_t text, std::int64_t count) {
      const std::int64_t at = next[b][text]++;
      index[at] = static_cast<std::int32_t>(j);
      value[at] = static_cast<float>(count);
    });
  });
}

Counts::Counts(Texts texts, const Analysis& analysis, const Limits& limits, ThreadPool& pool)
    : corpus_(std::make_unique<Corpus>(texts, analysis, limits, pool)) {}
Counts::~Counts() = default;
Counts::Counts(Counts&&) noexcept = default;

std::int64_t Counts::rows() const { return static_cast<std::int64_t>(corpus_->rows_); }
std::int64_t Counts::columns() const {
  return static_cast<std::int64_t>(corpus_->features_.size());
}
std::int64_t Counts::stored() const { return corpus_->stored_; }
std::int64_t Counts::spelled() const { return corpus_->spelled_; }

void Counts::matrix(std::int64_t* start, std::int32_t* index, float* value,
                    ThreadPool& pool) const {
  corpus_->matrix(start, index, value, pool);
}
void Counts::names(char* bytes, std::int64_t* offset, ThreadPool& pool) const {
  corpus_->names(bytes, offset, pool);
}
void Counts::documents(std::int64_t* out) const {
  for (const auto& f : corpus_->features_) *out++ = corpus_->levels_[f.level].documents[f.node];
}

}  // namespace linnet::text
