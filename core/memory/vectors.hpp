// Nearest neighbours of sparse vectors through an inverted index (SPEC M-95, M-96).
//
// Given:    N stored vectors y, by rows and by columns (postings); queries x.
// Distance: cosine 1 - x.y / (|x| |y|), 1 when one of them is zero; or Euclid's |x - y|.
// Method:   sixteen queries at once. The stored rows are cut into blocks whose scores, sixteen
//           floats a row, stay in cache; a posting of a word that several queries have is read
//           once and serves all of them in one vector operation. Whatever is within rounding error
//           of the nearest is then measured again in double precision, so the answer is exact.
#pragma once

#include <cstdint>

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

struct VectorMemory {
  Vectors stored;
  Postings postings;
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
