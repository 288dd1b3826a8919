// Nearest neighbours of sparse vectors through an inverted index (SPEC M-95, M-96).
//
// Given:    N stored vectors y, by rows and by columns (postings); queries x.
// Distance: cosine 1 - x.y / (|x| |y|), 1 when one of them is zero; or Euclid's |x - y|.
// Method:   approximate scores x.y in floats, then exact distances of what may be near.
//             rare columns     their postings, one query after the other
//             common columns   dense tiles of a few hundred rows, which stay in cache while a batch
//                              of queries passes over them
//           Whatever is within rounding error of the nearest is measured again in double precision,
//           so the answer does not depend on batches, and is that of brute force.
#pragma once

#include <cstdint>
#include <vector>

#include "instances.hpp"
#include "parallel.hpp"

namespace linnet::memory {

struct Vectors {
  std::int64_t rows;
  std::int32_t cols;
  const std::int64_t* start;  // [rows + 1]
  const std::int32_t* index;  // ascending within a row
  const double* value;        // [start[rows]]
  const double* norm;         // [rows] |y|
};

struct Postings {
  const std::int64_t* start;  // [cols + 1]
  const std::int32_t* row;    // ascending within a column
  const float* value;         // as stored, or divided by |y| for cosine
};

// Columns that many rows have, as dense tiles: value[rows / kTile][columns][kTile], the last tile
// filled up with zeros.
constexpr std::int64_t kTile = 256;
struct Tiles {
  std::int64_t columns;
  const std::int32_t* slot;  // [cols] among these columns, or -1
  const float* value;
};

// Finds those columns and holds their tiles.
class Common {
 public:
  Common(const Vectors& stored, const Postings& postings);
  Tiles tiles() const { return {columns_, slot_.data(), value_.data()}; }

 private:
  std::int64_t columns_ = 0;
  std::vector<std::int32_t> slot_;
  std::vector<float> value_;
};

struct VectorMemory {
  Vectors stored;
  Postings postings;
  Tiles tiles;
  bool cosine;
  std::int32_t classes;
  const std::int32_t* label;  // [rows]
  const double* frequency;    // [classes]
};

// As classify and nearest_rows of search.hpp.
void classify(const VectorMemory& memory, const Vectors& queries, const Settings& settings,
              std::int32_t* winner, double* votes, ThreadPool& pool);
void nearest_rows(const VectorMemory& memory, const Vectors& queries, std::int64_t k,
                  std::int32_t* row, double* distance, ThreadPool& pool);

}  // namespace linnet::memory
