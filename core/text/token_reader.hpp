// Reads tokens in sentences and tells the features of each, by fingerprint.
//
// Every different cell of a column is looked at once: its transforms are spelled, numbered and
// hashed. A feature is then a template and the numbers of its values; its fingerprint follows from
// their hashes, and its name is spelled only when it is asked for.
#pragma once

#include <algorithm>
#include <bit>
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

  static constexpr std::uint32_t kNone = UINT32_MAX;  // no value, hence no feature

  // One feature of a token. `value` is the number of its value where the template has one part.
  struct Feature {
    std::uint64_t print;
    std::uint32_t source;
    std::uint32_t value;
  };

  // Calls body(from, to) for the tokens from .. to - 1 of each sentence of a block. All that the
  // reader then tells of tokens is about these: the stretch at hand.
  template <class Body>
  void stretches(std::int64_t block, Body&& body) {
    const std::int64_t from = block * kTokenBlock;
    const std::int64_t to = std::min(from + kTokenBlock, tokens_.size());
    const std::int64_t* const all = tokens_.sentence;
    std::int64_t s = std::upper_bound(all, all + tokens_.sentences + 1, from) - all - 1;
    for (; s < tokens_.sentences && all[s] < to; ++s) {
      if (all[s] == all[s + 1]) continue;
      open(all[s], all[s + 1], std::max(from, all[s]), std::min(to, all[s + 1]));
      body(from_, to_);
    }
  }

  // Calls body(token, features) for the tokens of a block, in order. Features come in the order of
  // their templates; one that several templates make may come twice.
  template <class Body>
  void read(std::int64_t block, Body&& body) {
    stretches(block, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t token = from; token < to; ++token) body(token, features(token));
    });
  }

  // The tokens first .. last - 1 at which a template finds all that it looks at.
  struct Span {
    std::int64_t first, last;
  };
  Span reached(const Templates::Ready& r) const;

  std::uint32_t values() const { return static_cast<std::uint32_t>(chunks_.size()); }
  // The number of what a part shows of each token, from `token` on.
  const std::uint32_t* shown(const Templates::Ready::Part& part, std::int64_t token) const {
    return &shown_[part.atom * width_ + static_cast<std::size_t>(token + part.offset - origin_)];
  }
  // Calls body(number) for the values that a template of several finds at a token.
  template <class Body>
  void each_value(const Templates::Ready& r, std::int64_t token, Body&& body) const;

  // The fingerprint of a feature of one part.
  std::uint64_t print(const Templates::Ready& r, std::uint32_t value) const {
    return print_of(joined(joined(r.parts.front().before.hash, chunks_[value]), r.behind));
  }

  // The fingerprint of a feature of several parts.
  std::uint64_t print(const Templates::Ready& r, std::int64_t token) const {
    std::uint64_t hash = 0;  // of what stands before; the text behind the last value is often empty
    for (const auto& part : r.parts) {
      hash = joined(hash == 0 ? part.before.hash : joined(hash, part.before),
                    chunks_[*shown(part, token)]);
    }
    return print_of(r.behind.power != 1 ? joined(hash, r.behind) : hash);
  }

  // The number of the value of a part, for a feature of the sentence at hand.
  std::uint32_t value(const Feature& feature, std::int64_t token, std::size_t part) const {
    const Templates::Ready& t = templates_.ready()[feature.source];
    return t.parts.size() == 1 ? feature.value : *shown(t.parts[part], token);
  }
  // Appends the name of a feature.
  void spell(std::uint32_t source, const std::uint32_t* values, std::string& out) const;

  // Forgets all cells if they have become many, and says so: numbers of values lose their meaning.
  bool refresh();

 private:
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
  const std::vector<Feature>& features(std::int64_t token);

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
  std::vector<std::uint32_t> shown_;    // [atoms][width] the number of what an atom shows
  std::vector<std::uint64_t> mask_;     // [atoms that are gazetteers][width]
  std::vector<std::uint32_t> mask_of_;  // [atoms] which of them
  std::vector<Feature> features_;
  std::string spelled_, valid_;
  std::vector<std::uint32_t> own_;
};

template <class Body>
void TokenReader::each_value(const Templates::Ready& r, std::int64_t token, Body&& body) const {
  const auto& part = r.parts.front();
  const std::int64_t place = token + part.offset;
  if (place < first_ || place >= last_) return body(marker(place));
  const Atom& atom = templates_.atoms()[part.atom];
  if (atom.transform == Transform::gazetteer) {
    std::uint64_t mask =
        mask_[mask_of_[part.atom] * width_ + static_cast<std::size_t>(place - origin_)];
    for (; mask != 0; mask &= mask - 1) {
      body(gazetteer_[static_cast<std::size_t>(std::countr_zero(mask))]);
    }
    return;
  }
  const View& view = views_[part.atom];
  const std::uint32_t cell = cell_at(atom.column, place);
  for (std::size_t k = view.start[cell]; k < view.start[cell + 1]; ++k) body(view.list[k]);
}

}  // namespace linnet::text
