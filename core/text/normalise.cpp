#include "text/normalise.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "text/markup.hpp"
#include "text/unicode.hpp"

namespace linnet::text {
namespace {

using Accents = Normalisation::Accents;
using Origin = std::vector<std::uint32_t>;

constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr std::size_t kMaxBytes = 4 * kMaxStripped;  // one character can become, and a bit more

// ---- ASCII ----

// Bytes outside ASCII are copied. No branch in either loop: they become vector instructions.
void fold_ascii(const char* from, char* to, std::size_t n, bool lowercase, bool digits) {
  if (lowercase) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto c = static_cast<unsigned char>(from[i]);
      to[i] = static_cast<char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 0x20 : 0));
    }
  } else {
    std::copy_n(from, n, to);
  }
  if (!digits) return;
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<unsigned char>(to[i] - '0') < 10 ? '0' : to[i];
  }
}

// ---- output ----

// Writes behind the end of `out` without asking for room at each byte: whoever puts a character has
// called reserve, which leaves place for it and for the input that is still to come.
class Writer {
 public:
  Writer(std::string& out, Origin* origin, std::size_t input) : out_(out), origin_(origin) {
    grow(input + kMaxBytes);
  }

  // Room for `rest` bytes and one character that grows.
  void reserve(std::size_t rest) {
    const std::size_t need = size_ + rest + kMaxBytes;
    if (need > out_.size()) grow(need + need / 4);
  }

  void put(char32_t c, std::size_t from) {
    const int n = encode(c, out_.data() + size_);
    if (origin_) std::fill_n(origin_->data() + size_, n, static_cast<std::uint32_t>(from));
    size_ += static_cast<std::size_t>(n);
  }

  // n bytes of valid UTF-8, of which only ASCII changes: all bytes of a character share its origin.
  void fold(const char* bytes, std::size_t n, std::size_t from, bool lowercase, bool digits) {
    fold_ascii(bytes, out_.data() + size_, n, lowercase, digits);
    if (origin_) {
      std::uint32_t* const offset = origin_->data() + size_;
      std::size_t character = from;
      for (std::size_t i = 0; i < n; ++i) {
        if ((bytes[i] & 0xC0) != 0x80) character = from + i;
        offset[i] = static_cast<std::uint32_t>(character);
      }
    }
    size_ += n;
  }

  void finish(std::size_t input) {
    out_.resize(size_);
    if (!origin_) return;
    origin_->resize(size_);
    origin_->push_back(static_cast<std::uint32_t>(input));
  }

 private:
  void grow(std::size_t size) {
    out_.resize(size);
    if (origin_) origin_->resize(size);
  }

  std::string& out_;
  Origin* origin_;
  std::size_t size_ = 0;
};

// ---- final sigma ----

// The character that ends at p (begin < p).
char32_t decode_before(const char* begin, const char*& p) {
  const char* lead = p - 1;
  while (lead > begin && p - lead < 4 && (*lead & 0xC0) == 0x80) --lead;
  const char* behind = lead;
  const char32_t c = decode(behind, p);
  const bool whole = behind == p;
  p = whole ? lead : p - 1;
  return whole ? c : kReplacement;
}

// Whether the capital sigma in [at, behind) ends a word: a cased character before it and none
// after, either way across what is case-ignorable (Unicode 3.13, Final_Sigma). Scans end at the
// next sigma, which is cased, so that many of them cost no more than two passes.
bool ends_word(std::string_view text, const char* at, const char* behind) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::uint8_t before = kCaseIgnorable, after = kCaseIgnorable;
  while (at > begin && (before & kCaseIgnorable)) before = properties(decode_before(begin, at));
  while (behind < end && (after & kCaseIgnorable)) after = properties(decode(behind, end));
  return (before & kCased) && !(after & kCased);
}

// ---- characters ----

// Lower case, accents and digits of one pass over a text.
class Folding {
 public:
  Folding(const Normalisation& steps, std::string_view text, Writer& writer)
      : steps_(steps), text_(text), writer_(writer) {}

  // Most characters stay as they are: stretches of them are only looked at, then copied in one go.
  void run() {
    const char* const end = text_.data() + text_.size();
    const char* kept = text_.data();  // where the stretch at hand begins
    const char* p = kept;
    while (p < end) {
      if (static_cast<unsigned char>(*p) < 0x80) {
        p += ascii_prefix({p, static_cast<std::size_t>(end - p)});
        continue;
      }
      const char* const at = p;
      const char32_t c = decode_checked(p, end);
      if (stays(c)) continue;
      flush(kept, at);
      kept = p;
      writer_.reserve(static_cast<std::size_t>(end - at));
      fold(c < kCodePoints ? c : kReplacement, at, p);
    }
    flush(kept, end);
  }

 private:
  bool stays(char32_t c) const {
    if (c >= kCodePoints) return false;
    const table::Record& record = table::record(c);
    if (steps_.lowercase && record.lower != 0) return false;
    if (steps_.digits && (record.properties & kDecimal)) return false;
    if (steps_.accents == Accents::keep) return true;
    char32_t bare[kMaxStripped];
    return steps_.accents == Accents::unicode && strip_accents(c, bare) == 1 && bare[0] == c;
  }

  void flush(const char* from, const char* to) {
    writer_.fold(from, static_cast<std::size_t>(to - from), offset(from), steps_.lowercase,
                 steps_.digits);
  }

  std::size_t offset(const char* p) const { return static_cast<std::size_t>(p - text_.data()); }

  // Writes what becomes of the character c in [at, behind).
  void fold(char32_t c, const char* at, const char* behind) {
    const std::size_t from = offset(at);
    char32_t low[3] = {c};
    int n = 1;
    if (steps_.lowercase) {
      n = lower(c, low);
      if (c == kCapitalSigma) low[0] = ends_word(text_, at, behind) ? kFinalSigma : kSigma;
    }
    for (int i = 0; i < n; ++i) strip(low[i], from);
  }

  void strip(char32_t c, std::size_t from) {
    if (steps_.accents == Accents::keep) return put(c, from);
    char32_t bare[kMaxStripped];
    const int n = strip_accents(c, bare);
    for (int i = 0; i < n; ++i) {
      if (steps_.accents == Accents::unicode || bare[i] < 0x80) put(bare[i], from);
    }
  }

  void put(char32_t c, std::size_t from) {
    writer_.put(steps_.digits && (properties(c) & kDecimal) ? U'0' : c, from);
  }

  const Normalisation& steps_;
  std::string_view text_;
  Writer& writer_;
};

}  // namespace

void Normaliser::operator()(std::string_view raw, std::string& out, Origin* origin) const {
  if (origin && raw.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a text of 4 GiB or more is too long to trace its characters");
  }
  const bool markup = steps_.html && find_markup(raw, 0) < raw.size();
  std::string plain;
  Origin behind;
  if (markup) strip_markup(raw, plain, origin ? &behind : nullptr);
  const std::string_view text = markup ? std::string_view(plain) : raw;

  Writer writer(out, origin, text.size());
  Folding(steps_, text, writer).run();
  writer.finish(text.size());
  if (markup && origin) {
    for (std::uint32_t& offset : *origin) offset = behind[offset];
  }
}

}  // namespace linnet::text
