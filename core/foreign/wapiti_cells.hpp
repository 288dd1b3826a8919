// The cells of tokens, each different text once and by its number, and what Wapiti's patterns make
// of them. Texts repeat, so an observation is made and looked up once for the cells it depends on
// and remembered: for one cell by its number, for two or three in a small table where the last one
// stays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.hpp"
#include "wapiti_patterns.hpp"

namespace linnet::foreign {

class WapitiCells {
 public:
  explicit WapitiCells(std::size_t columns);

  void add(std::string_view cell);  // token by token, `columns` of each
  void end_sentence();

  std::size_t columns() const { return columns_; }
  std::int64_t sentences() const { return std::ssize(sentence_) - 1; }
  std::int64_t tokens() const { return sentence_.back(); }
  const std::vector<std::int64_t>& sentence() const { return sentence_; }

  // The cells of a sentence, [tokens][columns].
  const std::int32_t* cells_of(std::int64_t sentence) const {
    const auto first = static_cast<std::size_t>(sentence_[static_cast<std::size_t>(sentence)]);
    return cell_.data() + first * columns_;
  }

  // The number of what stands outside of a sentence, at < 0 or beyond its size.
  static std::int32_t outside(std::int64_t at, std::int64_t size);

  // The number of a cell of token `at` of a sentence; outside of it of what stands there.
  std::int32_t number(std::int64_t sentence, std::int64_t at, std::size_t column) const;
  std::string_view text(std::int32_t number) const {
    const auto k = static_cast<std::size_t>(number);
    return {bytes_.data() + offset_[k], offset_[k + 1] - offset_[k]};
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int32_t number = -1;  // -1: free
  };

  std::int32_t intern(std::string_view text);
  void grow();

  std::size_t columns_;
  std::string bytes_;
  std::vector<std::size_t> offset_{0};
  std::vector<Slot> slot_;
  std::vector<std::int32_t> cell_;  // [tokens][columns]
  std::vector<std::int64_t> sentence_{0};
};

class WapitiObserver {
 public:
  WapitiObserver(const std::vector<WapitiPattern>& patterns, const AttributeTable& names,
                 const WapitiCells& cells);

  // Appends the numbers of the observations of a token that have one, in the order of the patterns.
  void observe(std::int64_t sentence, std::int64_t token, std::vector<std::int32_t>& out);

 private:
  struct Several {
    std::uint64_t cells = ~std::uint64_t{0};
    std::int32_t number = -1;
  };
  struct Memory {
    // The only command, if it counts from the token; `column` is -1 for other patterns.
    std::int64_t offset = 0, column = -1;
    std::vector<std::int32_t> one;  // by the number of the cell
    std::vector<Several> several;   // by the numbers of two or three cells
  };

  std::int32_t by_one(Memory& memory, const WapitiPattern& pattern, std::int32_t cell,
                      std::int64_t sentence, std::int64_t token);
  std::int32_t by_several(Memory& memory, const WapitiPattern& pattern, std::int64_t sentence,
                          std::int64_t token);
  std::int32_t look_up(const WapitiPattern& pattern, std::int64_t sentence, std::int64_t token);

  const std::vector<WapitiPattern>& patterns_;
  const AttributeTable& names_;
  const WapitiCells& cells_;
  std::vector<Memory> memory_;
  std::string observation_;
};

}  // namespace linnet::foreign
