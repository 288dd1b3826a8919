#include <cstdint>

#include "vectors.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kCommon = 10;  // a column is common when one row of so many has it

}  // namespace

Common::Common(const Vectors& stored, const Postings& postings)
    : slot_(static_cast<std::size_t>(stored.cols), -1) {
  for (std::int32_t c = 0; c < stored.cols; ++c) {
    if ((postings.start[c + 1] - postings.start[c]) * kCommon < stored.rows) continue;
    slot_[c] = static_cast<std::int32_t>(columns_++);
  }
  const std::int64_t tiles = (stored.rows + kTile - 1) / kTile;
  value_.resize(static_cast<std::size_t>(tiles * columns_ * kTile), 0.0f);
  for (std::int32_t c = 0; c < stored.cols; ++c) {
    if (slot_[c] < 0) continue;
    for (auto p = postings.start[c]; p < postings.start[c + 1]; ++p) {
      const std::int64_t tile = postings.row[p] / kTile, within = postings.row[p] % kTile;
      value_[(tile * columns_ + slot_[c]) * kTile + within] = postings.value[p];
    }
  }
}

}  // namespace linnet::memory
