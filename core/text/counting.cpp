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

using Ids = std::vector<std::uint32_t>;

// One word to sort: the n-gram's number above, the occurrence's below.
struct Wide {
  std::uint64_t key, value;
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

// Where n-grams of one length end in the corpus, in the order of their beginnings.
struct Occurrences {
  Ids node, last, text;
  std::vector<std::uint8_t> skipped;  // empty when nothing is skipped

  std::int64_t size() const { return static_cast<std::int64_t>(last.size()); }
};

}  // namespace

class Corpus {
 public:
  Corpus(Texts texts, const Analysis& analysis, const Limits& limits, ThreadPool& pool)
      : analysis_(analysis), limits_(limits), tokens_(texts, analysis, pool), rows_(texts.size()) {
    Occurrences occurrences = first_occurrences();
    for (int n = 1; n <= analysis.longest; ++n) {
      if (n > 1) occurrences = longer(occurrences);
      levels_.push_back(sorted(occurrences, n, pool));
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
  Occurrences first_occurrences() const;
  Occurrences longer(const Occurrences& shorter) const;
  Level sorted(Occurrences& occurrences, int n, ThreadPool& pool) const;
  template <class Word, class Make, class Key, class Value>
  void group(Occurrences& occurrences, int n, int low, int bits, Level& level, ThreadPool& pool,
             Make make, Key key, Value value) const;
  bool emits(const Occurrences& occurrences, std::int64_t k, int n) const;
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

Occurrences Corpus::first_occurrences() const {
  Occurrences all;
  const std::size_t n = tokens_.token.size();
  all.node = tokens_.token;
  all.last.resize(n);
  std::iota(all.last.begin(), all.last.end(), 0U);
  all.text.resize(n);
  for (std::size_t row = 0; row < rows_; ++row) {
    std::fill(all.text.begin() + tokens_.start[row], all.text.begin() + tokens_.start[row + 1],
              static_cast<std::uint32_t>(row));
  }
  if (analysis_.skip > 0) all.skipped.assign(n, 0);
  return all;
}

// Every occurrence with one token more. What too few texts contain is left behind: nothing that
// begins with it, or that ends with such a token, can be in more. (Lengths that are no features
// themselves do not know how many texts contain them.)
Occurrences Corpus::longer(const Occurrences& shorter) const {
  const Level& prefix = levels_.back();
  const Level& words = levels_.front();
  const auto depth = static_cast<int>(levels_.size());
  const std::int64_t least = depth < analysis_.shortest ? 0 : limits_.min_documents;
  const std::int64_t least_word = analysis_.shortest > 1 ? 0 : limits_.min_documents;
  const bool skips = analysis_.skip > 0;
  Occurrences out;
  out.node.reserve(shorter.node.size());
  out.last.reserve(shorter.node.size());
  out.text.reserve(shorter.node.size());
  for (std::int64_t k = 0; k < shorter.size(); ++k) {
    if (prefix.documents[shorter.node[k]] < least) continue;
    std::uint32_t at = shorter.last[k];
    const int before = skips ? shorter.skipped[k] : 0;
    for (int gap = 0; before + gap <= analysis_.skip && !tokens_.ends(at); ++gap) {
      if (words.documents[tokens_.token[++at]] < least_word) continue;
      out.node.push_back(shorter.node[k]);
      out.last.push_back(at);
      out.text.push_back(shorter.text[k]);
      if (skips) out.skipped.push_back(static_cast<std::uint8_t>(before + gap));
    }
  }
  if (out.last.size() > UINT32_MAX) throw std::length_error("more than 2^32 n-grams");
  return out;
}

// Whether an occurrence counts as a feature: its length does, or it is a whole short word.
bool Corpus::emits(const Occurrences& occurrences, std::int64_t k, int n) const {
  if (n >= analysis_.shortest) return true;
  if (analysis_.tokenizer != Tokenizer::inside) return false;
  const std::uint32_t last = occurrences.last[k], first = last - static_cast<std::uint32_t>(n - 1);
  return tokens_.ends(last) && (first == 0 || tokens_.ends(first - 1));
}

Level Corpus::sorted(Occurrences& occurrences, int n, ThreadPool& pool) const {
  Level level;
  const auto size = static_cast<std::uint64_t>(occurrences.size());
  const int low = bits_for(size);
  const int word = n == 1 ? 0 : bits_for(tokens_.spellings());
  const auto prefixes =
      n == 1 ? tokens_.spellings() : static_cast<std::uint64_t>(levels_.back().nodes());
  const int bits = word + bits_for(prefixes);
  const auto number = [&](std::int64_t k) {
    const std::uint64_t node = occurrences.node[k];
    return n == 1 ? node : node << word | tokens_.token[occurrences.last[k]];
  };
  if (low + bits <= 64) {
    group<std::uint64_t>(
        occurrences, n, low, bits, level, pool,
        [&](std::int64_t k) { return number(k) << low | static_cast<std::uint64_t>(k); },
        [](std::uint64_t w) { return w; },
        [mask = (std::uint64_t{1} << low) - 1](std::uint64_t w) { return w & mask; });
  } else {
    group<Wide>(
        occurrences, n, 0, bits, level, pool,
        [&](std::int64_t k) { return Wide{number(k), static_cast<std::uint64_t>(k)}; },
        [](const Wide& w) { return w.key; }, [](const Wide& w) { return w.value; });
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

// Sorts the occurrences, numbers their n-grams and groups their texts.
template <class Word, class Make, class Key, class Value>
void Corpus::group(Occurrences& occurrences, int n, int low, int bits, Level& level,
                   ThreadPool& pool, Make make, Key key, Value value) const {
  const std::int64_t size = occurrences.size();
  const std::int64_t grain = 1 << 16;
  const std::int64_t blocks = (size + grain - 1) / grain;
  std::unique_ptr<Word[]> words(new Word[static_cast<std::size_t>(size)]);
  std::unique_ptr<Word[]> spare(new Word[static_cast<std::size_t>(size)]);
  pool.ranges(size, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) words[k] = make(k);
  });
  const Word* const order = radix_sort(words.get(), spare.get(), size, low, bits, key, pool);
  const auto begins = [&](std::int64_t k) {
    return k == 0 || key(order[k]) >> low != key(order[k - 1]) >> low;
  };
  // At level 1 every token is a node, whether it emits or not; above, new n-grams are.
  std::vector<std::int64_t> first_node(static_cast<std::size_t>(blocks) + 1, 0);
  std::vector<std::int64_t> first_text(static_cast<std::size_t>(blocks) + 1, 0);
  const bool all = n >= analysis_.shortest;
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t nodes = 0, emitted = 0;
    for (std::int64_t k = b * grain; k < std::min(size, (b + 1) * grain); ++k) {
      nodes += begins(k);
      emitted += all || emits(occurrences, static_cast<std::int64_t>(value(order[k])), n);
    }
    first_node[b + 1] = nodes;
    first_text[b + 1] = emitted;
  });
  std::partial_sum(first_node.begin(), first_node.end(), first_node.begin());
  std::partial_sum(first_text.begin(), first_text.end(), first_text.begin());
  const auto nodes = static_cast<std::size_t>(first_node.back());
  if (nodes > UINT32_MAX - 1) throw std::length_error("more than 2^32 different n-grams");
  level.parent.resize(n > 1 ? nodes : 0);
  level.token.resize(nodes);
  level.start.resize(nodes + 1);
  level.texts.resize(static_cast<std::size_t>(first_text.back()));
  Ids number(static_cast<std::size_t>(size));
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t node = first_node[b] - 1, text = first_text[b];
    for (std::int64_t k = b * grain; k < std::min(size, (b + 1) * grain); ++k) {
      const auto occurrence = static_cast<std::int64_t>(value(order[k]));
      if (begins(k)) {
        level.start[++node] = text;
        level.token[node] = tokens_.token[occurrences.last[occurrence]];
        if (n > 1) level.parent[node] = occurrences.node[occurrence];
      }
      number[occurrence] = static_cast<std::uint32_t>(node);
      if (all || emits(occurrences, occurrence, n))
        level.texts[text++] = occurrences.text[occurrence];
    }
  });
  level.start[nodes] = first_text.back();
  occurrences.node.swap(number);
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
