// The attributes of a CRFsuite model: from names to numbers, and the hash of its own tables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace linnet::foreign {

class AttributeNames {
 public:
  virtual ~AttributeNames() = default;
  // The number of a name, -1 if it is none.
  virtual std::int32_t find(std::string_view name) const = 0;
};

class AttributeTable final : public AttributeNames {
 public:
  // Names bytes[offset[i] .. offset[i + 1]). Throws std::invalid_argument when one is there twice.
  AttributeTable(const char* bytes, const std::int64_t* offset, std::int32_t names);

  std::int32_t find(std::string_view name) const override;

  std::int32_t size() const { return names_; }

 private:
  struct Slot {
    std::uint64_t hash;
    std::int32_t number;  // -1: free
  };

  const char* const bytes_;
  const std::int64_t* const offset_;
  const std::int32_t names_;
  std::uint64_t seed_;
  std::vector<Slot> slot_;
};

// Bob Jenkins' lookup3 with seed 0 of a name and the NUL behind it, which the tables in a CRFsuite
// file are laid out by.
std::uint32_t lookup3(std::string_view name);

}  // namespace linnet::foreign
