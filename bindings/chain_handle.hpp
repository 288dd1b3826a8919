// Sentences and the pairs that have weights, as Python holds them.
#pragma once

#include <mutex>

#include "common.hpp"
#include "learners/crf.hpp"

namespace linnet::bindings {

using Ints = Array<const std::int32_t>;
using Longs = Array<const std::int64_t>;

// Sentences and the pairs that have weights, kept alive together.
struct ChainHandle {
  Matrix tokens;
  Longs sentence, pair_start;
  Ints pair_label;
  std::int32_t labels;
  std::optional<Longs> following_start;
  std::optional<Ints> following_next;
  mutable std::once_flag once{};
  mutable std::optional<chain::Packed> shape{};  // made when training first asks for it

  chain::Following following() const {
    if (!following_start || !following_next) return {};
    return {following_start->data(), following_next->data()};
  }
  Ragged ragged() const {
    return {tokens.view, sentence.data(), static_cast<std::int64_t>(sentence.size()) - 1};
  }
  Pairs pairs() const {
    return {pair_start.data(), pair_label.data(), static_cast<std::int32_t>(pair_start.size()) - 1};
  }
  const chain::Packed* packed() const {
    std::call_once(once, [this] { shape.emplace(tokens.view, pairs(), labels); });
    return &*shape;
  }
};

inline ChainProblem problem_of(const ChainHandle& chain, const Ints& gold,
                               const Array<const double>& cost,
                               const std::optional<Array<const std::uint8_t>>& frozen, double l2) {
  return {chain.ragged(),
          chain.pairs(),
          chain.packed(),
          chain.labels,
          chain.following(),
          gold.data(),
          cost.data(),
          frozen ? frozen->data() : nullptr,
          l2};
}

}  // namespace linnet::bindings
