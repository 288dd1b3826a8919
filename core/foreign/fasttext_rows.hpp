// From a text to the rows of a fastText model's input matrix, as that program finds them: the words
// of its dictionary, then for each word its character n-grams, and at the end the word n-grams, the
// latter two by hashes modulo the number of buckets. Hashes are 32-bit FNV-1a over signed bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linnet::foreign {

// How texts are cut; rows are 0 .. words - 1 for words, then the buckets.
struct RowSettings {
  std::int32_t words;        // entries of the dictionary that are words; the others are labels
  std::int32_t minn, maxn;   // character n-grams in code points; maxn <= 0 means none
  std::int32_t word_ngrams;  // the longest; <= 1 means none
  std::int32_t bucket;       // >= 1 if there are n-grams
  bool pruned;               // only the buckets of `kept` have rows
};

// A word of a text: its bytes and its hash.
struct Word {
  std::size_t begin, end;  // equal: the end of the text, which is the word </s>
  std::uint32_t hash;
};

// A row, and the bytes of the text it comes from.
struct TracedRow {
  std::int32_t row;
  std::int64_t begin, end;
};

class FastTextRows {
 public:
  // Entries bytes[offset[i] .. offset[i + 1]), words first. Bucket kept[i] has the row words + i.
  // Throws std::invalid_argument when an entry is there twice.
  FastTextRows(const char* bytes, const std::int64_t* offset, std::int32_t entries,
               const RowSettings& settings, const std::int32_t* kept, std::int32_t n_kept);

  // Words that the dictionary lacks, by their hashes, and the rows of their n-grams.
  struct Remembered {
    std::uint32_t hash, bytes, spelled;  // its letters begin at `spelled`
    std::uint32_t first, last;           // of `grams`
  };
  struct Memory {
    std::vector<Remembered> word;
    std::string spelled;
    std::vector<std::int32_t> grams, once;
    std::size_t met = 0;  // how many words were not looked for here
  };

  // What one thread keeps between texts.
  struct Scratch {
    std::vector<std::int32_t> rows, hashes;
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::string padded;
    Memory memory;
  };

  // Leaves the rows of a text in scratch.rows, in fastText's order, with repetitions. Nothing after
  // the word </s> counts, and that word ends every text. A line feed parts words.
  void find(std::string_view text, Scratch& scratch) const;

  std::vector<TracedRow> trace(std::string_view text) const;

  std::int64_t n_rows() const { return n_rows_; }

 private:
  struct Slot {
    std::uint32_t hash;
    std::int32_t entry;  // -1: free
  };
  struct Kept {
    std::int32_t bucket, row;  // bucket -1: free
  };

  template <bool kPlaces, class Take>
  void walk(std::string_view text, Scratch& scratch, Take&& take) const;
  template <bool kPlaces, class Take>
  bool walk_word(std::string_view text, const Word& at, Scratch& scratch, Take& take) const;
  template <bool kPlaces, class Take>
  void word_ngrams(const Scratch& scratch, Take& take) const;
  void fetch(std::span<const Word> words, const Memory& memory) const;
  template <class Take>
  void subwords(std::string_view word, std::string& padded, Take&& take) const;
  std::span<const std::int32_t> remembered(std::string_view word, std::uint32_t hash,
                                           Scratch& scratch) const;
  std::int32_t entry_of(std::string_view word, std::uint32_t hash) const;
  std::uint32_t bucket_of(std::uint32_t hash) const;
  std::uint64_t may_have_row(std::uint32_t bucket) const;
  std::int32_t row_of(std::uint32_t bucket) const;
  void prepare_subwords();

  const char* const bytes_;
  const std::int64_t* const offset_;
  const RowSettings s_;
  std::int64_t n_rows_;
  std::vector<Slot> slot_;
  std::vector<Kept> kept_;
  std::vector<std::uint64_t> maybe_;  // bits: whether a bucket with these low bits has a row at all
  std::uint64_t maybe_last_ = 0;      // the last place of these
  std::uint64_t inverse_ = 0;         // 2^32 divided by the number of buckets
  std::vector<std::int64_t> start_;   // [words + 1] the n-grams of a word, where they are prepared
  std::vector<std::int32_t> grams_;
  std::vector<bool> ready_;  // [words]
};

}  // namespace linnet::foreign
