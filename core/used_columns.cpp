#include "used_columns.hpp"

#include <atomic>
#include <vector>

#include "numeric.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kBlock = 1 << 16;

LINNET_CLONES bool number_all(const UsedColumns::Word* words, const std::int32_t* column,
                              std::int64_t count, std::int32_t* out) {
  std::uint32_t used = 1;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto j = static_cast<std::uint32_t>(column[k]);
    const auto [bits, before] = words[j / 32];
    used &= bits >> (j % 32);
    out[k] = before + std::popcount(bits & ((1U << (j % 32)) - 1));
  }
  return used != 0;
}

}  // namespace

void UsedColumns::find(const std::int32_t* index, std::int64_t stored, ThreadPool& pool) {
  const auto size = static_cast<std::size_t>(cols_ / 32 + 1);
  // Each thread marks the columns of its own part of the values.
  const std::int64_t parts = std::clamp(pool.threads(), 1, 8);
  std::vector<LargeVector<std::uint32_t>> marks(static_cast<std::size_t>(parts));
  pool.run(parts, [&](std::int64_t part) {
    marks[part].resize(size);
    std::uint32_t* const mark = marks[part].data();
    for (std::int64_t k = part * stored / parts; k < (part + 1) * stored / parts; ++k) {
      const auto j = static_cast<std::uint32_t>(index[k]);
      mark[j / 32] |= 1U << (j % 32);
    }
  });
  words_.resize(size);
  used_ = 0;
  for (std::size_t w = 0; w < size; ++w) {
    std::uint32_t bits = 0;
    for (const auto& mark : marks) bits |= mark[w];
    words_[w] = {bits, used_};
    used_ += std::popcount(bits);
  }
}

bool UsedColumns::number(const std::int32_t* column, std::int64_t count, std::int32_t* out,
                         ThreadPool& pool) const {
  std::atomic<bool> known{true};
  pool.ranges(count, kBlock, [&](std::int64_t first, std::int64_t last) {
    if (!number_all(words_.data(), column + first, last - first, out + first)) known = false;
  });
  return known;
}

void UsedColumns::columns(std::int32_t* out, ThreadPool& pool) const {
  pool.ranges(static_cast<std::int64_t>(words_.size()), kBlock,
              [&](std::int64_t from, std::int64_t to) {
                for_each(static_cast<std::size_t>(from), static_cast<std::size_t>(to),
                         [&](std::int32_t column, std::int32_t number) { out[number] = column; });
              });
}

}  // namespace linnet
