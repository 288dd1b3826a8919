#include "token_features.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace linnet::text {
namespace {

// Looks the features of one token up: each step asks for the memory that the next one needs. Most
// features were met before. Those of one part are remembered by the number of their value, of the
// others the last ones are, by key or by fingerprint.
class Lookup {
 public:
  Lookup(const Table& table, std::size_t templates)
      : table_(table), column_of_(templates), keyed_(kRecent), printed_(kRecent) {}

  // The columns, ascending, each once.
  const std::vector<std::int32_t>& operator()(const TokenReader& reader, std::int64_t token,
                                              const std::vector<TokenReader::Feature>& features) {
    const std::size_t n = features.size();
    columns_.resize(n);
    missing_.clear();
    for (std::size_t k = 0; k < n; ++k) {
      const TokenReader::Feature& feature = features[k];
      const bool one = reader.has_value(feature), key = reader.has_key(feature);
      columns_[k] = one ? known(reader, feature) : recent(key ? keyed_ : printed_, feature.print);
      if (columns_[k] != kUnknown) continue;
      const std::uint64_t print = one   ? reader.print(feature)
                                  : key ? reader.print(feature, token)
                                        : feature.print;
      table_.prefetch(print);
      missing_.push_back({k, print});
    }
    for (const Missing& m : missing_) columns_[m.at] = table_.candidate(m.print);
    for (const Missing& m : missing_) {
      const TokenReader::Feature& feature = features[m.at];
      const std::int32_t column = columns_[m.at] = table_.confirm(m.print, columns_[m.at]);
      if (reader.has_value(feature)) {
        column_of_[feature.source][feature.value] = column;
      } else {
        auto& latest = reader.has_key(feature) ? keyed_ : printed_;
        latest[place(feature.print)] = {feature.print, column};
      }
    }
    std::erase(columns_, kAbsent);
    // Templates are in the order of their names, so most rows are in order.
    if (!std::is_sorted(columns_.begin(), columns_.end())) {
      std::sort(columns_.begin(), columns_.end());
    }
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    return columns_;
  }

  // The numbers of values have lost their meaning.
  void forget() {
    for (auto& columns : column_of_) columns.clear();
    std::fill(keyed_.begin(), keyed_.end(), Recent());
  }

 private:
  static constexpr std::int32_t kAbsent = -1, kUnknown = -2;
  static constexpr int kRecentBits = 14;
  static constexpr std::size_t kRecent = std::size_t{1} << kRecentBits;
  struct Recent {
    std::uint64_t print = 0;
    std::int32_t column = kUnknown;
  };
  struct Missing {
    std::size_t at;
    std::uint64_t print;
  };

  std::int32_t known(const TokenReader& reader, const TokenReader::Feature& feature) {
    auto& columns = column_of_[feature.source];
    if (feature.value >= columns.size()) columns.resize(reader.values(), kUnknown);
    return columns[feature.value];
  }
  static std::size_t place(std::uint64_t print) {
    return print * UINT64_C(0x9E3779B97F4A7C15) >> (64 - kRecentBits);
  }
  static std::int32_t recent(const std::vector<Recent>& latest, std::uint64_t print) {
    const Recent& met = latest[place(print)];
    return met.print == print ? met.column : kUnknown;
  }

  const Table& table_;
  std::vector<std::vector<std::int32_t>> column_of_;  // [templates][values]
  std::vector<Recent> keyed_, printed_;
  std::vector<Missing> missing_;
  std::vector<std::int32_t> columns_;
};

}  // namespace

TokenRows::TokenRows(const Tokens& tokens, const Templates& templates, const Table& table,
                     ThreadPool& pool) {
  const std::int64_t blocks = token_blocks(tokens);
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<TokenReader> readers(static_cast<std::size_t>(lanes), TokenReader(templates, tokens));
  std::vector<Lookup> lookups(static_cast<std::size_t>(lanes),
                              Lookup(table, templates.ready().size()));
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    TokenReader& reader = readers[lane];
    if (reader.refresh()) lookups[lane].forget();
    reader.read<true>(b,
                      [&](std::int64_t token, const std::vector<TokenReader::Feature>& features) {
                        const auto& columns = lookups[lane](reader, token, features);
                        block.size.push_back(static_cast<std::int32_t>(columns.size()));
                        block.index.insert(block.index.end(), columns.begin(), columns.end());
                      });
  });
}

std::int64_t TokenRows::tokens() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.size.size());
  return total;
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
