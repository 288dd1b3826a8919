// Which stored vectors may be among the nearest of a query: scores in floats (SPEC M-95).
//
//   score(x, y) = x.y / (|x| |y|) for cosine, x.y - |y|^2 / 2 for Euclid; large is near.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "vectors.hpp"

namespace linnet::memory {

// The best rows of one query so far, by approximate score: all within `margin` of the best
// `wanted`.
class Best {
 public:
  void start(std::int64_t wanted, float margin) {
    wanted_ = static_cast<std::size_t>(wanted);
    margin_ = margin;
    found_.clear();
    bound_ = -std::numeric_limits<float>::infinity();
  }
  float bound() const { return bound_; }
  void add(float score, std::int32_t row) {
    found_.emplace_back(score, row);
    if (found_.size() >= 2 * wanted_ + 64) shrink();
  }
  void shrink();
  const std::vector<std::pair<float, std::int32_t>>& found() const { return found_; }

 private:
  std::size_t wanted_ = 0;
  float margin_ = 0.0f, bound_ = 0.0f;
  std::vector<std::pair<float, std::int32_t>> found_;
};

class Scorer {
 public:
  Scorer(const VectorMemory& memory, std::int64_t batch);

  // The rows that may be among the `wanted` nearest of queries first .. last - 1, at most `batch`.
  const std::vector<Best>& find(const Vectors& asked, std::int64_t first, std::int64_t last,
                                std::int64_t wanted, ThreadPool& pool);

 private:
  // What one query asks of the index.
  struct Query {
    struct Column {
      std::int64_t at, end;  // postings not yet read
      float weight;
    };
    std::vector<Column> rare;
    std::vector<std::int64_t> offset;  // of the common columns within a tile
    std::vector<float> weight;         // of the common columns
  };

  void read_columns(const Vectors& asked, std::int64_t q, Query& query) const;
  void add_rare(std::int64_t base, std::int64_t n, Query& query, float* score) const;
  void fetch_tile(std::int64_t row, std::int64_t lane, std::int64_t lanes) const;
  void add_common(std::int64_t base, std::int64_t n, const Query& query, float* score,
                  Best& best) const;

  const VectorMemory& memory_;
  std::int64_t span_;
  std::vector<float> scores_;  // [batch][span]
  std::vector<Query> queries_;
  std::vector<Best> best_;
  double longest_ = 0.0;
};

}  // namespace linnet::memory
