// The dictionary of a fastText file: words, then labels, one entry after the other.
#pragma once

#include <cstdint>

namespace linnet::foreign {

// Where a dictionary of `size` entries ends that begins at data[at]: each is a name, NUL, a count
// of 64 bits and a type. -1 if the data end before it.
std::int64_t dictionary_end(const std::uint8_t* data, std::int64_t bytes, std::int64_t at,
                            std::int64_t size);

// Copies a dictionary that `dictionary_end` has walked through: names [end - at - 10 size] one
// after the other, offset [size + 1], count and type [size].
void read_dictionary(const std::uint8_t* data, std::int64_t at, std::int64_t size,
                     std::uint8_t* names, std::int64_t* offset, std::int64_t* count,
                     std::uint8_t* type);

}  // namespace linnet::foreign
