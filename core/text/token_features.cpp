#include "token_features.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace linnet::text {
namespace {

// Looks the features of a sentence up, template by template: what a template asks of one token it
// asks of all, so that nothing in the loop has to be decided anew. Most features were met before.
// Those of one part are remembered by the number of their value, of the others the last ones are,
// by the numbers of their values side by side, or by fingerprint where those are many. The others
// are looked up together: each step asks for the memory that the next one needs.
class Lookup {
 public:
  Lookup(const Table& table, const Templates& templates, std::int64_t tokens)
      : table_(table),
        ready_(templates.ready()),
        recent_bits_(std::clamp(
            static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tokens))), 3, 12)),
        column_of_(ready_.size()),
        recent_(ready_.size()) {
    for (const Templates::Ready& r : ready_) several_ |= r.several;
  }

  // Appends the columns of tokens, ascending, each once, and how many each has.
  void operator()(const TokenReader& reader, std::int64_t from, std::int64_t to,
                  std::vector<std::int32_t>& size, std::vector<std::int32_t>& index) {
    found_.assign(static_cast<std::size_t>(to - from) * ready_.size(), kAbsent);
    missing_.clear();
    const bool small = reader.values() >> kBits == 0;
    for (std::size_t t = 0; t < ready_.size(); ++t) {
      const Templates::Ready& r = ready_[t];
      const TokenReader::Span span = reader.reached(r);
      if (r.several || span.first >= span.last) continue;
      std::int32_t* const out =
          found_.data() + static_cast<std::size_t>(span.first - from) * ready_.size() + t;
      const std::size_t parts = small ? r.parts.size() : kMostParts + 1;
      if (r.parts.size() == 1) {
        of_one_part(reader, t, span, out);
      } else if (parts == 2) {
        of_parts<2>(reader, t, span, out);
      } else if (parts == 3) {
        of_parts<3>(reader, t, span, out);
      } else {
        of_many_parts(reader, t, span, out);
      }
    }
    if (several_) of_several(reader, from, to);
    look_up(reader);
    write(from, to, size, index);
  }

  // The numbers of values have lost their meaning.
  void forget() {
    for (auto& columns : column_of_) columns.clear();
    for (auto& recent : recent_) recent.clear();
  }

 private:
  static constexpr std::int32_t kAbsent = -1, kUnknown = -2;
  static constexpr std::size_t kMostParts = 3;   // of a key,
  static constexpr int kBits = 64 / kMostParts;  // so many bits each
  struct Recent {
    std::uint64_t key = 0;
    std::int32_t column = kUnknown;
  };
  struct Missing {
    std::size_t at;  // in found_
    std::size_t source;
    std::uint64_t key;  // or value
    std::uint64_t print;
  };

  std::vector<std::int32_t>& columns_of(const TokenReader& reader, std::size_t t) {
    if (column_of_[t].size() < reader.values()) column_of_[t].resize(reader.values(), kUnknown);
    return column_of_[t];
  }
  std::vector<Recent>& recent_of(std::size_t t) {
    if (recent_[t].empty()) recent_[t].resize(std::size_t{1} << recent_bits_);
    return recent_[t];
  }
  std::size_t place(std::uint64_t key) const {
    return key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - recent_bits_);
  }
  void miss(const std::int32_t* out, std::size_t t, std::uint64_t key, std::uint64_t print) {
    table_.prefetch(print);
    missing_.push_back({static_cast<std::size_t>(out - found_.data()), t, key, print});
  }

  void of_one_part(const TokenReader& reader, std::size_t t, TokenReader::Span span,
                   std::int32_t* out) {
    const std::int32_t* const columns = columns_of(reader, t).data();
    const std::uint32_t* shown = reader.shown(ready_[t].parts.front(), span.first);
    for (std::int64_t n = span.last - span.first; n > 0; --n, ++shown, out += ready_.size()) {
      if (*shown == TokenReader::kNone) continue;
      *out = columns[*shown];
      if (*out == kUnknown) miss(out, t, *shown, reader.print(ready_[t], *shown));
    }
  }

  template <std::size_t kParts>
  void of_parts(const TokenReader& reader, std::size_t t, TokenReader::Span span,
                std::int32_t* out) {
    const Recent* const recent = recent_of(t).data();
    const std::uint32_t* shown[kParts];
    for (std::size_t p = 0; p < kParts; ++p) {
      shown[p] = reader.shown(ready_[t].parts[p], span.first);
    }
    const std::int64_t n = span.last - span.first;
    for (std::int64_t k = 0; k < n; ++k, out += ready_.size()) {
      std::uint64_t key = 0;
      bool none = false;
      for (std::size_t p = 0; p < kParts; ++p) {
        none |= shown[p][k] == TokenReader::kNone;
        key = key << kBits | shown[p][k];
      }
      if (none) continue;
      const Recent& met = recent[place(key)];
      *out = met.column;
      if (met.key != key || met.column == kUnknown) {
        miss(out, t, key, reader.print(ready_[t], span.first + k));
      }
    }
  }

  void of_many_parts(const TokenReader& reader, std::size_t t, TokenReader::Span span,
                     std::int32_t* out) {
    const auto& parts = ready_[t].parts;
    for (std::int64_t token = span.first; token < span.last; ++token, out += ready_.size()) {
      if (std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
            return *reader.shown(part, token) == TokenReader::kNone;
          })) {
        continue;
      }
      const std::uint64_t print = reader.print(ready_[t], token);
      const Recent& met = recent_of(t)[place(print)];
      *out = met.column;
      if (met.key != print || met.column == kUnknown) miss(out, t, print, print);
    }
  }

  // Templates of several values: what they find stands behind the rest, token by token.
  void of_several(const TokenReader& reader, std::int64_t from, std::int64_t to) {
    ends_.clear();
    for (std::int64_t token = from; token < to; ++token) {
      for (std::size_t t = 0; t < ready_.size(); ++t) {
        const TokenReader::Span span = reader.reached(ready_[t]);
        if (!ready_[t].several || token < span.first || token >= span.last) continue;
        const std::int32_t* const columns = columns_of(reader, t).data();
        reader.each_value(ready_[t], token, [&](std::uint32_t value) {
          found_.push_back(columns[value]);
          if (columns[value] == kUnknown) {
            miss(&found_.back(), t, value, reader.print(ready_[t], value));
          }
        });
      }
      ends_.push_back(found_.size());
    }
  }

  void look_up(const TokenReader& reader) {
    for (const Missing& m : missing_) found_[m.at] = table_.candidate(m.print);
    for (const Missing& m : missing_) {
      const std::int32_t column = found_[m.at] = table_.confirm(m.print, found_[m.at]);
      if (ready_[m.source].parts.size() == 1) {
        columns_of(reader, m.source)[m.key] = column;
      } else {
        recent_of(m.source)[place(m.key)] = {m.key, column};
      }
    }
  }

  void write(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& size,
             std::vector<std::int32_t>& index) const {
    const std::size_t stride = ready_.size(), n = static_cast<std::size_t>(to - from);
    const std::int32_t *row = found_.data(), *more = row + n * stride;
    const std::size_t begin = index.size();
    index.resize(begin + found_.size());
    std::int32_t* last = index.data() + begin;
    for (std::size_t k = 0; k < n; ++k) {
      std::int32_t* const first = last;
      std::int32_t before = kAbsent;
      bool ascending = true;
      const auto put = [&](std::int32_t column) {  // kept where it is there, without a branch
        *last = column;
        last += column >= 0;
        ascending &= column < 0 || column > before;
        before = std::max(before, column);
      };
      for (const std::int32_t* const end = row + stride; row < end; ++row) put(*row);
      if (several_) {
        for (const std::int32_t* const end = found_.data() + ends_[k]; more < end; ++more) {
          put(*more);
        }
      }
      if (!ascending) {  // templates are in the order of their names, so most rows are
        std::sort(first, last);
        last = std::unique(first, last);
      }
      size.push_back(static_cast<std::int32_t>(last - first));
    }
    index.resize(static_cast<std::size_t>(last - index.data()));
  }

  const Table& table_;
  const std::vector<Templates::Ready>& ready_;
  int recent_bits_;
  bool several_ = false;
  std::vector<std::vector<std::int32_t>> column_of_;  // [templates][values]
  std::vector<std::vector<Recent>> recent_;           // [templates]
  std::vector<std::int32_t> found_;                   // [tokens][templates], then several values
  std::vector<std::size_t> ends_;                     // [tokens] of those
  std::vector<Missing> missing_;
};

}  // namespace

