#include "tagger_json.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "../text/fingerprint.hpp"
#include "../text/unicode.hpp"
#include "wapiti_text.hpp"

namespace linnet::foreign {
namespace {

constexpr std::size_t kMostTags = 4096;         // a forged file can give many of them one hash
constexpr double kLargest = 1e100;              // from here on, sums of weights may overflow
constexpr std::size_t kLargestFile = 1U << 31;  // there are fewer names than that

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return text::fingerprint(text, 0); }
};

// A walk over the file, which is UTF-8; every step is false at its end and where another thing is.
class Walk {
 public:
  explicit Walk(std::string_view file) : file_(file) {}

  bool run() {
    bool weights = false, words = false, classes = false;
    const auto once = [](bool& done) { return !std::exchange(done, true); };
    const bool read = list('{', '}', [&] {
      std::string_view part;
      if (!text(part)) return false;
      if (part == "weights") return once(weights) && next(':') && read_weights();
      if (part == "tagdict") return once(words) && next(':') && read_words();
      return part == "classes" && once(classes) && next(':') && read_classes();
    });
    skip_space();
    return read && at_ == file_.size() && weights && words && classes && number_tags();
  }

  TaggerJson& made() { return made_; }

 private:
  char peek() const { return at_ < file_.size() ? file_[at_] : '\0'; }

  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }

  bool next(char wanted) {
    skip_space();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  // What stands between two brackets, with commas between.
  template <class Item>
  bool list(char open, char close, Item&& item) {
    if (!next(open)) return false;
    if (next(close)) return true;
    do {
      if (!item()) return false;
    } while (next(','));
    return next(close);
  }

  bool read_weights() {
    TagWeights& weights = made_.weights;
    const bool read = list('{', '}', [&] {
      std::string_view name;
      if (!text(name)) return false;
      weights.names.append(name);
      weights.offset.push_back(std::ssize(weights.names));
      if (!next(':') || !list('{', '}', [&] { return weight(); })) return false;
      weights.start.push_back(std::ssize(weights.pair));
      return true;
    });
    return read && weights.start.size() > 1;
  }

  bool weight() {
    std::string_view tag;
    auto& [number, value] = made_.weights.pair.emplace_back();
    return text(tag) && seen(tag, number) && next(':') && real(value);
  }

  bool read_words() {
    return list('{', '}', [&] {
      std::string_view word, tag;
      if (!text(word)) return false;
      made_.words.append(word);
      made_.word_offset.push_back(std::ssize(made_.words));
      return next(':') && text(tag) && !tag.empty() && seen(tag, made_.word_tag.emplace_back());
    });
  }

  bool read_classes() {
    return list('[', ']', [&] {
      std::string_view tag;
      if (!text(tag)) return false;
      made_.tags.emplace_back(tag);
      return true;
    });
  }

  // A text; it is valid until the next one is read.
  bool text(std::string_view& out) {
    if (!next('"')) return false;
    const std::size_t begin = at_;
    bool plain = true;
    for (; peek() != '"'; ++at_) {
      if (static_cast<unsigned char>(peek()) < 0x20) return false;  // or the end
      if (peek() != '\\') {
        if (!plain) spelled_.push_back(peek());
        continue;
      }
      if (plain) spelled_.assign(file_, begin, at_ - begin);
      plain = false;
      ++at_;
      if (!escape()) return false;
    }
    out = plain ? file_.substr(begin, at_ - begin) : std::string_view(spelled_);
    ++at_;
    return true;
  }

  // What stands for a character behind a backslash; goes to the last byte of it.
  bool escape() {
    constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (peek() == 'u') return code();
    const std::size_t which = kWritten.find(peek());
    if (which == std::string_view::npos) return false;
    spelled_.push_back(kMeant[which]);
    return true;
  }

  bool code() {
    char32_t c = 0, low = 0;
    if (!hexadecimal(c)) return false;
    if (c >= 0xD800 && c < 0xE000) {  // the first of two, which UTF-8 has no place for alone
      if (c >= 0xDC00 || file_.substr(at_ + 1, 2) != "\\u") return false;
      at_ += 2;
      if (!hexadecimal(low) || low < 0xDC00 || low >= 0xE000) return false;
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    text::append(c, spelled_);
    return true;
  }

  // The four digits behind the place, which goes to the last of them.
  bool hexadecimal(char32_t& out) {
    for (int k = 0; k < 4; ++k) {
      ++at_;
      const char c = peek();
      const bool decimal = c >= '0' && c <= '9', small = c >= 'a' && c <= 'f';
      if (!decimal && !small && !(c >= 'A' && c <= 'F')) return false;
      out = out << 4 | static_cast<char32_t>(decimal ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  bool real(double& out) {
    skip_space();
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    const std::size_t first = at_;
    if (!digits() || (zero && at_ > first + 1)) return false;
    const std::size_t whole = at_;
    if (peek() == '.' && (++at_, !digits())) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      if (!digits()) return false;
    }
    const std::optional<double> number = exact_number(file_.substr(begin, at_ - begin));
    if (at_ == whole || !number || !(std::abs(*number) < kLargest)) return false;
    out = *number;
    return true;
  }

  // The number of a tag in the order in which they are seen.
  bool seen(std::string_view tag, std::int32_t& number) {
    const auto found = seen_.find(tag);
    if (found != seen_.end()) {
      number = found->second;
      return true;
    }
    number = static_cast<std::int32_t>(seen_.size());
    seen_.emplace(tag, number);
    return seen_.size() <= kMostTags;
  }

  // Gives tags their numbers among the classes, and puts the weights of a feature in order.
  bool number_tags() {
    std::vector<std::string>& tags = made_.tags;
    std::sort(tags.begin(), tags.end());
    if (std::adjacent_find(tags.begin(), tags.end()) != tags.end()) return false;
    std::vector<std::int32_t> rank(seen_.size());
    for (const auto& [tag, number] : seen_) {
      const auto found = std::lower_bound(tags.begin(), tags.end(), tag);
      if (found == tags.end() || *found != tag) return false;
      rank[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(found - tags.begin());
    }
    const auto ranked = [&](std::int32_t number) { return rank[static_cast<std::size_t>(number)]; };
    for (std::int32_t& tag : made_.word_tag) tag = ranked(tag);
    auto& [names, offset, start, pair] = made_.weights;
    for (auto& each : pair) each.first = ranked(each.first);
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
      const auto first = pair.begin() + start[i], last = pair.begin() + start[i + 1];
      std::sort(first, last);
      const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
      if (std::adjacent_find(first, last, same) != last) return false;
    }
    return true;
  }

  const std::string_view file_;
  std::size_t at_ = 0;
  std::string spelled_;  // the last text that has escapes
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> seen_;
  TaggerJson made_;
};

}  // namespace

std::optional<TaggerJson> tagger_json(std::string_view file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8, as some editors write it
  if (file.starts_with(kMark)) file.remove_prefix(kMark.size());
  if (file.size() >= kLargestFile) return std::nullopt;
  if (text::invalid_at(file) != std::string_view::npos) return std::nullopt;
  Walk walk(file);
  if (!walk.run()) return std::nullopt;
  return std::move(walk.made());
}

}  // namespace linnet::foreign
