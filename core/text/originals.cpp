#include "originals.hpp"

#include <bit>
#include <vector>

#include "fingerprint.hpp"

namespace linnet::text {

// All bytes are read once, for the fingerprints, and on all threads. What has one fingerprint is
// compared byte by byte: a text must not count as a copy by chance.
void find_originals(Texts texts, std::int64_t* original, ThreadPool& pool) {
  std::vector<std::uint64_t> print(texts.size());
  const std::vector<std::size_t> edges = block_edges(texts);
  pool.run(static_cast<std::int64_t>(edges.size()) - 1, [&](std::int64_t block) {
    for (std::size_t row = edges[block]; row < edges[block + 1]; ++row) {
      print[row] = fingerprint(texts[row], 0);
    }
  });
  constexpr std::int64_t kEmpty = -1;
  std::vector<std::int64_t> slots(std::bit_ceil(2 * texts.size() + 1), kEmpty);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    std::size_t at = print[row] & mask;
    for (; slots[at] != kEmpty; at = (at + 1) & mask) {
      const auto other = static_cast<std::size_t>(slots[at]);
      if (print[other] == print[row] && texts[other] == texts[row]) break;
    }
    if (slots[at] == kEmpty) slots[at] = static_cast<std::int64_t>(row);
    original[row] = slots[at];
  }
}

}  // namespace linnet::text
