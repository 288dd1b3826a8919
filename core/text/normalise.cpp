#include "text/normalise.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "text/unicode.hpp"

namespace linnet::text {
namespace {

using Accents = Normalisation::Accents;
using Origin = std::vector<std::uint32_t>;

constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr std::size_t kMaxBytes = 4 * kMaxStripped;  // one character can become, and a bit more

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

  // Where n bytes that came from raw[from..from+n) one by one are to be written.
  char* run(std::size_t n, std::size_t from) {
    char* const at = out_.data() + size_;
    if (origin_) {
      std::uint32_t* const offset = origin_->data() + size_;
      for (std::size_t i = 0; i < n; ++i) offset[i] = static_cast<std::uint32_t>(from + i);
    }
    size_ += n;
    return at;
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

// ---- ASCII ----

// No branch in either loop, so that they become vector instructions.
void copy_ascii(const char* from, char* to, std::size_t n, bool lowercase, bool digits) {
  if (lowercase) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto c = static_cast<unsigned char>(from[i]);
      to[i] = static_cast<char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 0x20 : 0));
    }
  } else {
    std::memcpy(to, from, n);
  }
  if (!digits) return;
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<unsigned char>(to[i] - '0') < 10 ? '0' : to[i];
  }
}

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

// ---- markup ----

bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

int digit_value(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0';
  const int letter = (c | 0x20) - 'a';
  return base == 16 && letter >= 0 && letter < 6 ? 10 + letter : -1;
}

// Numbers 128 to 159 mean characters of Windows-1252 in every browser; 0 where it has none.
constexpr char16_t kWindows[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// The length of "&#39;" or "&#x27;" at the beginning of text, 0 if there is none, and its
// character.
std::size_t numeric_entity(std::string_view text, char32_t& c) {
  const bool hex = text.size() > 2 && (text[2] | 0x20) == 'x';
  const int base = hex ? 16 : 10;
  const std::size_t first = hex ? 3 : 2;
  std::size_t i = first;
  char32_t value = 0;
  for (; i < text.size() && digit_value(text[i], base) >= 0; ++i) {
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(text[i], base));
    value = std::min(value, kCodePoints);  // too large stays too large
  }
  if (i == first || i == text.size() || text[i] != ';') return 0;
  if (value >= 0x80 && value < 0xA0 && kWindows[value - 0x80]) value = kWindows[value - 0x80];
  c = value == 0 ? kReplacement : value;
  return i + 1;
}

// The length of the entity that text begins with, 0 if it is none that we know, and its character.
std::size_t entity(std::string_view text, char32_t& c) {
  struct Name {
    std::string_view text;
    char32_t c;
  };
  constexpr Name kNames[] = {{"&amp;", '&'},  {"&lt;", '<'},    {"&gt;", '>'},
                             {"&quot;", '"'}, {"&apos;", '\''}, {"&nbsp;", 0xA0}};
  if (text.size() > 1 && text[1] == '#') return numeric_entity(text, c);
  for (const Name& name : kNames) {
    if (!text.starts_with(name.text)) continue;
    c = name.c;
    return name.text.size();
  }
  return 0;
}

// The pass that takes markup out. What is neither markup nor entity is copied byte by byte; whether
// it is UTF-8 is the business of the pass behind.
class Markup {
 public:
  explicit Markup(std::string_view raw) : raw_(raw) {}

  void strip(std::string& out, Origin* origin) {
    Writer writer(out, origin, raw_.size());
    for (std::size_t i = 0; i < raw_.size();) {
      std::size_t next = raw_.find_first_of("<&", i);
      if (next == std::string_view::npos) next = raw_.size();
      if (next > i) std::memcpy(writer.run(next - i, i), raw_.data() + i, next - i);
      i = next;
      if (i == raw_.size()) break;
      char32_t c = ' ';
      const std::size_t length = raw_[i] == '<' ? tag(i) : entity(raw_.substr(i), c);
      writer.put(length ? c : static_cast<char32_t>(raw_[i]), i);
      i += std::max<std::size_t>(length, 1);
    }
    writer.finish(raw_.size());
  }

 private:
  // The length of the tag or comment whose '<' is at i; 0 if it is just a '<'. A tag holds no other
  // '<', so a scan never passes the next candidate and all of them together pass the text once.
  std::size_t tag(std::size_t i) {
    if (i + 1 == raw_.size()) return 0;
    const char first = raw_[i + 1];
    if (!is_letter(first) && first != '/' && first != '!' && first != '?') return 0;
    if (raw_.substr(i, 4) == "<!--") {
      if (comment_end_ != std::string_view::npos && comment_end_ < i + 4) {
        comment_end_ = raw_.find("-->", i + 4);
      }
      return comment_end_ == std::string_view::npos ? 0 : comment_end_ + 3 - i;
    }
    const std::size_t close = raw_.find_first_of("<>", i + 1);
    return close == std::string_view::npos || raw_[close] == '<' ? 0 : close + 1 - i;
  }

  std::string_view raw_;
  std::size_t comment_end_ = 0;  // the last "-->" looked for; npos: there are no more
};

// ---- characters ----

// Lower case, accents and digits of one pass over a text.
class Folding {
 public:
  Folding(const Normalisation& steps, std::string_view text, Writer& writer)
      : steps_(steps), text_(text), writer_(writer) {}

  void run() {
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    for (const char* p = begin; p < end;) {
      if (static_cast<unsigned char>(*p) < 0x80) {
        const std::size_t n = ascii_prefix({p, static_cast<std::size_t>(end - p)});
        char* const to = writer_.run(n, static_cast<std::size_t>(p - begin));
        copy_ascii(p, to, n, steps_.lowercase, steps_.digits);
        p += n;
        continue;
      }
      const char* const at = p;
      const char32_t c = decode(p, end);
      writer_.reserve(static_cast<std::size_t>(end - at));
      fold(c, at, p);
    }
  }

 private:
  // Writes what becomes of the character c in [at, behind).
  void fold(char32_t c, const char* at, const char* behind) {
    const auto from = static_cast<std::size_t>(at - text_.data());
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
  const bool markup = steps_.html && raw.find_first_of("<&") != std::string_view::npos;
  std::string plain;
  Origin behind;
  if (markup) Markup(raw).strip(plain, origin ? &behind : nullptr);
  const std::string_view text = markup ? std::string_view(plain) : raw;

  Writer writer(out, origin, text.size());
  Folding(steps_, text, writer).run();
  writer.finish(text.size());
  if (markup && origin) {
    for (std::uint32_t& offset : *origin) offset = behind[offset];
  }
}

}  // namespace linnet::text
