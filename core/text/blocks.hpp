// Texts in blocks, and threads that each work on whole blocks with scratch memory of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../parallel.hpp"

namespace linnet::text {

using Texts = std::span<const std::string_view>;

// Blocks of about a quarter of a megabyte, so that no thread waits long for another: block b has
// the texts edges[b] .. edges[b + 1] - 1.
inline std::vector<std::size_t> block_edges(Texts texts) {
  constexpr std::size_t kBytes = 1 << 18, kTexts = 1024;
  std::vector<std::size_t> edges{0};
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    bytes += texts[row].size();
    if (bytes >= kBytes || row + 1 - edges.back() >= kTexts) {
      edges.push_back(row + 1);
      bytes = 0;
    }
  }
  if (edges.back() != texts.size()) edges.push_back(texts.size());
  return edges;
}

// Runs body(lane, block) on every block; a lane does one thing at a time.
template <class Body>
void in_lanes(ThreadPool& pool, std::int64_t blocks, std::int64_t lanes, Body&& body) {
  std::atomic<std::int64_t> next{0};
  pool.run(lanes, [&](std::int64_t lane) {
    for (std::int64_t block; (block = next.fetch_add(1)) < blocks;) {
      pool.checkpoint();
      body(lane, block);
    }
  });
}

inline std::int64_t lane_count(std::int64_t blocks, ThreadPool& pool) {
  return std::max<std::int64_t>(1, pool.sharing(blocks));
}

}  // namespace linnet::text
