#include "packed.hpp"

#include <algorithm>
#include <atomic>

#include "weighing.hpp"

namespace linnet::text {

std::optional<Packed> Packed::of(const Facet& facet, const float* weights, std::int64_t bytes) {
  constexpr std::int64_t kWorth = 16;   // bytes of text for each feature
  constexpr std::uint64_t kFilled = 2;  // slots of a line, on average
  const Table& table = facet.columns->table;
  if (facet.columns->buckets > 0 || facet.columns->unknown >= 0) return std::nullopt;
  if (bytes < kWorth * static_cast<std::int64_t>(table.features)) return std::nullopt;
  Packed packed;
  packed.lines_.resize(table.features / kFilled + 1);
  for (std::uint64_t column = 0; column < table.features; ++column) {
    const std::uint64_t print = table.print[column];
    if (print == 0) return std::nullopt;
    const float scale = facet.weighting.scale ? facet.weighting.scale[column] : 1.0F;
    for (std::uint64_t line = place(print, packed.lines_.size());;) {
      Slot* const slots = packed.lines_[line].slots;
      unsigned at = 0;
      while (at < kSlots && slots[at].print != 0 && slots[at].print != print) ++at;
      if (at < kSlots) {
        slots[at] = {print, scale, weights[column]};
        break;
      }
      if (++line == packed.lines_.size()) line = 0;
    }
  }
  return packed;
}

double PackedReader::score(std::string_view text) {
  analyzer_.read(text);
  analyzer_.each_print(prints_);
  const auto grams = distinct_.of(prints_, [&](std::uint64_t print) { packed_.prefetch(print); });
  Norm norm(norm_);
  double sum = 0.0;
  for (const Distinct::Gram& gram : grams) {
    const Packed::Slot& feature = packed_.find(gram.print);
    const double raised =
        gram.count < kSmall ? small_[gram.count] : raised_.of(static_cast<double>(gram.count));
    const double value = raised * static_cast<double>(feature.scale);
    norm.add(value);
    sum += value * static_cast<double>(feature.weight);
  }
  return sum / norm.divisor();
}

}  // namespace linnet::text
