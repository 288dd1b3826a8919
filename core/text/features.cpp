#include "features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "../numeric.hpp"

namespace linnet::text {
namespace {

// The bucket of a fingerprint: by its high bits, the sign by the lowest.
LINNET_INLINE Bucket bucket_of(std::uint64_t print, std::uint32_t n) {
  return {static_cast<std::int32_t>(place(print, n)), (print & 1U) != 0};
}

Occurrence occurrence(Bucket bucket, bool signs) {
  return {bucket.column, signs && bucket.negative ? -1 : 1};
}

}  // namespace

// The buckets of a text's n-grams, by their fingerprints, into hashed_.
void Reader::hash_prints() {
  analyzer_.each_print(prints_);
  hashed_.resize(prints_.size());
  for (std::size_t k = 0; k < prints_.size(); ++k) {
    hashed_[k] = occurrence(bucket_of(prints_[k], columns_.buckets), columns_.signs);
    ask_for(hashed_[k].column);
  }
}

// The same by their spellings.
void Reader::hash_spellings() {
  const std::uint32_t n = columns_.buckets;
  const bool signs = columns_.signs;
  hashed_.clear();
  if (!analyzer_.spells_neighbours()) {
    analyzer_.each_gram([&](const Gram& gram) {
      hashed_.push_back(occurrence(bucket(analyzer_.spelling(gram), n), signs));
      ask_for(hashed_.back().column);
    });
    return;
  }
  analyzer_.each_hash(hashes_);
  hashed_.resize(hashes_.size());
  for (std::size_t k = 0; k < hashes_.size(); ++k) {
    hashed_[k] = occurrence(bucket_of_hash(hashes_[k], n), signs);
    ask_for(hashed_[k].column);
  }
}

// The buckets of a text's n-grams into entries_.
void Reader::count_buckets() {
  if (columns_.by_print) {
    hash_prints();
  } else {
    hash_spellings();
  }
  tally_.count(hashed_.size(), [&](std::size_t k) { return hashed_[k]; }, entries_);
}

// The features of a text that the vocabulary has, into entries_.
//
// Every occurrence is looked up: a frequent one finds what it needs in the cache. All fingerprints
// are known before the first is looked up, so that the table's memory can be asked for ahead.
void Reader::count_known() {
  constexpr std::size_t kAhead = 16;
  const Table& table = columns_.table;
  analyzer_.each_print(prints_);
  const std::size_t n = prints_.size();
  known_.resize(n);
  for (std::size_t k = 0; k < std::min(kAhead, n); ++k) table.prefetch(prints_[k]);
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) table.prefetch(prints_[k + kAhead]);
    known_[k] = table.candidate(prints_[k]);
  }
  std::size_t found = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t column = table.confirm(prints_[k], known_[k]);
    if (column >= 0) ask_for(column);
    known_[found] = column;
    found += column >= 0;
  }
  tally_.count(found, [&](std::size_t k) { return Occurrence{known_[k], 1}; }, entries_);
  if (columns_.unknown >= 0 && found < n) {
    entries_.push_back({columns_.unknown, static_cast<float>(n - found)});
  }
}

const std::vector<Entry>& Reader::read(std::string_view text) {
  if (columns_.buckets == 0) {
    analyzer_.read(text);
    count_known();
    return entries_;
  }
  const bool spelled = !columns_.by_print && analyzer_.spells_neighbours();
  if (spelled) {
    analyzer_.read_tokens(text);
  } else {
    analyzer_.read(text);
  }
  count_buckets();
  return entries_;
}

// Least significant byte first, so many bytes as the columns have; for short lists, comparisons.
const std::vector<Entry>& Reader::read_sorted(std::string_view text, std::int32_t width) {
  constexpr std::size_t kFew = 48;
  read(text);
  if (entries_.size() < kFew) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return entries_;
  }
  spare_.resize(entries_.size());
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(width)));
  for (int shift = 0; shift < bits; shift += 8) {
    std::array<std::uint32_t, 256> place{};
    const auto digit = [&](const Entry& e) {
      return static_cast<std::uint32_t>(e.column) >> shift & 255U;
    };
    for (const Entry& entry : entries_) ++place[digit(entry)];
    std::uint32_t total = 0;
    for (std::uint32_t& p : place) total += std::exchange(p, total);
    for (const Entry& entry : entries_) spare_[place[digit(entry)]++] = entry;
    entries_.swap(spare_);
  }
  return entries_;
}

void Reader::trace(std::string_view text, std::vector<Trace>& out) {
  analyzer_.read(text, true);
  const auto& tokens = analyzer_.tokens();
  analyzer_.each_gram([&](const Gram& gram) {
    std::int32_t column = -1;
    if (columns_.buckets > 0) {
      const Bucket b = columns_.by_print ? bucket_of(gram.print, columns_.buckets)
                                         : bucket(analyzer_.spelling(gram), columns_.buckets);
      column = columns_.signs && b.negative ? ~b.column : b.column;
    } else {
      column = columns_.table.find(gram.print);
      if (column < 0) column = columns_.unknown;
      if (column < 0) return;
    }
    out.push_back({column, analyzer_.raw_begin(tokens[gram.picks[0]]),
                   analyzer_.raw_end(tokens[gram.picks[gram.n - 1]])});
  });
}

}  // namespace linnet::text
