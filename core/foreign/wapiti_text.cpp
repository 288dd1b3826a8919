#include "wapiti_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace linnet::foreign {
namespace {

constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to it are doubles
constexpr int kTens = 22;                                 // powers of ten up to it are doubles
constexpr double kPower[kTens + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

int digit(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (base == 16 && c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Reads decimal digits from `at` on, at most `most` of them; -1 if there is none or one too many.
std::int64_t whole(std::string_view text, std::size_t& at, std::size_t most) {
  std::int64_t value = 0;
  const std::size_t first = at;
  for (; at < text.size() && digit(text[at], 10) >= 0; ++at) {
    if (at - first == most) return -1;
    value = 10 * value + digit(text[at], 10);
  }
  return at == first ? -1 : value;
}

}  // namespace

std::int64_t read_netstrings(std::string_view data, std::int64_t at, std::int64_t count, char* out,
                             std::int64_t* offset) {
  auto here = static_cast<std::size_t>(at);
  std::int64_t written = 0;
  offset[0] = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = whole(data, here, 10);
    if (size < 0 || here >= data.size() || data[here] != ':') return -1;
    ++here;
    const auto length = static_cast<std::size_t>(size);
    if (data.size() - here < length + 2) return -1;
    const char* const text = data.data() + here;
    if (text[length] != ',' || text[length + 1] != '\n') return -1;
    if (length != 0) {
      if (std::memchr(text, 0, length) != nullptr) return -1;
      std::memcpy(out + written, text, length);
    }
    written += size;
    offset[i + 1] = written;
    here += length + 2;
  }
  return static_cast<std::int64_t>(here);
}

namespace {

// A decimal number of many digits, where the library reads such without regard to the locale.
std::optional<double> long_number([[maybe_unused]] std::string_view text) {
#if defined(__cpp_lib_to_chars)
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && std::isfinite(value)) return value;
#endif
  return std::nullopt;
}

}  // namespace

std::optional<double> exact_number(std::string_view text) {
  std::size_t at = 0;
  const bool minus = !text.empty() && text[0] == '-';
  at += minus;
  const bool hexadecimal = text.substr(at, 2) == "0x";
  at += hexadecimal ? 2 : 0;
  const int base = hexadecimal ? 16 : 10;
  std::uint64_t mantissa = 0;
  int behind = 0, digits = 0;  // digits behind the point, and in all
  bool point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    const int next = digit(text[at], base);
    if (next < 0) break;
    mantissa = mantissa * static_cast<unsigned>(base) + static_cast<unsigned>(next);
    if (mantissa > kExact) return hexadecimal ? std::nullopt : long_number(text);
    behind += point;
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  std::int64_t power = 0;
  if (at < text.size() && text[at] == (hexadecimal ? 'p' : 'e')) {
    ++at;
    const bool down = at < text.size() && text[at] == '-';
    at += at < text.size() && (text[at] == '-' || text[at] == '+');
    power = whole(text, at, 4);
    if (power < 0) return std::nullopt;
    power = down ? -power : power;
  }
  if (at != text.size()) return std::nullopt;
  auto value = static_cast<double>(mantissa);
  if (hexadecimal) {
    value = std::ldexp(value, static_cast<int>(power - 4 * behind));
    if (!std::isfinite(value)) return std::nullopt;
  } else {
    power -= behind;  // one product or quotient of two doubles is rounded once
    if (power < -kTens || power > kTens) return long_number(text);
    value = power < 0 ? value / kPower[-power] : value * kPower[power];
  }
  return minus ? -value : value;
}

bool read_weights(std::string_view data, std::int64_t count, std::int64_t* place, double* value) {
  std::size_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    place[i] = whole(data, at, 18);
    if (place[i] < 0 || at >= data.size() || data[at] != '=') return false;
    const std::size_t end = data.find('\n', ++at);
    if (end == std::string_view::npos) return false;
    const std::optional<double> number = exact_number(data.substr(at, end - at));
    if (!number) return false;
    value[i] = *number;
    at = end + 1;
  }
  return at == data.size();
}

bool read_numbers(std::string_view data, std::int64_t count, double* value) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  std::size_t at = data.find_first_not_of(kSpaces);
  for (std::int64_t i = 0; i < count; ++i) {
    if (at == std::string_view::npos) return false;
    const std::size_t end = std::min(data.find_first_of(kSpaces, at), data.size());
    const std::optional<double> number = exact_number(data.substr(at, end - at));
    if (!number) return false;
    value[i] = *number;
    at = data.find_first_not_of(kSpaces, end);
  }
  return at == std::string_view::npos;
}

}  // namespace linnet::foreign
