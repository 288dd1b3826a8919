// The dictionary {text: column} of a vectoriser as it lies in a Python pickle: hundreds of
// thousands of texts and whole numbers, of which no Python objects need be made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::foreign {

struct PickledWords {
  struct Word {
    std::size_t begin;  // in the pickle
    std::uint32_t size;
    std::int32_t column;
  };

  std::vector<Word> words;
  bool remembered = false;  // whether each text is put in the next place of the memory
  std::size_t end = 0;      // behind the last instruction that fills the dictionary
};

// Reads the instructions at `at` that fill an empty dictionary in batches, as pickle does with more
// than a thousand items, while the next place of the memory is `place`. Nothing if they do anything
// else, or if a text is no UTF-8.
std::optional<PickledWords> pickled_words(std::string_view pickle, std::size_t at,
                                          std::size_t place);

// The texts in the order of their columns, all in one, and where each begins, offset [words + 1];
// nothing if the columns are not 0, 1, 2, ...
std::optional<std::string> by_column(std::string_view pickle, const PickledWords& words,
                                     std::int64_t* offset);

}  // namespace linnet::foreign
