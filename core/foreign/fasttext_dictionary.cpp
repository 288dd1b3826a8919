#include "fasttext_dictionary.hpp"

#include <cstring>

namespace linnet::foreign {

std::int64_t dictionary_end(const std::uint8_t* data, std::int64_t bytes, std::int64_t at,
                            std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) {
    const void* const stop =
        at < bytes ? std::memchr(data + at, 0, static_cast<std::size_t>(bytes - at)) : nullptr;
    if (stop == nullptr) return -1;
    at = static_cast<const std::uint8_t*>(stop) - data + 10;
    if (at > bytes) return -1;
  }
  return at;
}

void read_dictionary(const std::uint8_t* data, std::int64_t at, std::int64_t size,
                     std::uint8_t* names, std::int64_t* offset, std::int64_t* count,
                     std::uint8_t* type) {
  std::int64_t written = 0;
  offset[0] = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    while (data[at] != 0) names[written++] = data[at++];
    offset[i + 1] = written;
    std::memcpy(count + i, data + at + 1, sizeof(std::int64_t));
    type[i] = data[at + 9];
    at += 10;
  }
}

}  // namespace linnet::foreign
