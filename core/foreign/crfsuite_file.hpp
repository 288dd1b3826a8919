// A CRFsuite model as it lies in its file. Names are looked up and weights are read where they are,
// so that a first answer does not wait for what it does not need. Nothing in the file is believed:
// every place is compared with the size of its part before it is read, and what cannot be throws
// DamagedFile, whenever it is met.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.hpp"

namespace linnet::foreign {

// What is wrong with a file, as the end of a sentence that begins with what the file is.
struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Names bytes[offset[i] .. offset[i + 1]).
struct NameBytes {
  std::vector<char> bytes;
  std::vector<std::int64_t> offset{0};
};

// Attribute i of those asked for has the weights weight[start[i] .. start[i + 1]) for these labels,
// which ascend.
struct LabelWeights {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> label;
  std::vector<double> weight;
};

class CrfsuiteFile final : public AttributeNames {
 public:
  // Checks the header and the heads of all parts.
  explicit CrfsuiteFile(std::span<const std::uint8_t> data);

  std::int32_t labels() const { return labels_.count; }
  std::int32_t attributes() const { return attributes_.count; }

  std::string_view label(std::int32_t number) const { return name(labels_, number); }

  // The number of an attribute by the hash tables of the file, -1 if it is none.
  std::int32_t find(std::string_view name) const override;

  // Writes all transitions, [labels, labels], the earlier label first; 0 where there is none.
  void transitions(double* out) const;

  // The weights of attributes below attributes().
  LabelWeights weights(std::span<const std::int32_t> attributes) const;

  // The names of all attributes, each of which is found under its number.
  NameBytes names() const;

 private:
  // A part of the file; places within it count from its begin.
  struct Part {
    std::size_t begin, size;
  };
  struct NameTable : Part {
    std::int32_t count;
    std::size_t links;  // where the places of the records are listed, by number
  };
  struct Feature {
    std::uint32_t type, source, target;
    double weight;
  };

  std::uint32_t word(std::size_t at) const;
  Part part(std::size_t header, const char* magic) const;
  NameTable name_table(std::size_t header, std::uint32_t count) const;
  Part lists(std::size_t header, const char* magic, std::uint32_t owners) const;
  std::string_view name(const NameTable& table, std::int32_t number) const;
  std::string_view record(const NameTable& table, std::size_t at) const;
  std::span<const std::uint8_t> list(const Part& lists, std::int32_t owner) const;
  void append(std::int32_t attribute, LabelWeights& to) const;
  Feature feature(std::uint32_t number, std::uint32_t type, std::int32_t owner) const;

  std::span<const std::uint8_t> data_;
  Part features_{};
  NameTable labels_{}, attributes_{};
  Part after_{}, of_{};  // the lists of transitions after labels, and of features of attributes
};

}  // namespace linnet::foreign
