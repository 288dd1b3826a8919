// The features of the tokens of a tagger: learned from a corpus, then looked up.
//
// Given tokens in sentences and templates. Learning returns the names of all features that at least
// `min_count` tokens have, in the order of their bytes, and their fingerprints; looking up returns
// for each token the columns of its features, ascending, each once. Neither depends on the number
// of threads. A feature is identified by its name: counting compares names whenever fingerprints
// agree but the values behind them do not, and says so when two names have one fingerprint.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "../parallel.hpp"
#include "table.hpp"
#include "token_reader.hpp"
#include "token_templates.hpp"

namespace linnet::text {

class TokenCounts {
 public:
  TokenCounts(const Tokens& tokens, const Templates& templates, std::int64_t min_count,
              ThreadPool& pool);

  bool collided() const { return collided_; }  // then another seed is needed
  std::int64_t columns() const { return static_cast<std::int64_t>(kept_.size()); }
  std::int64_t spelled() const { return spelled_; }  // bytes of all names
  // bytes[spelled], offset[columns + 1], print[columns], count[columns]
  void write(char* bytes, std::int64_t* offset, std::uint64_t* print, std::int64_t* count) const;

 private:
  struct Kept {
    std::string_view name;
    std::uint64_t print;
    std::int64_t count;
  };

  std::vector<std::string> names_;  // what the names view
  std::vector<Kept> kept_;
  std::int64_t spelled_ = 0;
  bool collided_ = false;
};

// Taken apart in the constructor, written later into arrays whose size is then known.
class TokenRows {
 public:
  TokenRows(const Tokens& tokens, const Templates& templates, const Table& table, ThreadPool& pool);
  std::int64_t tokens() const;
  std::int64_t stored() const;
  // start[tokens + 1], index[stored]
  void matrix(std::int64_t* start, std::int32_t* index, ThreadPool& pool) const;

 private:
  struct Block {
    std::vector<std::int32_t> size;  // of each row
    std::vector<std::int32_t> index;
  };
  std::vector<Block> blocks_;
};

}  // namespace linnet::text
