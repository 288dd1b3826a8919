// The tokens of a corpus, numbered in the order of their spellings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "analysis.hpp"
#include "blocks.hpp"

namespace linnet::text {

// Different tokens in the order of their coming. Spellings are compared, not only fingerprints.
class Dictionary {
 public:
  std::uint32_t number(std::uint64_t print, std::string_view spelling);
  std::size_t size() const { return prints_.size(); }
  std::string_view spelling(std::size_t id) const {
    return std::string_view(bytes_).substr(offset_[id], offset_[id + 1] - offset_[id]);
  }

 private:
  struct Slot {
    std::uint64_t print = 0;
    std::uint32_t id = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
  std::vector<std::uint64_t> prints_;
  std::vector<std::size_t> offset_{0};
  std::string bytes_;
};

class Numbered {
 public:
  Numbered(Texts texts, const Analysis& analysis, ThreadPool& pool);

  std::vector<std::int64_t> start;                            // [texts + 1] into token
  LargeVector<std::uint32_t> token;                           // [all tokens] number of each
  bool ends(std::size_t at) const { return last_[at] != 0; }  // no n-gram goes on behind it

  std::uint64_t spellings() const { return spelling_.size(); }
  std::string_view spelling(std::uint32_t number) const { return spelling_[number]; }

 private:
  struct Lane {  // what one thread has read
    Dictionary dictionary;
    LargeVector<std::uint32_t> token;
    LargeVector<std::uint8_t> last;
    std::vector<std::uint32_t> number;  // of each of its own ids among all
  };
  void rank(ThreadPool& pool);

  std::vector<Lane> lanes_;
  LargeVector<std::uint8_t> last_;
  std::vector<std::string_view> spelling_;  // ascending
};

}  // namespace linnet::text
