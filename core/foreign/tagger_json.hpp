// An averaged-perceptron tagger as JSON,
//
//   {"weights": {feature: {tag: number}}, "tagdict": {word: tag}, "classes": [tag, ...]},
//
// tens of thousands of texts and numbers of which no Python objects need be made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linnet::foreign {

// The weights of features: those of feature i, whose name is names[offset[i] .. offset[i + 1]), are
// pair[start[i] .. start[i + 1]), by ascending tags.
struct TagWeights {
  std::string names;
  std::vector<std::int64_t> offset{0}, start{0};
  std::vector<std::pair<std::int32_t, double>> pair;
};

struct TaggerJson {
  TagWeights weights;
  std::string words;  // of the dictionary, one after the other
  std::vector<std::int64_t> word_offset{0};
  std::vector<std::int32_t> word_tag;
  std::vector<std::string> tags;  // each once, in the order of their characters
};

// The tagger of a file. Nothing for what Python's reader of JSON would refuse, for other parts than
// these three, whole numbers, weights from 1e100 on, words without a tag, tags that are none of the
// classes, tags or classes that are there twice, and texts that no UTF-8 can hold. That a feature
// or a word is there twice is not seen here.
std::optional<TaggerJson> tagger_json(std::string_view file);

}  // namespace linnet::foreign
