// Sentences and the pairs that have weights, as Python holds them.
#pragma once

#include <mutex>
#include <utility>

#include "common.hpp"
#include "learners/crf.hpp"

namespace linnet::bindings {

using Ints = Array<const std::int32_t>;
using Longs = Array<const std::int64_t>;

// The (feature, label) pairs that have weights, checked once.
struct PairTable {
  Longs start;
  Ints label;
  std::int32_t labels;

  PairTable(Longs start_, Ints label_, std::int32_t labels_)
      : start(std::move(start_)), label(std::move(label_)), labels(labels_) {
    require(labels >= 1, "labels must be 1 or more");
    require(length_of(start) - 1 <= INT32_MAX, "more features than have numbers of 32 bits");
    require_offsets(start, length_of(label), "pair_start");
    require_numbers(label, labels, "pair_label");
  }
  Pairs view() const {
    return {start.data(), label.data(), static_cast<std::int32_t>(length_of(start)) - 1};
  }
};

// Sentences and the pairs that have weights, kept alive together.
struct ChainHandle {
  Matrix tokens;
  Longs sentence;
  PairTable table;
  std::int32_t labels;
  std::optional<Longs> following_start;
  std::optional<Ints> following_next;
  int order;
  std::optional<Array<const std::uint8_t>> following_triple;

  static constexpr std::int32_t kMostLabels = 255;  // of second order

  ChainHandle(const Matrix& tokens_, Longs sentence_, const PairTable& table_,
              std::optional<Longs> following_start_, std::optional<Ints> following_next_,
              int order_, std::optional<Array<const std::uint8_t>> following_triple_)
      : tokens(tokens_),
        sentence(std::move(sentence_)),
        table(table_),
        labels(table_.labels),
        following_start(std::move(following_start_)),
        following_next(std::move(following_next_)),
        order(order_),
        following_triple(std::move(following_triple_)) {
    require_length(table.start, std::int64_t{tokens.cols} + 1, "pair_start");
    require_offsets(sentence, tokens.rows(), "sentence");
    require(following_start.has_value() == following_next.has_value(),
            "following_start and following_next go together");
    if (following_start) {
      require_length(*following_start, std::int64_t{labels} + 1, "following_start");
      require_offsets(*following_start, length_of(*following_next), "following_start");
      require_numbers(*following_next, labels, "following_next");
    }
    require(order == 1 || (order == 2 && labels <= kMostLabels),
            "order must be 1, or 2 with at most 255 labels");
    require(!following_triple || (order == 2 && following_start),
            "following_triple needs order 2 and following_start");
    const std::int64_t L = labels;
    require_length(following_triple, L * L * L, "following_triple");
    tokens.view();
  }
  mutable std::once_flag once{};
  mutable std::optional<chain::Packed> shape{};  // made when training first asks for it

  chain::Following following() const {
    if (!following_start || !following_next) return {};
    return {following_start->data(), following_next->data(),
            following_triple ? following_triple->data() : nullptr};
  }
  Ragged ragged() const {
    return {tokens.view(), sentence.data(), static_cast<std::int64_t>(sentence.size()) - 1};
  }
  Pairs pairs() const { return table.view(); }
  std::int64_t sentences() const { return length_of(sentence) - 1; }
  // The length of a vector of weights, wherever Python passes one: of the pairs, then transition
  // [L][L] with the previous label first, start [L], stop [L], and of second order triples
  // [L][L][L] with the label two before first.
  std::int64_t weights() const {
    return pairs().size() + chain::Packed::label_weights(labels, order);
  }
  const chain::Packed* packed() const {
    std::call_once(once, [this] { shape.emplace(tokens.view(), pairs(), labels, order); });
    return &*shape;
  }
};

// Gold labels of the tokens, costs of the sentences, and whether frozen weights are those of the
// chain.
inline ChainProblem problem_of(const ChainHandle& chain, const Ints& gold,
                               const Array<const double>& cost,
                               const std::optional<Array<const std::uint8_t>>& frozen, double l2) {
  require_labels(gold, chain.tokens.rows(), chain.labels, "gold");
  require_length(cost, chain.sentences(), "cost");
  require_length(frozen, chain.weights(), "frozen");
  return {chain.ragged(),
          chain.pairs(),
          chain.packed(),
          chain.labels,
          chain.following(),
          gold.data(),
          cost.data(),
          frozen ? frozen->data() : nullptr,
          l2,
          chain.order};
}

}  // namespace linnet::bindings
