// Counting the n-grams of a corpus: from texts to a vocabulary and a matrix of counts.
//
// Given texts d_1 .. d_M and what to look at in them. Returned: the distinct n-grams that at least
// `min_documents` and at most `max_documents` texts contain, in the order of their tokens (for
// tokens without characters below the space that is the order of their spellings), and
// count[i][j], how often n-gram j occurs in text i.
//
// No n-gram is ever spelled or hashed to count it (grams.hpp says how), nothing depends on the
// number of threads, and the rows of the matrix come out sorted.
#pragma once

#include <cstdint>
#include <memory>

#include "../parallel.hpp"
#include "analysis.hpp"
#include "blocks.hpp"

namespace linnet::text {

struct Limits {
  std::int64_t min_documents = 1;
  std::int64_t max_documents = INT64_MAX;
  std::int64_t max_features = INT64_MAX;  // those that occur most often; on ties the first
};

class Corpus;  // what counting leaves behind until the results are taken

class Counts {
 public:
  Counts(Texts texts, const Analysis& analysis, const Limits& limits, ThreadPool& pool);
  ~Counts();
  Counts(Counts&&) noexcept;

  std::int64_t rows() const;
  std::int64_t columns() const;  // J, features kept
  std::int64_t stored() const;   // entries of the matrix
  std::int64_t spelled() const;  // bytes of all feature names

  // start[rows + 1], index[stored], value[stored]: the matrix in CSR.
  void matrix(std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) const;
  // bytes[spelled], offset[columns + 1]: the names; documents[columns]: texts that have them.
  void names(char* bytes, std::int64_t* offset, ThreadPool& pool) const;
  void documents(std::int64_t* out) const;

 private:
  std::unique_ptr<Corpus> corpus_;
};

}  // namespace linnet::text
