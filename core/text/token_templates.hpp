// Feature templates: how the name of a feature is put together from the cells around a token.
//
// A template is literal text with parts in it. A part is a cell, `offset` tokens further on in some
// column, as some transform shows it. "w[-1]|w[0]" of CRFsuite's examples is the text
// "w[-1]|w[0]=", a part, the text "|" and a part; a line of a CRF++ template file is one as it
// stands. What has the same name is the same feature, whatever template it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "name_hash.hpp"
#include "table.hpp"
#include "token_values.hpp"

namespace linnet::text {

// A column as a transform shows it.
struct Atom {
  std::int32_t column = 0;
  Transform transform = Transform::identity;
  std::int32_t low = 0, high = 0;  // lengths, or low = the number of a flag

  bool operator==(const Atom&) const = default;
};

struct Part {
  std::string before;  // literal text
  Atom atom;
  std::int32_t offset = 0;
};

struct Template {
  enum class Where : std::uint8_t { everywhere, first, last };

  std::vector<Part> parts;
  std::string behind;               // literal text
  bool markers = false;             // outside the sentence a part is _B-1, _B+1 and so on; without,
                                    // there is no feature
  Where where = Where::everywhere;  // or at the first, at the last token of a sentence only
};

// Lists of phrases. Bit k of mask[row] says that list k has the phrase with fingerprint
// table.print[row], which is print_of the hash of its words with a space between them.
struct Gazetteers {
  std::vector<std::string> names;
  Table table{};
  const std::uint64_t* mask = nullptr;
  std::int32_t longest = 0;  // words of a phrase
};

inline constexpr std::int32_t kReach = 64;        // the largest offset
inline constexpr std::int32_t kLongestGram = 64;  // characters
inline constexpr std::int32_t kPhrase = 5;        // words
inline constexpr std::size_t kGazetteers = 64;

// Templates ready for use: checked, hashed, and in the order of the names they make.
class Templates {
 public:
  struct Ready {
    struct Part {
      Chunk before;
      std::uint32_t atom;
      std::int32_t offset;
    };
    std::vector<Part> parts;
    Chunk behind;
    bool markers, several;
    Template::Where where;
    std::int32_t least, most;  // offsets
    std::uint32_t group;       // names of one group come before those of the next,
    std::uint32_t common;      // and share so many bytes
  };

  // Throws std::invalid_argument for what no template can be.
  Templates(std::vector<Template> templates, std::int32_t columns, Gazetteers gazetteers,
            std::uint64_t seed);

  const std::vector<Ready>& ready() const { return ready_; }
  const Template& as_given(std::size_t t) const { return templates_[t]; }  // in the order of ready
  const std::vector<Atom>& atoms() const { return atoms_; }
  std::uint32_t identity(std::int32_t column) const;  // the atom, which gazetteers look at
  const Gazetteers& gazetteers() const { return gazetteers_; }
  const NameHash& hash() const { return hash_; }
  std::int32_t columns() const { return columns_; }
  std::int32_t reach() const { return reach_; }  // how far from a token its features look
  std::uint32_t groups() const { return ready_.empty() ? 0 : ready_.back().group + 1; }
  std::size_t widest() const { return widest_; }  // the most parts that a template has

 private:
  void check(const Template& t) const;
  std::uint32_t number(const Atom& atom);
  Ready prepare(const Template& t);
  void group();

  std::vector<Template> templates_;
  std::int32_t columns_;
  Gazetteers gazetteers_;
  NameHash hash_;
  std::vector<Atom> atoms_;
  std::vector<Ready> ready_;
  std::int32_t reach_ = 0;
  std::size_t widest_ = 1;
};

}  // namespace linnet::text
