#include "analysis.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "unicode.hpp"

namespace linnet::text {

void Analyzer::read(std::string_view raw, bool trace) {
  read_tokens(raw, trace);
  if (analysis_.stop.empty()) fingerprint_tokens();
}

void Analyzer::read_tokens(std::string_view raw, bool trace) {
  raw_ = raw;
  normaliser_(raw, text_, trace ? &origin_ : nullptr);
  if (text_.size() > kLongestText) throw std::length_error("a text is longer than 2 GiB");
  tokenize(analysis_.tokenizer, text_, tokens_, trace ? &origin_ : nullptr);
  if (analysis_.stop.empty()) return;
  fingerprint_tokens();
  drop_stop_words();
}

void Analyzer::fingerprint_tokens() {
  prints_.resize(tokens_.size());
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    const std::size_t begin = tokens_[k].begin, end = tokens_[k].end;
    prints_[k] = end + 7 <= text_.size() && end > begin
                     ? running_fingerprint(text_.data() + begin, end - begin, analysis_.seed)
                     : fingerprint(spelling(tokens_[k]), analysis_.seed);
  }
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

// Words and pairs of neighbours, which most models have, need no more than a look at the next
// token.
void Analyzer::each_print(std::vector<std::uint64_t>& out) {
  out.clear();
  if (analysis_.shortest > 1 || analysis_.longest > 2 || analysis_.skip > 0) {
    each_gram([&](const Gram& gram) { out.push_back(gram.print); });
    return;
  }
  const std::size_t count = tokens_.size();
  const bool pairs = analysis_.longest == 2;
  out.resize(2 * count);
  std::uint64_t* next = out.data();
  for (std::size_t p = 0; p < count; ++p) {
    *next++ = prints_[p];
    if (pairs && !tokens_[p].last) *next++ = extend(prints_[p], prints_[p + 1]);
  }
  out.resize(static_cast<std::size_t>(next - out.data()));
}

// The token ends behind the raw character that its last byte comes from; or only where the next
// byte comes from, if several characters became one: a tag, an entity, a run of white space.
std::uint32_t Analyzer::raw_end(const Token& t) const {
  if (t.end <= t.begin) return raw_begin(t);
  const std::uint32_t last = origin_[t.end - 1];
  if (last >= raw_.size()) return static_cast<std::uint32_t>(raw_.size());
  const char* p = raw_.data() + last;
  decode(p, raw_.data() + raw_.size());
  const auto behind = static_cast<std::uint32_t>(p - raw_.data());
  const bool markup = analysis_.normalisation.html && (raw_[last] == '<' || raw_[last] == '&');
  return markup || analysis_.joined() ? std::max(behind, origin_[t.end]) : behind;
}

void Analyzer::each_hash(std::vector<std::uint32_t>& out) {
  join();
  const std::size_t count = tokens_.size();  // one segment
  const auto shortest = static_cast<std::size_t>(analysis_.shortest);
  const std::size_t longest = std::min(static_cast<std::size_t>(analysis_.longest), count);
  std::size_t total = 0;
  for (std::size_t n = shortest; n <= longest; ++n) total += count - n + 1;
  spans_.resize(total);
  out.resize(total);
  Span* next = spans_.data();
  const std::uint32_t* const begin = joined_begin_.data();
  for (std::size_t p = 0; p + shortest <= count; ++p) {
    const std::size_t last = std::min(p + longest, count);
    for (std::size_t q = p + shortest; q <= last; ++q)
      *next++ = {begin[p], begin[q] - begin[p] - 1};
  }
  murmur3(joined_.data(), spans_, out.data());
}

// Most tokens are short: as many bytes are copied for every one, which is faster than to ask.
void Analyzer::join() {
  constexpr std::size_t kShort = 16;
  std::size_t size = tokens_.size() + std::max(kShort, kBehind);
  for (const Token& token : tokens_) size += token.end - token.begin;
  if (size > UINT32_MAX) throw std::length_error("a text is longer than 2 GiB");
  if (joined_.size() < size) joined_.resize(size);
  joined_begin_.resize(tokens_.size() + 1);
  const char* const from = text_.data();
  char* const to = joined_.data();
  std::uint32_t* const begin = joined_begin_.data();
  std::uint32_t at = 0;
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    const Token token = tokens_[k];
    const std::uint32_t n = token.end - token.begin;
    begin[k] = at;
    if (n <= kShort && token.begin + kShort <= text_.size()) {
      std::memcpy(to + at, from + token.begin, kShort);
    } else {
      std::memcpy(to + at, from + token.begin, n);
    }
    to[at + n] = ' ';
    at += n + 1;
  }
  begin[tokens_.size()] = at;
}

std::string_view Analyzer::spelling(const Gram& gram) {
  const std::uint32_t first = gram.picks[0], last = gram.picks[gram.n - 1];
  if (gram.n == 1) return spelling(tokens_[first]);
  if (analysis_.joined() && analysis_.skip == 0) {
    return std::string_view(text_).substr(tokens_[first].begin,
                                          tokens_[last].end - tokens_[first].begin);
  }
  scratch_.clear();
  for (int k = 0; k < gram.n; ++k) {
    if (k > 0 && !analysis_.joined()) scratch_.push_back(' ');
    scratch_.append(spelling(tokens_[gram.picks[k]]));
  }
  return scratch_;
}

}  // namespace linnet::text
