#include "attributes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "../text/fingerprint.hpp"

namespace linnet::foreign {

AttributeTable::AttributeTable(const char* bytes, const std::int64_t* offset, std::int32_t names)
    : bytes_(bytes), offset_(offset), names_(names) {
  slot_.assign(std::bit_ceil(2 * static_cast<std::size_t>(names) + 2), Slot{0, -1});
  // A place in memory that nobody knows beforehand: no file can give all its names one hash.
  seed_ = reinterpret_cast<std::uintptr_t>(slot_.data());
  for (std::int32_t i = 0; i < names; ++i) {
    const std::string_view name(bytes + offset[i],
                                static_cast<std::size_t>(offset[i + 1] - offset[i]));
    if (find(name) >= 0) throw std::invalid_argument("an attribute is there twice");
    const std::uint64_t hash = text::fingerprint(name, seed_);
    std::size_t at = hash & (slot_.size() - 1);
    while (slot_[at].number >= 0) at = (at + 1) & (slot_.size() - 1);
    slot_[at] = {hash, i};
  }
}

std::int32_t AttributeTable::find(std::string_view name) const {
  const std::uint64_t hash = text::fingerprint(name, seed_);
  for (std::size_t at = hash & (slot_.size() - 1);; at = (at + 1) & (slot_.size() - 1)) {
    const Slot& slot = slot_[at];
    if (slot.number < 0) return -1;
    if (slot.hash != hash) continue;
    const std::int64_t first = offset_[slot.number], last = offset_[slot.number + 1];
    if (name == std::string_view(bytes_ + first, static_cast<std::size_t>(last - first))) {
      return slot.number;
    }
  }
}

std::uint32_t lookup3(std::string_view name) {
  const char* data = name.data();
  std::size_t left = name.size() + 1;
  std::uint32_t s[3];  // a, b, c
  s[0] = s[1] = s[2] = 0xDEADBEEFU + static_cast<std::uint32_t>(left);
  const auto add = [&](const char* from) {
    for (int w = 0; w < 3; ++w) s[w] += text::load<std::uint32_t>(from + 4 * w);
  };
  for (; left > 12; left -= 12, data += 12) {
    add(data);
    constexpr int kTurns[6] = {4, 6, 8, 16, 19, 4};
    for (int step = 0; step < 6; ++step) {
      std::uint32_t &x = s[step % 3], &y = s[(step + 1) % 3], &z = s[(step + 2) % 3];
      x -= z;
      x ^= std::rotl(z, kTurns[step]);
      z += y;
    }
  }
  char last[12] = {};  // the NUL is one of its zeros
  if (left > 1) std::memcpy(last, data, left - 1);
  add(last);
  constexpr int kPairs[7][3] = {{2, 1, 14}, {0, 2, 11}, {1, 0, 25}, {2, 1, 16},
                                {0, 2, 4},  {1, 0, 14}, {2, 1, 24}};
  for (const auto& [x, z, turn] : kPairs) {
    s[x] ^= s[z];
    s[x] -= std::rotl(s[z], turn);
  }
  return s[2];
}

}  // namespace linnet::foreign
