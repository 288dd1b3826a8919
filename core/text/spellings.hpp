// Murmur3 of the spellings of many n-grams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet::text {

// Where a spelling is.
struct Span {
  std::uint32_t begin, size;
};

// Memory goes on for so many bytes behind the last spelling.
inline constexpr std::size_t kBehind = 20;

// out[k] = murmur3 of the bytes of spans[k] in `text`.
void murmur3(const char* text, std::span<const Span> spans, std::uint32_t* out);

}  // namespace linnet::text
