#include "by_class.hpp"

namespace linnet {
namespace {

constexpr std::int64_t kParts = 64;       // about so many pieces of work
constexpr std::int64_t kPerFeature = 8;   // a part has at least so many values for each feature
constexpr std::int64_t kFeatures = 4096;  // features per block when parts are added

}  // namespace

ByClass::ByClass(const std::int64_t* start, std::int64_t rows, std::int32_t cols,
                 const Labelled& labels)
    : labels_(labels), cols_(cols), order_(static_cast<std::size_t>(rows)) {
  const auto classes = static_cast<std::size_t>(labels.classes);
  std::vector<std::int64_t> border(classes + 1), stored(classes);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto k = static_cast<std::size_t>(labels.gold[i]);
    ++border[k + 1];
    stored[k] += start[i + 1] - start[i];
  }
  for (std::size_t k = 1; k < border.size(); ++k) border[k] += border[k - 1];
  std::vector<std::int64_t> next(border.begin(), border.end() - 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    order_[static_cast<std::size_t>(next[static_cast<std::size_t>(labels.gold[i])]++)] = i;
  }

  // A part of its own has a row of `cols` sums to clear, to fill and to add up, so it must hold a
  // multiple of that; the parts of a class are of one size.
  const std::int64_t least =
      std::max<std::int64_t>(1, std::max(start[rows] / kParts, kPerFeature * cols_));
  for (std::int32_t k = 0; k < labels.classes; ++k) {
    const std::int64_t end = border[static_cast<std::size_t>(k) + 1];
    const std::int64_t begin = border[static_cast<std::size_t>(k)];
    const std::int64_t size = stored[static_cast<std::size_t>(k)];
    const std::int64_t count = std::max<std::int64_t>(1, size / least);
    if (begin == end || count == 1) {  // without rows it is a part of zeros
      parts_.push_back({k, begin, end, -1});
      continue;
    }
    std::int64_t first = begin, held = 0, made = 0;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t i = order_[static_cast<std::size_t>(at)];
      held += start[i + 1] - start[i];
      const bool full = made + 1 < count && held >= size / count;
      if (!full && at + 1 < end) continue;
      parts_.push_back({k, first, at + 1, first == begin ? -1 : spares_++});
      first = at + 1;
      held = 0;
      ++made;
    }
  }
}

void ByClass::add_spares(const double* scratch, double* table, ThreadPool& pool) const {
  if (spares_ == 0) return;
  pool.ranges(cols_, kFeatures, [&](std::int64_t first, std::int64_t last) {
    for (const ClassPart& part : parts_) {
      if (part.spare < 0) continue;
      const double* from = scratch + part.spare * cols_;
      double* to = table + part.label * cols_;
      for (std::int64_t j = first; j < last; ++j) to[j] += from[j];
    }
  });
}

}  // namespace linnet
