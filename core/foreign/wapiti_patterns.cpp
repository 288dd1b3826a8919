#include "wapiti_patterns.hpp"

#include <algorithm>
#include <stdexcept>

#include "wapiti_cells.hpp"

namespace linnet::foreign {
namespace {

constexpr std::int64_t kTries = 200000;  // of one expression on one token

inline char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// One search: the count goes along.
class Search {
 public:
  Search(const WapitiExpression& expression, std::string_view text)
      : atoms_(expression.atoms), last_(expression.last), text_(text) {}

  std::int64_t counted = 0;

  bool matches(std::size_t atom, std::size_t at) {
    if (++tries_ > kTries) {
      throw std::invalid_argument("An expression of the model's patterns takes too long on '" +
                                  std::string(text_.substr(0, 40)) + "'.");
    }
    if (atom == atoms_.size()) return !last_ || at == text_.size();
    const WapitiAtom& here = atoms_[atom];
    if (here.often == '*') return as_little_as_possible(here, atom + 1, at);
    const bool fits = accepts(here, at);
    if (here.often == '?') {
      if (fits) {
        ++counted;
        if (matches(atom + 1, at + 1)) return true;
        --counted;
      }
      return matches(atom + 1, at);
    }
    ++counted;
    return fits && matches(atom + 1, at + 1);
  }

 private:
  bool accepts(const WapitiAtom& atom, std::size_t at) const {
    return at < text_.size() && atom.bytes[static_cast<unsigned char>(text_[at])];
  }

  bool as_little_as_possible(const WapitiAtom& atom, std::size_t next, std::size_t at) {
    for (;; ++at) {
      const std::int64_t before = counted;
      if (matches(next, at)) return true;
      counted = before + 1;
      if (!accepts(atom, at)) return false;
    }
  }

  const std::vector<WapitiAtom>& atoms_;
  const bool last_;
  const std::string_view text_;
  std::int64_t tries_ = 0;
};

}  // namespace

WapitiExpression::Match WapitiExpression::search(std::string_view text) const {
  Search search(*this, text);
  for (std::size_t at = 0; at <= (first ? 0 : text.size()); ++at) {
    search.counted = 0;
    if (search.matches(0, at)) return {static_cast<std::int64_t>(at), search.counted};
  }
  return {-1, 0};
}

WapitiPattern::WapitiPattern(std::vector<WapitiPart> parts) : parts_(std::move(parts)) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].kind != ' ') commands_.push_back(k);
  }
}

std::size_t WapitiPattern::columns() const {
  std::size_t most = 0;
  for (const std::size_t k : commands_) most = std::max(most, parts_[k].column + 1);
  return most;
}

std::int32_t WapitiPattern::cell(const WapitiPart& command, const WapitiCells& cells,
                                 std::int64_t sentence, std::int64_t token) const {
  std::int64_t at = token + command.offset;
  if (command.absolute) {
    const auto s = static_cast<std::size_t>(sentence);
    const std::int64_t size = cells.sentence()[s + 1] - cells.sentence()[s];
    at = command.offset < 0 ? command.offset + size : command.offset - 1;
  }
  return cells.number(sentence, at, command.column);
}

void WapitiPattern::write(const WapitiCells& cells, std::int64_t sentence, std::int64_t token,
                          std::string& out) const {
  out.clear();
  for (const WapitiPart& part : parts_) {
    if (part.kind == ' ') {
      out.append(part.literal);
      continue;
    }
    std::string_view text = cells.text(cell(part, cells, sentence, token));
    bool ends = false;
    if (part.kind != 'x') {
      const auto [begin, counted] = part.expression.search(text);
      if (part.kind == 't') {
        text = begin < 0 ? "false" : "true";
      } else if (begin < 0) {
        text = {};
      } else {
        ends = begin + counted > std::ssize(text);  // more than there is: Wapiti's text ends there
        text = text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(counted));
      }
    }
    const std::size_t before = out.size();
    out.append(text);
    if (part.lower) std::transform(out.begin() + before, out.end(), out.begin() + before, lowered);
    if (ends) return;
  }
}

}  // namespace linnet::foreign
