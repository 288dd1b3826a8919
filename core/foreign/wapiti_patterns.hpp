// Wapiti's patterns, run: from the cells of tokens to the bytes of observations. A pattern is text
// with commands; a command takes a cell nearby (x), whether an expression matches it (t), or what
// it matches (m). Expressions count what they have matched on the way as Wapiti does: `*` takes as
// little as it can, and what was tried in vain behind a `?` stays counted.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::foreign {

struct WapitiAtom {
  std::bitset<256> bytes;
  char often;  // '1', '*' or '?'
};

struct WapitiExpression {
  std::vector<WapitiAtom> atoms;
  bool first, last;  // it must match at the beginning, and up to the end

  // Where the leftmost match begins, and how many bytes were counted; begin -1: there is none.
  // Throws std::invalid_argument when the search takes too long.
  struct Match {
    std::int64_t begin, counted;
  };
  Match search(std::string_view text) const;
};

struct WapitiPart {
  std::string literal;
  char kind = ' ';  // 'x', 't' or 'm'; ' ' is the literal
  bool lower = false, absolute = false;
  std::int64_t offset = 0;
  std::size_t column = 0;
  WapitiExpression expression{};
};

class WapitiCells;

class WapitiPattern {
 public:
  explicit WapitiPattern(std::vector<WapitiPart> parts);

  // Writes the observation at a token of a sentence.
  void write(const WapitiCells& cells, std::int64_t sentence, std::int64_t token,
             std::string& out) const;

  // The number of the cell that its k-th command looks at.
  std::int32_t cell(std::size_t k, const WapitiCells& cells, std::int64_t sentence,
                    std::int64_t token) const {
    return cell(parts_[commands_[k]], cells, sentence, token);
  }

  const WapitiPart& command(std::size_t k) const { return parts_[commands_[k]]; }
  std::size_t commands() const { return commands_.size(); }
  std::size_t columns() const;

 private:
  std::int32_t cell(const WapitiPart& command, const WapitiCells& cells, std::int64_t sentence,
                    std::int64_t token) const;

  std::vector<WapitiPart> parts_;
  std::vector<std::size_t> commands_;  // which parts are commands
};

}  // namespace linnet::foreign
