#include "text/markup.hpp"

#include <algorithm>
#include <cstring>

#include "text/unicode.hpp"

namespace linnet::text {
namespace {

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

// Tells tags from other angle brackets, going forwards through one text.
class Tags {
 public:
  explicit Tags(std::string_view raw) : raw_(raw) {}

  // The length of the tag or comment whose '<' is at i; 0 if it is just a '<'. A tag holds no other
  // '<', so a scan never passes the next candidate and all of them together pass the text once.
  std::size_t length(std::size_t i) {
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

 private:
  std::string_view raw_;
  std::size_t comment_end_ = 0;  // the last "-->" looked for; npos: there are no more
};

}  // namespace

std::size_t find_markup(std::string_view text, std::size_t i) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL, kHigh = kOnes << 7;
  const auto holds = [](std::uint64_t word, char c) {  // whether a byte of the word is c
    const std::uint64_t zero = word ^ (kOnes * static_cast<unsigned char>(c));
    return (zero - kOnes) & ~zero & kHigh;
  };
  for (std::uint64_t word; text.size() - i >= sizeof word; i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if (holds(word, '<') | holds(word, '&')) break;
  }
  while (i < text.size() && text[i] != '<' && text[i] != '&') ++i;
  return i;
}

void strip_markup(std::string_view raw, std::string& out, std::vector<std::uint32_t>* origin) {
  out.clear();
  out.reserve(raw.size());  // nothing grows
  if (origin) origin->clear();
  const auto trace = [origin](std::size_t from) {
    if (origin) origin->push_back(static_cast<std::uint32_t>(from));
  };
  Tags tags(raw);
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t next = find_markup(raw, i);
    out.append(raw, i, next - i);
    for (; i < next; ++i) trace(i);
    if (i == raw.size()) break;
    char32_t c = ' ';
    const std::size_t length = raw[i] == '<' ? tags.length(i) : entity(raw.substr(i), c);
    append(length ? c : static_cast<char32_t>(raw[i]), out);
    while (origin && origin->size() < out.size()) trace(i);
    i += std::max<std::size_t>(length, 1);
  }
  trace(raw.size());
}

}  // namespace linnet::text
