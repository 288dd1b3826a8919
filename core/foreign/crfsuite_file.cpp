#include "crfsuite_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "../text/fingerprint.hpp"

namespace linnet::foreign {
namespace {

constexpr std::uint32_t kMostLabels = 5792;  // with so many the transitions take 256 MB
constexpr std::size_t kTables = 256;         // of a table of names
constexpr std::size_t kTableHeads = 24;      // where they are listed
constexpr std::size_t kRecords = kTableHeads + 8 * kTables;
constexpr std::size_t kHead = 12;     // of any other part: magic, size, count
constexpr std::size_t kFeature = 20;  // bytes
constexpr std::uint32_t kByteOrder = 0x62445371;
constexpr double kLargest = 1e100;  // sums of many of these are finite

[[noreturn]] void damaged(std::size_t at, const char* what, std::uint64_t value) {
  throw DamagedFile("is damaged at byte " + std::to_string(at) + ": " + what + " cannot be " +
                    std::to_string(value) + "; copy it again");
}

}  // namespace

std::uint32_t CrfsuiteFile::word(std::size_t at) const {
  return text::load<std::uint32_t>(reinterpret_cast<const char*>(data_.data()) + at);
}

CrfsuiteFile::CrfsuiteFile(std::span<const std::uint8_t> data) : data_(data) {
  if (data.size() < 48) {
    throw DamagedFile("ends at byte " + std::to_string(data.size()) +
                      ", within its header; copy it again");
  }
  if (std::memcmp(data.data(), "lCRF", 4) != 0 || std::memcmp(data.data() + 8, "FOMC", 4) != 0) {
    throw DamagedFile("is of a type that linnet does not know");
  }
  if (word(12) != 100) {
    throw DamagedFile("has version " + std::to_string(word(12)) + "; linnet reads version 100");
  }
  if (word(4) != data.size()) {
    throw DamagedFile("says that it has " + std::to_string(word(4)) + " bytes, and has " +
                      std::to_string(data.size()) + "; copy it again");
  }
  if (word(20) < 1 || word(20) > kMostLabels) damaged(20, "the number of labels", word(20));
  if (word(24) > INT32_MAX / 4) damaged(24, "the number of attributes", word(24));
  features_ = part(28, "FEAT");
  const std::size_t count = word(features_.begin + 8);
  if (features_.size != kHead + kFeature * count) {
    damaged(features_.begin + 8, "the number of features", count);
  }
  labels_ = name_table(32, word(20));
  attributes_ = name_table(36, word(24));
  after_ = lists(40, "LFRF", word(20));
  of_ = lists(44, "AFRF", word(24));
}

CrfsuiteFile::Part CrfsuiteFile::part(std::size_t header, const char* magic) const {
  const std::size_t at = word(header);
  if (at < 48 || at > data_.size() - kHead || std::memcmp(data_.data() + at, magic, 4) != 0) {
    damaged(header, "the place of a part", at);
  }
  const std::size_t size = word(at + 4);
  if (size < kHead || size > data_.size() - at) damaged(at + 4, "the size of a part", size);
  return {at, size};
}

CrfsuiteFile::NameTable CrfsuiteFile::name_table(std::size_t header, std::uint32_t count) const {
  const Part where = part(header, "CQDB");
  const auto [at, size] = where;
  if (size < kRecords) damaged(at + 4, "the size of a table of names", size);
  if (word(at + 8) != 0 || word(at + 12) != kByteOrder) {
    damaged(at + 12, "the mark of a table of names", word(at + 12));
  }
  if (word(at + 16) != count) damaged(at + 16, "the number of names", word(at + 16));
  const std::size_t links = word(at + 20);
  if (links < kRecords || links > size || count > (size - links) / 4) {
    damaged(at + 20, "the place of the links", links);
  }
  return {where, static_cast<std::int32_t>(count), links};
}

CrfsuiteFile::Part CrfsuiteFile::lists(std::size_t header, const char* magic,
                                       std::uint32_t owners) const {
  const Part where = part(header, magic);
  const std::uint32_t count = word(where.begin + 8);
  if (count < owners || count > (where.size - kHead) / 4) {
    damaged(where.begin + 8, "the number of lists of features", count);
  }
  return where;
}

// The name of a record: number, length with the NUL at its end, bytes, NUL.
std::string_view CrfsuiteFile::record(const NameTable& table, std::size_t at) const {
  if (at < kRecords || at > table.size - 9) {
    damaged(table.begin, "the place of a name within this table", at);
  }
  const std::size_t length = word(table.begin + at + 4);
  const auto* const first = reinterpret_cast<const char*>(data_.data()) + table.begin + at + 8;
  if (length < 1 || length > table.size - at - 8 || first[length - 1] != 0) {
    damaged(table.begin + at + 4, "the length of a name", length);
  }
  return {first, length - 1};
}

std::string_view CrfsuiteFile::name(const NameTable& table, std::int32_t number) const {
  const std::size_t at = word(table.begin + table.links + 4 * static_cast<std::size_t>(number));
  const std::string_view spelled = record(table, at);
  const std::uint32_t stored = word(table.begin + at);
  if (stored != static_cast<std::uint32_t>(number)) {
    damaged(table.begin + at, "the number of a name", stored);
  }
  return spelled;
}

std::int32_t CrfsuiteFile::find(std::string_view name) const {
  const NameTable& table = attributes_;
  const std::uint32_t hash = lookup3(name);
  const std::size_t head = table.begin + kTableHeads + 8 * (hash % kTables);
  const std::size_t at = word(head), slots = word(head + 4);
  if (at == 0 || slots == 0) return -1;
  if (at < kRecords || at > table.size || slots > (table.size - at) / 8) {
    damaged(head, "the place of a table of hashes", at);
  }
  std::size_t slot = hash / kTables % slots;
  for (std::size_t tried = 0; tried < slots; ++tried, slot = slot + 1 == slots ? 0 : slot + 1) {
    const std::size_t where = table.begin + at + 8 * slot;
    const std::size_t place = word(where + 4);
    if (place == 0) return -1;
    if (word(where) != hash || record(table, place) != name) continue;
    const std::uint32_t number = word(table.begin + place);
    if (number >= static_cast<std::uint32_t>(table.count) ||
        word(table.begin + table.links + 4 * std::size_t{number}) != place) {
      damaged(table.begin + place, "the number of a name", number);
    }
    return static_cast<std::int32_t>(number);
  }
  return -1;
}

std::span<const std::uint8_t> CrfsuiteFile::list(const Part& lists, std::int32_t owner) const {
  const std::size_t link = lists.begin + kHead + 4 * static_cast<std::size_t>(owner);
  const std::size_t at = word(link), end = lists.begin + lists.size;
  if (at < lists.begin + kHead || at > end - 4) damaged(link, "the place of a list", at);
  const std::size_t length = word(at);
  // a label is there once at most
  if (length > (end - at - 4) / 4 || length > static_cast<std::size_t>(labels_.count)) {
    damaged(at, "the length of a list", length);
  }
  return data_.subspan(at + 4, 4 * length);
}

CrfsuiteFile::Feature CrfsuiteFile::feature(std::uint32_t number, std::uint32_t type,
                                            std::int32_t owner) const {
  if (number >= (features_.size - kHead) / kFeature) {
    damaged(features_.begin, "the number of a feature", number);
  }
  const std::size_t at = features_.begin + kHead + kFeature * number;
  const auto weight = word(at + 12) | std::uint64_t{word(at + 16)} << 32;
  const Feature stored{word(at), word(at + 4), word(at + 8), std::bit_cast<double>(weight)};
  if (stored.type != type || stored.source != static_cast<std::uint32_t>(owner) ||
      stored.target >= static_cast<std::uint32_t>(labels_.count)) {
    damaged(at, "a feature", number);
  }
  if (!(std::abs(stored.weight) <= kLargest)) {  // false for NaN
    throw DamagedFile("is damaged at byte " + std::to_string(at + 12) +
                      ": a weight cannot be NaN, infinite or beyond 1e100; copy it again");
  }
  return stored;
}

void CrfsuiteFile::transitions(double* out) const {
  const auto n = static_cast<std::size_t>(labels_.count);
  std::fill_n(out, n * n, 0.0);
  std::vector<std::uint8_t> seen(n);
  for (std::int32_t label = 0; label < labels_.count; ++label, out += n) {
    std::fill(seen.begin(), seen.end(), std::uint8_t{0});
    const auto numbers = list(after_, label);
    for (std::size_t k = 0; k < numbers.size(); k += 4) {
      const std::size_t at = static_cast<std::size_t>(numbers.data() - data_.data()) + k;
      const Feature found = feature(word(at), 1, label);
      if (seen[found.target]++ != 0) damaged(at, "a transition that is there twice", word(at));
      out[found.target] = found.weight;
    }
  }
}

void CrfsuiteFile::append(std::int32_t attribute, LabelWeights& to) const {
  const auto numbers = list(of_, attribute);
  const std::size_t first = to.label.size();
  const auto at = static_cast<std::size_t>(numbers.data() - data_.data());
  for (std::size_t k = 0; k < numbers.size(); k += 4) {
    const Feature found = feature(word(at + k), 0, attribute);
    const auto label = static_cast<std::int32_t>(found.target);
    // labels ascend in most files; the others are put in their places
    std::size_t place = to.label.size();
    while (place > first && to.label[place - 1] > label) --place;
    if (place > first && to.label[place - 1] == label) {
      damaged(at + k, "a feature that is there twice", word(at + k));
    }
    to.label.insert(to.label.begin() + static_cast<std::ptrdiff_t>(place), label);
    to.weight.insert(to.weight.begin() + static_cast<std::ptrdiff_t>(place), found.weight);
  }
  to.start.push_back(std::ssize(to.label));
}

LabelWeights CrfsuiteFile::weights(std::span<const std::int32_t> attributes) const {
  LabelWeights found;
  found.start.reserve(attributes.size() + 1);
  for (const std::int32_t attribute : attributes) append(attribute, found);
  return found;
}

NameBytes CrfsuiteFile::names() const {
  NameBytes found;
  found.offset.reserve(static_cast<std::size_t>(attributes_.count) + 1);
  for (std::int32_t number = 0; number < attributes_.count; ++number) {
    const std::string_view spelled = name(attributes_, number);
    if (found.bytes.size() + spelled.size() > attributes_.size) {
      throw DamagedFile("is damaged: it has names that lie over each other; copy it again");
    }
    if (find(spelled) != number) {
      throw DamagedFile("is damaged: the name of attribute " + std::to_string(number) +
                        " is not found in its table, or is there twice; copy it again");
    }
    found.bytes.insert(found.bytes.end(), spelled.begin(), spelled.end());
    found.offset.push_back(std::ssize(found.bytes));
  }
  return found;
}

}  // namespace linnet::foreign
