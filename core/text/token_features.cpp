#include "token_features.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace linnet::text {
namespace {

// Looks the features of one token up: each step asks for the memory that the next one needs. Most
// features are frequent ones, which are found in a small table of those that were met last.
class Lookup {
 public:
  explicit Lookup(const Table& table) : table_(table), recent_(kRecent) {}

  // The columns, ascending, each once.
  const std::vector<std::int32_t>& operator()(const std::vector<TokenReader::Feature>& features) {
    const std::size_t n = features.size();
    columns_.resize(n);
    missing_.clear();
    for (std::size_t k = 0; k < n; ++k) {
      const Recent& met = recent_[features[k].print % kRecent];
      columns_[k] = met.column;
      if (met.print == features[k].print && met.column != kUnknown) continue;
      table_.prefetch(features[k].print);
      missing_.push_back(k);
    }
    for (const std::size_t k : missing_) columns_[k] = table_.candidate(features[k].print);
    for (const std::size_t k : missing_) {
      const std::uint64_t print = features[k].print;
      columns_[k] = table_.confirm(print, columns_[k]);
      recent_[print % kRecent] = {print, columns_[k]};
    }
    std::erase(columns_, kAbsent);
    // Templates are in the order of their names, so most rows are in order.
    if (!std::is_sorted(columns_.begin(), columns_.end())) {
      std::sort(columns_.begin(), columns_.end());
    }
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    return columns_;
  }

 private:
  static constexpr std::int32_t kAbsent = -1, kUnknown = -2;
  static constexpr std::size_t kRecent = 8192;
  struct Recent {
    std::uint64_t print = 0;
    std::int32_t column = kUnknown;
  };

  const Table& table_;
  std::vector<Recent> recent_;
  std::vector<std::size_t> missing_;
  std::vector<std::int32_t> columns_;
};

}  // namespace

TokenRows::TokenRows(const Tokens& tokens, const Templates& templates, const Table& table,
                     ThreadPool& pool) {
  const std::int64_t blocks = token_blocks(tokens);
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<TokenReader> readers(static_cast<std::size_t>(lanes), TokenReader(templates, tokens));
  std::vector<Lookup> lookups(static_cast<std::size_t>(lanes), Lookup(table));
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    readers[lane].refresh();
    readers[lane].read(b, [&](std::int64_t, const std::vector<TokenReader::Feature>& features) {
      const auto& columns = lookups[lane](features);
      block.size.push_back(static_cast<std::int32_t>(columns.size()));
      block.index.insert(block.index.end(), columns.begin(), columns.end());
    });
  });
}

std::int64_t TokenRows::stored() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.index.size());
  return total;
}

void TokenRows::matrix(std::int64_t* start, std::int32_t* index, ThreadPool& pool) const {
  std::int64_t* row = start;
  *row = 0;
  for (const Block& block : blocks_) {
    for (const std::int32_t size : block.size) {
      row[1] = row[0] + size;
      ++row;
    }
  }
  pool.run(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t b) {
    std::copy(blocks_[b].index.begin(), blocks_[b].index.end(), index + start[b * kTokenBlock]);
  });
}

}  // namespace linnet::text
