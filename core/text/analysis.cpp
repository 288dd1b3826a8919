#include "analysis.hpp"

#include <algorithm>
#include <stdexcept>

#include "unicode.hpp"

namespace linnet::text {

void Analyzer::read(std::string_view raw, bool trace) {
  raw_ = raw;
  normaliser_(raw, text_, trace ? &origin_ : nullptr);
  if (text_.size() > kLongestText) throw std::length_error("a text is longer than 2 GiB");
  tokenize(analysis_.tokenizer, text_, tokens_, trace ? &origin_ : nullptr);
  prints_.resize(tokens_.size());
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    prints_[k] = fingerprint(spelling(tokens_[k]), analysis_.seed);
  }
  if (!analysis_.stop.empty()) drop_stop_words();
}

void Analyzer::drop_stop_words() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    if (std::binary_search(analysis_.stop.begin(), analysis_.stop.end(), prints_[k])) continue;
    prints_[kept] = prints_[k];
    tokens_[kept++] = tokens_[k];
  }
  tokens_.resize(kept);
  prints_.resize(kept);
  if (kept > 0) tokens_[kept - 1].last = 1;
}

// The token ends behind the raw character that its last byte comes from; or where the next byte
// comes from, if that character may begin a tag or an entity, of which all belongs to the token.
std::uint32_t Analyzer::raw_end(const Token& t) const {
  if (t.end <= t.begin) return raw_begin(t);
  const std::uint32_t last = origin_[t.end - 1];
  if (last >= raw_.size()) return static_cast<std::uint32_t>(raw_.size());
  const bool markup = raw_[last] == '<' || raw_[last] == '&';
  if (analysis_.normalisation.html && markup && origin_[t.end] > last) return origin_[t.end];
  const char* p = raw_.data() + last;
  decode(p, raw_.data() + raw_.size());
  return std::max(static_cast<std::uint32_t>(p - raw_.data()), raw_begin(t));
}

std::string_view Analyzer::spelling(const Gram& gram) {
  const Token& first = tokens_[gram.picks[0]];
  if (gram.n == 1) return spelling(first);
  const bool joined = analysis_.joined();
  const Token& last = tokens_[gram.picks[gram.n - 1]];
  if (joined && analysis_.skip == 0) {
    return std::string_view(text_).substr(first.begin, last.end - first.begin);
  }
  scratch_.clear();
  for (int k = 0; k < gram.n; ++k) {
    if (k > 0 && !joined) scratch_.push_back(' ');
    scratch_.append(spelling(tokens_[gram.picks[k]]));
  }
  return scratch_;
}

}  // namespace linnet::text
