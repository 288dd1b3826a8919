// One text taken apart: normalised, cut into tokens, each with its fingerprint; and its n-grams.
//
// Fitting, transforming, scoring and tracing all read texts through an Analyzer, so that they
// cannot disagree about what the features of a text are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerprint.hpp"
#include "normalise.hpp"
#include "spellings.hpp"
#include "tokens.hpp"

namespace linnet::text {

// What to look at in a text; the same for all texts of a model.
struct Analysis {
  Normalisation normalisation;
  Tokenizer tokenizer = Tokenizer::word;
  int shortest = 1, longest = 1;    // n of the n-grams
  int skip = 0;                     // tokens that an n-gram may leave out
  std::uint64_t seed = 0;           // of the fingerprints
  std::vector<std::uint64_t> stop;  // fingerprints of stop words, ascending

  bool joined() const { return of_characters(tokenizer); }  // no space between the tokens
};

// An n-gram of the text at hand: tokens picks[0 .. n-1].
struct Gram {
  std::uint64_t print;
  const std::uint32_t* picks;
  int n;
};

class Analyzer {
 public:
  explicit Analyzer(const Analysis& analysis)
      : analysis_(analysis), normaliser_(analysis.normalisation) {}

  // Takes a text apart. With `trace` it can be said where each token comes from.
  void read(std::string_view raw, bool trace = false);
  // The same without the fingerprints of tokens.
  void read_tokens(std::string_view raw, bool trace = false);

  const std::vector<Token>& tokens() const { return tokens_; }
  std::string_view spelling(const Token& t) const {
    return std::string_view(text_).substr(t.begin, t.end - t.begin);
  }
  std::uint64_t print(std::size_t token) const { return prints_[token]; }

  // The bytes of the raw text that a token covers, after read(..., true).
  std::uint32_t raw_begin(const Token& t) const { return origin_[t.begin]; }
  std::uint32_t raw_end(const Token& t) const;

  // Calls visit(const Gram&) for every n-gram, in the order of their first tokens.
  template <class Visit>
  void each_gram(Visit&& visit);

  // The fingerprints of every n-gram, in the same order, into `out`.
  void each_print(std::vector<std::uint64_t>& out);

  // Whether the n-grams are neighbours with a space between them, as those of words mostly are.
  bool spells_neighbours() const { return !analysis_.joined() && analysis_.skip == 0; }
  // If so, murmur3 of the spelling of every n-gram, in the same order. Needs no fingerprints.
  void each_hash(std::vector<std::uint32_t>& out);

  // The spelling of an n-gram, valid until the next call.
  std::string_view spelling(const Gram& gram);

 private:
  template <class Visit>
  void grow(std::uint64_t print, std::uint32_t last, int n, int skipped, Visit& visit);
  void fingerprint_tokens();
  void drop_stop_words();
  void join();

  const Analysis& analysis_;
  Normaliser normaliser_;
  std::string text_, scratch_;
  std::string joined_;                       // all tokens with spaces between them, after join()
  std::vector<std::uint32_t> joined_begin_;  // [tokens + 1]
  std::vector<Span> spans_;
  std::string_view raw_;
  std::vector<std::uint32_t> origin_;
  std::vector<Token> tokens_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::uint32_t> picks_;
};

template <class Visit>
void Analyzer::each_gram(Visit&& visit) {
  const int lo = analysis_.shortest, hi = analysis_.longest;
  const auto count = static_cast<std::uint32_t>(tokens_.size());
  picks_.resize(static_cast<std::size_t>(hi));
  bool fresh = true;  // the next token begins a segment
  for (std::uint32_t p = 0; p < count; ++p) {
    picks_[0] = p;
    if (lo == 1) visit(Gram{prints_[p], picks_.data(), 1});
    if (analysis_.skip > 0) {
      if (hi > 1) grow(prints_[p], p, 1, 0, visit);
      continue;
    }
    std::uint64_t print = prints_[p];
    std::uint32_t q = p;
    int n = 1;
    while (n < hi && !tokens_[q].last) {
      print = extend(print, prints_[++q]);
      picks_[static_cast<std::size_t>(n++)] = q;
      if (n >= lo) visit(Gram{print, picks_.data(), n});
    }
    // A word shorter than every n-gram counts once as it is ("char_wb").
    if (n < lo && fresh && tokens_[q].last && analysis_.tokenizer == Tokenizer::inside) {
      visit(Gram{print, picks_.data(), n});
    }
    fresh = tokens_[p].last;
  }
}

// Every way to go on from token `last` with the skips that are left.
template <class Visit>
void Analyzer::grow(std::uint64_t print, std::uint32_t last, int n, int skipped, Visit& visit) {
  std::uint32_t q = last;
  for (int gap = 0; skipped + gap <= analysis_.skip && !tokens_[q].last; ++gap) {
    const std::uint64_t longer = extend(print, prints_[++q]);
    picks_[static_cast<std::size_t>(n)] = q;
    if (n + 1 >= analysis_.shortest) visit(Gram{longer, picks_.data(), n + 1});
    if (n + 1 < analysis_.longest) grow(longer, q, n + 1, skipped + gap, visit);
  }
}

}  // namespace linnet::text
