// A list of names in few bytes, for a model file.
//
// Names that are sorted share their beginnings with their neighbours: of the 594,162 features of a
// chunker, 21 bytes each, 14 are those of the name before. So a name is written as
//
//   shared   1 byte: how many bytes it begins with that the name before it begins with too
//   length   of the rest, 7 bits a byte, the lowest first; the top bit says that more follow
//   rest     the bytes behind those
//
// Any order of any bytes is written and read back; the order only decides how short it gets. The
// same sharing serves the fingerprints (name_hash.hpp), whose hash goes from left to right: that of
// a name goes on where the name before it has the last byte they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../views.hpp"

namespace linnet::text {

// The names bytes[offset[j] .. offset[j + 1]) front-coded.
std::string front_coded(const char* bytes, const std::int64_t* offset, std::int64_t names);

struct FrontCoded {
  std::int64_t names = 0;
  std::int64_t bytes = 0;  // of all names, spelled
};

// How much is coded, or nothing where `code` is not what front_coded writes: a record that is cut
// short, or shares more than the name before it has.
std::optional<FrontCoded> measure_front_coded(const std::uint8_t* code, std::int64_t size);

// Spells what has been measured: bytes, offset[names + 1], and print[names] unless it is null.
void spell_front_coded(const std::uint8_t* code, std::int64_t size, std::uint64_t seed, char* bytes,
                       std::int64_t* offset, std::uint64_t* print);

}  // namespace linnet::text
