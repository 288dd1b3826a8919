#include "fasttext_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "../numeric.hpp"

namespace linnet::foreign {
namespace {

constexpr std::uint32_t kOffset = 2166136261U, kPrime = 16777619U;
constexpr std::uint64_t kNgram = 116049371U;
constexpr std::string_view kEnd = "</s>", kLabel = "__label__";
constexpr std::size_t kBatch = 32;  // words that are looked up together
// N-grams of words are prepared for so many of all words together, and for words not longer.
constexpr std::size_t kPrepared = std::size_t{1} << 25, kLongest = 64;
// Of other words those that were met last are remembered, after the first few; the n-grams of so
// many of them stay in a processor's cache.
constexpr std::size_t kFew = 256, kRemembered = 1 << 14, kGrams = std::size_t{1} << 18;

// A byte is widened with its sign, as a signed char is.
inline std::uint32_t step(std::uint32_t hash, char c) {
  return (hash ^ static_cast<std::uint32_t>(static_cast<std::int8_t>(c))) * kPrime;
}

inline bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr std::array<bool, 256> kSpace = [] {
  std::array<bool, 256> space{};
  for (const unsigned char c : {' ', '\n', '\r', '\t', '\v', '\f', '\0'}) space[c] = true;
  return space;
}();

inline bool parts(char c) { return kSpace[static_cast<unsigned char>(c)]; }

inline void next_word(std::string_view text, std::size_t& at, Word& word) {
  while (at < text.size() && parts(text[at])) ++at;
  std::uint32_t hash = kOffset;
  word.begin = at;
  for (; at < text.size() && !parts(text[at]); ++at) hash = step(hash, text[at]);
  word.end = at;
  if (word.begin == word.end) {
    for (const char c : kEnd) hash = step(hash, c);
  }
  word.hash = hash;
}

}  // namespace

FastTextRows::FastTextRows(const char* bytes, const std::int64_t* offset, std::int32_t entries,
                           const RowSettings& settings, const std::int32_t* kept,
                           std::int32_t n_kept)
    : bytes_(bytes), offset_(offset), s_(settings) {
  n_rows_ = std::int64_t{s_.words} + (s_.pruned ? n_kept : s_.bucket);
  slot_.assign(std::bit_ceil(2 * static_cast<std::size_t>(entries) + 2), Slot{0, -1});
  for (std::int32_t i = 0; i < entries; ++i) {
    const std::string_view word(bytes + offset[i],
                                static_cast<std::size_t>(offset[i + 1] - offset[i]));
    std::uint32_t hash = kOffset;
    for (const char c : word) hash = step(hash, c);
    if (entry_of(word, hash) >= 0) throw std::invalid_argument("an entry is there twice");
    std::size_t at = hash & (slot_.size() - 1);
    while (slot_[at].entry >= 0) at = (at + 1) & (slot_.size() - 1);
    slot_[at] = {hash, i};
  }
  inverse_ = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(std::max(s_.bucket, 1));
  maybe_.assign(1, s_.pruned ? 0 : ~std::uint64_t{0});
  if (n_kept > 0) {
    kept_.assign(std::bit_ceil(2 * static_cast<std::size_t>(n_kept)), Kept{-1, 0});
    maybe_.assign(std::bit_ceil(static_cast<std::size_t>(n_kept) / 4 + 1), 0);
    for (std::int32_t i = 0; i < n_kept; ++i) {
      const auto bucket = static_cast<std::uint32_t>(kept[i]);
      std::size_t at = (bucket * 0x9E3779B1U) & (kept_.size() - 1);
      while (kept_[at].bucket >= 0) at = (at + 1) & (kept_.size() - 1);
      kept_[at] = {kept[i], s_.words + i};
      maybe_[(bucket >> 6) & (maybe_.size() - 1)] |= std::uint64_t{1} << (bucket & 63);
    }
  }
  maybe_last_ = maybe_.size() - 1;
  if (s_.maxn > 0) prepare_subwords();
}

std::int32_t FastTextRows::entry_of(std::string_view word, std::uint32_t hash) const {
  for (std::size_t at = hash & (slot_.size() - 1);; at = (at + 1) & (slot_.size() - 1)) {
    const Slot& slot = slot_[at];
    if (slot.entry < 0) return -1;
    if (slot.hash != hash) continue;
    const std::int64_t first = offset_[slot.entry], last = offset_[slot.entry + 1];
    if (word == std::string_view(bytes_ + first, static_cast<std::size_t>(last - first))) {
      return slot.entry;
    }
  }
}

// hash modulo the number of buckets: the quotient by the inverse is right, or one too small.
inline std::uint32_t FastTextRows::bucket_of(std::uint32_t hash) const {
  const auto bucket = static_cast<std::uint32_t>(s_.bucket);
  const auto quotient = static_cast<std::uint32_t>((hash * inverse_) >> 32);
  const std::uint32_t left = hash - quotient * bucket;
  return left >= bucket ? left - bucket : left;
}

inline std::uint64_t FastTextRows::may_have_row(std::uint32_t bucket) const {
  return maybe_[(bucket >> 6) & maybe_last_] >> (bucket & 63) & 1;
}

// The row of a bucket, -1 if it was pruned.
std::int32_t FastTextRows::row_of(std::uint32_t bucket) const {
  if (!s_.pruned) return s_.words + static_cast<std::int32_t>(bucket);
  if (kept_.empty() || may_have_row(bucket) == 0) return -1;
  for (std::size_t at = (bucket * 0x9E3779B1U) & (kept_.size() - 1);;
       at = (at + 1) & (kept_.size() - 1)) {
    if (kept_[at].bucket < 0) return -1;
    if (kept_[at].bucket == static_cast<std::int32_t>(bucket)) return kept_[at].row;
  }
}

// take(row, begin, end) for every n-gram of <word>, by its start, then by its length; begin and end
// count from the bracket. Which of them were pruned nobody can guess, so first all are numbered
// that may have rows, without a branch, and then looked up.
template <class Take>
void FastTextRows::subwords(std::string_view word, std::string& padded, Take&& take) const {
  padded.assign(1, '<').append(word).append(1, '>');
  const std::size_t size = padded.size();
  struct {
    std::uint32_t bucket;
    std::size_t begin, end;
  } grams[kBatch];
  std::size_t found = 0;
  const auto look_up = [&] {
    for (std::size_t g = 0; g < found; ++g) {
      const std::int32_t row = row_of(grams[g].bucket);
      if (row >= 0) take(row, grams[g].begin, grams[g].end);
    }
    found = 0;
  };
  for (std::size_t i = 0; i < size; ++i) {
    if (continues(padded[i])) continue;
    std::uint32_t hash = kOffset;
    std::size_t j = i;
    for (std::int32_t n = 1; j < size && n <= s_.maxn; ++n) {
      hash = step(hash, padded[j++]);
      while (j < size && continues(padded[j])) hash = step(hash, padded[j++]);
      if (n < s_.minn || (n == 1 && (i == 0 || j == size))) continue;
      const std::uint32_t bucket = bucket_of(hash);
      grams[found] = {bucket, i, j};
      found += may_have_row(bucket);
      if (found == kBatch) look_up();
    }
  }
  look_up();
}

void FastTextRows::prepare_subwords() {
  std::string padded;
  start_.assign(static_cast<std::size_t>(s_.words) + 1, 0);
  ready_.assign(static_cast<std::size_t>(s_.words), false);
  for (std::int32_t i = 0; i < s_.words; ++i) {
    const std::string_view word(bytes_ + offset_[i],
                                static_cast<std::size_t>(offset_[i + 1] - offset_[i]));
    if (word.size() <= kLongest && grams_.size() < kPrepared) {
      ready_[i] = true;
      if (word != kEnd) {
        subwords(word, padded,
                 [&](std::int32_t row, std::size_t, std::size_t) { grams_.push_back(row); });
      }
    }
    start_[i + 1] = std::ssize(grams_);
  }
}

// The rows of the n-grams of a word, until the next call. Few words of a language make up most of
// its texts: one that the dictionary lacks was often met a short while ago.
std::span<const std::int32_t> FastTextRows::remembered(std::string_view word, std::uint32_t hash,
                                                       Scratch& scratch) const {
  Memory& memory = scratch.memory;
  const auto grams_of = [&](std::vector<std::int32_t>& grams) {
    subwords(word, scratch.padded,
             [&](std::int32_t row, std::size_t, std::size_t) { grams.push_back(row); });
  };
  if (memory.met < kFew || word.size() > kLongest) {
    ++memory.met;
    memory.once.clear();
    grams_of(memory.once);
    return memory.once;
  }
  if (memory.word.empty() || memory.grams.size() > kGrams || memory.spelled.size() > kGrams) {
    memory.word.assign(kRemembered, {});
    memory.spelled.clear();
    memory.grams.clear();
  }
  Remembered& slot = memory.word[hash % kRemembered];
  if (slot.hash != hash ||
      word != std::string_view(memory.spelled).substr(slot.spelled, slot.bytes)) {
    slot = {hash, static_cast<std::uint32_t>(word.size()),
            static_cast<std::uint32_t>(memory.spelled.size()),
            static_cast<std::uint32_t>(memory.grams.size()), 0};
    memory.spelled.append(word);
    grams_of(memory.grams);
    slot.last = static_cast<std::uint32_t>(memory.grams.size());
  }
  return std::span(memory.grams).subspan(slot.first, slot.last - slot.first);
}

// Words are looked up in a table, in the offsets and in the bytes of the entries, which lie far
// apart: what several words need next is fetched while others are looked at.
void FastTextRows::fetch(std::span<const Word> words, const Memory& memory) const {
  const auto slot = [&](const Word& word) {
    return slot_.data() + (word.hash & (slot_.size() - 1));
  };
  for (const Word& word : words) LINNET_PREFETCH(slot(word));
  for (const Word& word : words) {
    if (slot(word)->entry >= 0) LINNET_PREFETCH(offset_ + slot(word)->entry);
    if (!memory.word.empty()) LINNET_PREFETCH(memory.word.data() + word.hash % kRemembered);
  }
  for (const Word& word : words) {
    if (slot(word)->hash == word.hash && slot(word)->entry >= 0) {
      LINNET_PREFETCH(bytes_ + offset_[slot(word)->entry]);
    }
  }
}

// take(row, begin, end) for every row of the text; begin and end are its bytes, where they are
// asked for.
template <bool kPlaces, class Take>
void FastTextRows::walk(std::string_view text, Scratch& scratch, Take&& take) const {
  scratch.hashes.clear();
  scratch.spans.clear();
  std::array<Word, kBatch> batch;
  for (std::size_t at = 0, ended = 0; ended == 0;) {
    std::size_t n = 0;
    for (; n < kBatch && ended == 0; ++n) {
      next_word(text, at, batch[n]);
      ended = batch[n].begin == batch[n].end ? 1 : 0;
    }
    const std::span<const Word> words(batch.data(), n);
    fetch(words, scratch.memory);
    for (const Word& word : words) {
      if (walk_word<kPlaces>(text, word, scratch, take)) {
        ended = 1;
        break;
      }
    }
  }
  word_ngrams<kPlaces>(scratch, take);
}

// The rows of a word and of its n-grams of characters; true if nothing after it counts.
template <bool kPlaces, class Take>
bool FastTextRows::walk_word(std::string_view text, const Word& at, Scratch& scratch,
                             Take& take) const {
  const std::size_t begin = at.begin, end = at.end;
  const std::string_view word = begin == end ? kEnd : text.substr(begin, end - begin);
  const std::int32_t entry = entry_of(word, at.hash);
  const bool ends = word == kEnd;
  if (entry >= s_.words || (entry < 0 && word.starts_with(kLabel))) return ends;  // a label
  scratch.hashes.push_back(static_cast<std::int32_t>(at.hash));
  if (kPlaces) scratch.spans.emplace_back(begin, end);
  if (entry >= 0) take(entry, begin, end);
  if (!kPlaces && s_.maxn > 0 && entry >= 0 && ready_[entry]) {
    for (std::int64_t g = start_[entry]; g < start_[entry + 1]; ++g) take(grams_[g], 0, 0);
  } else if (!kPlaces && s_.maxn > 0 && !ends) {
    for (const std::int32_t row : remembered(word, at.hash, scratch)) take(row, 0, 0);
  } else if (s_.maxn > 0 && !ends) {
    subwords(word, scratch.padded, [&](std::int32_t row, std::size_t i, std::size_t j) {
      take(row, begin + std::max<std::size_t>(i, 1) - 1, std::min(begin + j - 1, end));
    });
  }
  return ends;
}

template <bool kPlaces, class Take>
void FastTextRows::word_ngrams(const Scratch& scratch, Take& take) const {
  const std::vector<std::int32_t>& hashes = scratch.hashes;
  if (s_.word_ngrams <= 1) return;
  const auto bucket = static_cast<std::uint64_t>(s_.bucket);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    auto hash = static_cast<std::uint64_t>(std::int64_t{hashes[i]});
    const std::size_t stop = std::min(hashes.size(), i + static_cast<std::size_t>(s_.word_ngrams));
    for (std::size_t j = i + 1; j < stop; ++j) {
      hash = hash * kNgram + static_cast<std::uint64_t>(std::int64_t{hashes[j]});
      const std::int32_t row = row_of(static_cast<std::uint32_t>(hash % bucket));
      if (row < 0) continue;
      take(row, kPlaces ? scratch.spans[i].first : 0, kPlaces ? scratch.spans[j].second : 0);
    }
  }
}

void FastTextRows::find(std::string_view text, Scratch& scratch) const {
  scratch.rows.clear();
  walk<false>(text, scratch,
              [&](std::int32_t row, std::size_t, std::size_t) { scratch.rows.push_back(row); });
}

std::vector<TracedRow> FastTextRows::trace(std::string_view text) const {
  Scratch scratch;
  std::vector<TracedRow> traced;
  walk<true>(text, scratch, [&](std::int32_t row, std::size_t begin, std::size_t end) {
    traced.push_back({row, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
  });
  return traced;
}

}  // namespace linnet::foreign
