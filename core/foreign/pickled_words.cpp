#include "pickled_words.hpp"

#include "../text/fingerprint.hpp"
#include "../text/unicode.hpp"

namespace linnet::foreign {
namespace {

constexpr std::size_t kBatch = 1000;  // items that pickle puts into a dictionary at once

// A walk over instructions; every step is false at the end of the pickle and where another is.
class Walk {
 public:
  Walk(std::string_view pickle, std::size_t at, std::size_t place)
      : pickle_(pickle), place_(place) {
    made_.end = at;
  }

  bool run() {
    if (!batch() || made_.words.size() != kBatch) return false;
    while (peek() == '(') {
      if (!batch()) return false;
    }
    const std::size_t end = made_.end;
    const std::size_t words = made_.words.size();
    if (!item() || !next('s')) {  // a last one may come alone
      made_.end = end;
      made_.words.resize(words);
    }
    return true;
  }

  PickledWords& made() { return made_; }

 private:
  // The next instruction, behind what only says how large a part of the pickle is; 0 at its end.
  char peek() {
    while (made_.end < pickle_.size() && pickle_[made_.end] == '\x95') {
      if (pickle_.size() - made_.end < 9) return 0;
      made_.end += 9;
    }
    return made_.end < pickle_.size() ? pickle_[made_.end] : '\0';
  }

  bool next(char code) {
    if (peek() != code) return false;
    ++made_.end;
    return true;
  }

  template <class T>
  bool number(std::uint32_t& out) {
    if (pickle_.size() - made_.end < sizeof(T)) return false;
    out = text::load<T>(pickle_.data() + made_.end);
    made_.end += sizeof(T);
    return true;
  }

  bool batch() {
    if (!next('(')) return false;
    while (peek() != 'u') {
      if (!item()) return false;
    }
    return next('u');
  }

  bool item() {
    std::uint32_t size = 0, column = 0;
    const bool is_text =
        next('\x8c') ? number<std::uint8_t>(size) : next('X') && number<std::uint32_t>(size);
    if (!is_text || size > pickle_.size() - made_.end) return false;
    const std::size_t begin = made_.end;
    made_.end += size;
    if (text::invalid_at(pickle_.substr(begin, size)) < size) return false;
    const bool put = remembered();
    if (made_.words.empty()) made_.remembered = put;
    const bool is_column = next('K')   ? number<std::uint8_t>(column)
                           : next('M') ? number<std::uint16_t>(column)
                                       : next('J') && number<std::uint32_t>(column);
    if (put != made_.remembered || !is_column || column > INT32_MAX) return false;
    made_.words.push_back({begin, size, static_cast<std::int32_t>(column)});
    return true;
  }

  // Whether the text is put in the memory, in its next place.
  bool remembered() {
    const std::size_t here = made_.end;
    std::uint32_t place = 0;
    if (next('\x94')) return true;
    const bool named =
        next('q') ? number<std::uint8_t>(place) : next('r') && number<std::uint32_t>(place);
    if (named && place == place_ + made_.words.size()) return true;
    made_.end = here;
    return false;
  }

  const std::string_view pickle_;
  const std::size_t place_;
  PickledWords made_;
};

}  // namespace

std::optional<PickledWords> pickled_words(std::string_view pickle, std::size_t at,
                                          std::size_t place) {
  Walk walk(pickle, at, place);
  if (!walk.run()) return std::nullopt;
  return std::move(walk.made());
}

std::optional<std::string> by_column(std::string_view pickle, const PickledWords& words,
                                     std::int64_t* offset) {
  const std::size_t n = words.words.size();
  std::vector<const PickledWords::Word*> of(n);
  for (const PickledWords::Word& word : words.words) {
    const auto column = static_cast<std::size_t>(word.column);
    if (column >= n || of[column] != nullptr) return std::nullopt;
    of[column] = &word;
  }
  offset[0] = 0;
  for (std::size_t j = 0; j < n; ++j) offset[j + 1] = offset[j] + of[j]->size;
  std::string all;
  all.reserve(static_cast<std::size_t>(offset[n]));
  for (const PickledWords::Word* const word : of) all.append(pickle, word->begin, word->size);
  return all;
}

}  // namespace linnet::foreign
