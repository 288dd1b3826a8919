// Averaged-perceptron taggers: tags from left to right, each after the two before it. Fourteen
// features look at a word, at two words on either side and at the two tags before; whoever calls
// has looked up the rows of weights of all that words and tags alone decide. A row of -1 is none.
#pragma once

#include <cstdint>
#include <vector>

namespace linnet::foreign {

// Rows of weights by two numbers: owner o has the keys key[start[o] .. start[o + 1]), ascending.
struct KeyedRows {
  const std::int64_t* start;
  const std::int32_t* key;
  const std::int32_t* row;

  std::int32_t find(std::int32_t owner, std::int32_t wanted) const;
};

// What is known of a word as it is spelled.
struct GreedyWord {
  std::int32_t suffix, initial;
  std::int32_t sure;  // its tag, -1: it has none in the dictionary
};

// What a word is to its neighbours and itself.
struct GreedyContext {
  std::int32_t here, before, before_suffix, two_before, after, after_suffix, two_after;
};

struct GreedyTagger {
  std::int32_t tags;
  const std::int64_t* start;  // of the weights of a row
  const std::int32_t* label;
  const double* weight;

  // Tags are numbered 0 .. tags - 1; then come what stands before the first word, and before that.
  std::int32_t bias;
  const std::int32_t* last;  // [tags + 2] the row of the tag before
  const std::int32_t* one_before;
  KeyedRows both;  // by the tag before, and the one before that

  const GreedyWord* word;
  const GreedyContext* context;
  KeyedRows tag_and_word;  // by the number of a context, and the tag before

  // Tags n words; contexts has two more entries at both ends. Returns the sum of the scores of the
  // tags that no dictionary has given.
  double run(const std::int32_t* words, const std::int32_t* contexts, std::int64_t n,
             std::vector<double>& scores, std::int32_t* out) const;

 private:
  void add(std::int32_t row, std::vector<double>& scores) const;
};

}  // namespace linnet::foreign
