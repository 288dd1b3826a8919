#include "counting.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grams.hpp"

namespace linnet::text {

class Corpus {
 public:
  Corpus(Texts texts, const Analysis& analysis, const Limits& limits, ThreadPool& pool)
      : joined_(analysis.joined()),
        limits_(limits),
        rows_(texts.size()),
        grams_(texts, analysis, limits.min_documents, pool),
        levels_(grams_.levels) {
    choose();
    place();
  }

  void matrix(std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) const;
  void names(char* bytes, std::int64_t* offset, ThreadPool& pool) const;

  struct Feature {
    std::uint32_t level, node;
  };

 private:
  friend class Counts;
  void choose();
  void keep_most_frequent();
  void place();
  std::int64_t spelling_length(Feature f) const;

  const bool joined_;
  const Limits limits_;
  const std::size_t rows_;
  Grams grams_;
  std::vector<Level>& levels_;
  LargeVector<Feature> features_;  // [columns] in order
  std::int64_t stored_ = 0, spelled_ = 0;
};

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
    length += static_cast<std::int64_t>(grams_.spelling(level.token[node]).size());
    if (depth == 0) return length;
    length += !joined_;
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
        const std::string_view token = grams_.spelling(levels_[depth].token[node]);
        end = std::copy_backward(token.begin(), token.end(), end);
        if (depth == 0) break;
        if (!joined_) *--end = ' ';
        node = levels_[depth].parent[node];
      }
    }
  });
}

// A transposition: the features know their texts, the rows shall know their features. Each block
// of features first counts what it will put into each row, then everyone knows where to write.
//
// What is exploited: most counts are 1. They are there already, in order, and rows are written to
// all over memory for their columns alone.
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
    std::fill(value + b * stored_ / blocks, value + (b + 1) * stored_ / blocks, 1.0F);
  });
  start[0] = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::int64_t total = start[row];
    for (auto& places : next) total += std::exchange(places[row], total);
    start[row + 1] = total;
  }
  pool.run(blocks, [&](std::int64_t b) {
    std::int64_t* const places = next[b].data();
    each(b, [&](std::int64_t j, std::uint32_t text, std::int64_t count) {
      const std::int64_t at = places[text]++;
      index[at] = static_cast<std::int32_t>(j);
      if (count > 1) value[at] = static_cast<float>(count);
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
