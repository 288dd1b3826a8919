// Reads tokens in sentences and tells the features of each, by fingerprint.
//
// Every different cell of a column is looked at once: its transforms are spelled, numbered and
// hashed. A feature is then a template and the numbers of its values; its fingerprint follows from
// their hashes, and its name is spelled only when it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "numbering.hpp"
#include "token_templates.hpp"

namespace linnet::text {

// The cells of N tokens; sentence s has the tokens sentence[s] .. sentence[s + 1] - 1.
struct Tokens {
  std::vector<Texts> columns;    // [columns][N]
  const std::int64_t* sentence;  // [sentences + 1]
  std::int64_t sentences;

  std::int64_t size() const { return sentence[sentences]; }
};

// Work is cut into blocks of so many tokens, wherever sentences end.
inline constexpr std::int64_t kTokenBlock = 2048;
inline std::int64_t token_blocks(const Tokens& tokens) {
  return (tokens.size() + kTokenBlock - 1) / kTokenBlock;
}

class TokenReader {
 public:
  TokenReader(const Templates& templates, const Tokens& tokens);

  // One feature of a token. `value` is the number of its value where the template has one part.
  struct Feature {
    std::uint64_t print;  // or a key
    std::uint32_t source;
    std::uint32_t value;
  };

  // Calls body(token, features) for the tokens of a block, in order. Features come in the order of
  // their templates; one that several templates make may come twice. With kLazy the fingerprint of
  // a feature of one part is left to `print`, and most of those of two or three parts have a key in
  // its place: template and numbers of values side by side, which costs no arithmetic and is as
  // good for remembering them as long as the numbers keep their meaning.
  template <bool kLazy = false, class Body>
  void read(std::int64_t block, Body&& body) {
    const std::int64_t from = block * kTokenBlock;
    const std::int64_t to = std::min(from + kTokenBlock, tokens_.size());
    const std::int64_t* const all = tokens_.sentence;
    std::int64_t s = std::upper_bound(all, all + tokens_.sentences + 1, from) - all - 1;
    for (; s < tokens_.sentences && all[s] < to; ++s) {
      if (all[s] == all[s + 1]) continue;
      open(all[s], all[s + 1], std::max(from, all[s]), std::min(to, all[s + 1]));
      for (std::int64_t token = from_; token < to_; ++token) body(token, features<kLazy>(token));
    }
  }

  bool has_value(const Feature& feature) const { return feature.value < kKey; }
  bool has_key(const Feature& feature) const { return feature.value == kKey; }
  std::uint32_t values() const { return static_cast<std::uint32_t>(chunks_.size()); }
  // The fingerprint of a feature of one part.
  std::uint64_t print(const Feature& feature) const {
    const Templates::Ready& r = templates_.ready()[feature.source];
    return print_of(joined(joined(r.parts.front().before.hash, chunks_[feature.value]), r.behind));
  }

  // The fingerprint of a feature of several parts, of a token of the sentence at hand.
  std::uint64_t print(const Feature& feature, std::int64_t token) const {
    const Templates::Ready& r = templates_.ready()[feature.source];
    std::uint64_t hash = 0;  // of what stands before; the text behind the last value is often empty
    for (const auto& part : r.parts) {
      hash = joined(hash == 0 ? part.before.hash : joined(hash, part.before),
                    at(part.atom, token + part.offset).chunk);
    }
    return print_of(r.behind.power != 1 ? joined(hash, r.behind) : hash);
  }

  // The number of the value of a part, for a feature of the sentence at hand.
  std::uint32_t value(const Feature& feature, std::int64_t token, std::size_t part) const {
    const Templates::Ready& t = templates_.ready()[feature.source];
    return t.parts.size() == 1 ? feature.value
                               : at(t.parts[part].atom, token + t.parts[part].offset).number;
  }
  // Appends the name of a feature.
  void spell(std::uint32_t source, const std::uint32_t* values, std::string& out) const;

  // Forgets all cells if they have become many, and says so: numbers of values lose their meaning.
  bool refresh();

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;  // no value, hence no feature
  static constexpr std::uint32_t kKey = UINT32_MAX - 1;
  static constexpr int kBits = 18;  // of a number in a key, which has three and a template

  struct Shown {  // what an atom shows of a token
    Chunk chunk;
    std::uint32_t number;
  };
  struct View {                         // what an atom shows of the cells of its column
    std::vector<std::uint32_t> number;  // [cells], or, where there are several values,
    std::vector<std::size_t> start;     // [cells + 1] into list
    std::vector<std::uint32_t> list;
  };

  void begin();
  void open(std::int64_t first, std::int64_t last, std::int64_t from, std::int64_t to);
  std::uint32_t cell(std::int32_t column, std::int64_t token);
  void show(const Atom& atom, std::string_view word, View& view);
  void match(std::uint32_t atom);
  std::uint32_t number(std::string_view spelling);
  std::uint32_t marker(std::int64_t token) const;
  template <bool kLazy>
  const std::vector<Feature>& features(std::int64_t token);
  void add_several(std::uint32_t t, std::int64_t token);

  const Shown& at(std::uint32_t atom, std::int64_t token) const {
    return shown_[atom * width_ + static_cast<std::size_t>(token - origin_)];
  }
  std::uint32_t cell_at(std::int32_t column, std::int64_t token) const {
    return cell_[static_cast<std::size_t>(column) * width_ +
                 static_cast<std::size_t>(token - origin_)];
  }

  const Templates& templates_;
  const Tokens& tokens_;
  std::vector<Dictionary> cells_;         // [columns] raw cells
  std::vector<View> views_;               // [atoms]
  Dictionary values_;                     // markers first
  std::vector<Chunk> chunks_;             // [values]
  std::vector<std::uint32_t> gazetteer_;  // the numbers of their names
  bool markers_ = false;

  std::int64_t first_ = 0, last_ = 0, from_ = 0, to_ = 0, origin_ = 0;  // the stretch at hand
  std::size_t width_ = 0;
  std::vector<std::uint32_t> cell_;     // [columns][width]
  std::vector<Shown> shown_;            // [atoms][width]
  std::vector<std::uint64_t> mask_;     // [atoms that are gazetteers][width]
  std::vector<std::uint32_t> mask_of_;  // [atoms] which of them
  std::vector<Feature> features_;
  std::string spelled_, valid_;
  std::vector<std::uint32_t> own_;
};

}  // namespace linnet::text
