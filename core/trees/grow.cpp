#include "grow.hpp"

#include <numeric>
#include <vector>

#include "splits.hpp"

namespace linnet::trees {

std::int32_t grow(const Rows& rows, const Limits& limits, const Nodes& nodes, Progress& progress) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows.count));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int64_t> begin(2 * order.size()), end(2 * order.size());
  Splitter splitter(rows, limits);

  std::int32_t made = 0;
  const auto add = [&](std::int32_t parent, std::int32_t branch, std::int64_t from,
                       std::int64_t to) {
    nodes.parent[made] = parent;
    nodes.branch[made] = branch;
    nodes.feature[made] = nodes.low[made] = nodes.high[made] = -1;
    nodes.depth[made] = parent < 0 ? 0 : nodes.depth[parent] + 1;
    nodes.gain[made] = 0.0;
    begin[made] = from;
    end[made++] = to;
  };
  add(-1, 0, 0, rows.count);

  for (std::int32_t node = 0; node < made; ++node) {  // nodes are added behind
    progress.poll();
    const std::span<std::int32_t> own(order.data() + begin[node],
                                      static_cast<std::size_t>(end[node] - begin[node]));
    for (const std::int32_t i : own) nodes.leaf[i] = node;
    const bool deep = limits.depth >= 0 && nodes.depth[node] >= limits.depth;
    if (deep || !splitter.begin(own)) continue;
    Split best;
    for (std::int32_t j = 0; j < rows.attributes; ++j) {
      if (own.size() > 10'000) progress.poll();
      const Split found = splitter.best(j, own);
      if (found.score > best.score + (best.feature < 0 ? 0.0 : kTie)) best = found;
    }
    if (best.feature < 0) continue;
    nodes.feature[node] = best.feature;
    nodes.low[node] = best.low;
    nodes.high[node] = best.high;
    nodes.gain[node] = best.gain;
    std::int64_t from = begin[node];
    for (const auto& [branch, size] : splitter.divide(best, own)) {
      add(node, branch, from, from + size);
      from += size;
    }
  }
  return made;
}

}  // namespace linnet::trees