TokenRows::TokenRows(const Tokens& tokens, const Templates& templates, const Table& table,
                     ThreadPool& pool) {
  const std::int64_t blocks = token_blocks(tokens);
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<TokenReader> readers(static_cast<std::size_t>(lanes), TokenReader(templates, tokens));
  std::vector<Lookup> lookups(static_cast<std::size_t>(lanes),
                              Lookup(table, templates, tokens.size()));
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    TokenReader& reader = readers[lane];
    if (reader.refresh()) lookups[lane].forget();
    reader.stretches(b, [&](std::int64_t from, std::int64_t to) {
      lookups[lane](reader, from, to, block.size, block.index);
    });
  });
}

std::int64_t TokenRows::tokens() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.size.size());
  return total;
}

std::int64_t TokenRows::stored() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.index.size());
  return total;
}

void TokenRows::matrix(std::int64_t* start, std::int32_t* index, ThreadPool& pool) const {
  std::int64_t* row = start;
  *row = 0;
  for (const Block& block : blocks_) {
    for (const std::int32_t size : block.size) {
      row[1] = row[0] + size;
      ++row;
    }
  }
  pool.run(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t b) {
    std::copy(blocks_[b].index.begin(), blocks_[b].index.end(), index + start[b * kTokenBlock]);
  });
}

}  // namespace linnet::text
