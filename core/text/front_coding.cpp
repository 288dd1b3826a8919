// Front coding: names as what is new in each (front_coding.hpp).
#include "front_coding.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "name_hash.hpp"

namespace linnet::text {
namespace {

constexpr std::int64_t kMostShared = 255;

struct Record {
  std::int64_t shared, rest;
  std::int64_t at;  // where the rest begins
};

// The record at code[at], or nothing where it is cut short.
std::optional<Record> record_at(const std::uint8_t* code, std::int64_t size, std::int64_t at) {
  Record record{code[at++], 0, 0};
  for (int shift = 0;; shift += 7) {
    if (at == size || shift > 49) return std::nullopt;
    record.rest |= std::int64_t{code[at] & 127} << shift;
    if (code[at++] < 128) break;
  }
  record.at = at;
  if (record.rest > size - at) return std::nullopt;
  return record;
}

}  // namespace

std::string front_coded(const char* bytes, const std::int64_t* offset, std::int64_t names) {
  std::string code;
  const char* before = bytes;
  std::int64_t length_before = 0;
  for (std::int64_t j = 0; j < names; ++j) {
    const char* const name = bytes + offset[j];
    const std::int64_t length = offset[j + 1] - offset[j];
    const std::int64_t most = std::min({length, length_before, kMostShared});
    const std::int64_t shared = std::mismatch(name, name + most, before).first - name;
    code.push_back(static_cast<char>(shared));
    auto rest = static_cast<std::uint64_t>(length - shared);
    for (; rest > 127; rest >>= 7) code.push_back(static_cast<char>(rest | 128));
    code.push_back(static_cast<char>(rest));
    code.append(name + shared, static_cast<std::size_t>(length - shared));
    before = name, length_before = length;
  }
  return code;
}

std::optional<FrontCoded> measure_front_coded(const std::uint8_t* code, std::int64_t size) {
  FrontCoded sum;
  std::int64_t before = 0;
  for (std::int64_t at = 0; at < size;) {
    const std::optional<Record> record = record_at(code, size, at);
    if (!record || record->shared > before) return std::nullopt;
    before = record->shared + record->rest;
    at = record->at + record->rest;
    ++sum.names;
    sum.bytes += before;
  }
  return sum;
}

void spell_front_coded(const std::uint8_t* code, std::int64_t size, std::uint64_t seed, char* bytes,
                       std::int64_t* offset, std::uint64_t* print) {
  const NameHash hash(seed);
  std::vector<std::uint64_t> begun(1, 0);  // begun[k] is the hash of the first k bytes of a name
  char *to = bytes, *before = bytes;
  *offset = 0;
  for (std::int64_t at = 0; at < size;) {
    const Record record = *record_at(code, size, at);
    std::memmove(to, before, static_cast<std::size_t>(record.shared));
    std::memcpy(to + record.shared, code + record.at, static_cast<std::size_t>(record.rest));
    const std::int64_t length = record.shared + record.rest;
    if (print) {
      if (std::ssize(begun) <= length) begun.resize(static_cast<std::size_t>(2 * length));
      for (std::int64_t k = record.shared; k < length; ++k)
        begun[k + 1] = hash.behind(begun[k], to[k]);
      *print++ = print_of(begun[length]);
    }
    before = to;
    to += length;
    *++offset = to - bytes;
    at = record.at + record.rest;
  }
}

}  // namespace linnet::text
