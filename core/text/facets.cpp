#include "facets.hpp"

#include <algorithm>
#include <stdexcept>

#include "weighing.hpp"

namespace linnet::text {
void weigh_rows(Facets facets, std::int64_t rows, const std::int64_t* start,
                const std::int32_t* index, float* value, ThreadPool& pool) {
  pool.ranges(rows, 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      std::int64_t begin = start[row], end = begin;
      for (const Facet& facet : facets) {
        const std::int64_t behind = std::int64_t{facet.first} + facet.width;
        while (end < start[row + 1] && index[end] >= facet.first && index[end] < behind) ++end;
        weigh(
            facet.weighting, end - begin,
            [&](std::int64_t k) { return index[begin + k] - facet.first; },
            [&](std::int64_t k) -> float& { return value[begin + k]; });
        begin = end;
      }
      if (end != start[row + 1]) throw std::invalid_argument("columns of facets are out of order");
    }
  });
}

void join_rows(std::span<const RowsView> parts, const std::int32_t* first, std::int64_t rows,
               std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) {
  start[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    start[row + 1] = start[row];
    for (const RowsView& part : parts) start[row + 1] += part.start[row + 1] - part.start[row];
  }
  pool.ranges(rows, 256, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t at = start[begin];
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::int64_t k = parts[p].start[row]; k < parts[p].start[row + 1]; ++k) {
          index[at] = parts[p].index[k] + first[p];
          value[at++] = parts[p].value[k];
        }
      }
    }
  });
}

std::vector<std::vector<Reader>> readers_of(Facets facets, std::int64_t lanes) {
  std::vector<Reader> one;
  for (const Facet& facet : facets) one.emplace_back(*facet.analysis, *facet.columns);
  return {static_cast<std::size_t>(lanes), one};
}

// About as many bytes of running text as make an entry of words and pairs; of much text a board has
// as many entries as large pages hold, of little no more than it may need.
constexpr std::size_t kBytesPerEntry = 3, kBoard = 1 << 20;

std::span<Entry> Rows::Shelf::put(std::span<const Entry> entries) {
  if (boards_.empty() || boards_.back().size() - used_ < entries.size()) {
    boards_.emplace_back(std::max(board_, entries.size()));
    used_ = 0;
  }
  Entry* const to = boards_.back().data() + used_;
  std::copy(entries.begin(), entries.end(), to);
  used_ += entries.size();
  return {to, entries.size()};
}

Rows::Rows(Texts texts, Facets facets, bool ordered, bool weighed, ThreadPool& pool) {
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  auto readers = readers_of(facets, lanes);
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  while (shelves_.size() < static_cast<std::size_t>(lanes)) {
    shelves_.emplace_back(std::min(kBoard, bytes / kBytesPerEntry));
  }
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    block.first = edges[b];
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      std::int64_t size = 0;
      for (std::size_t f = 0; f < facets.size(); ++f) {
        Reader& reader = readers[lane][f];
        const std::span<Entry> part = shelves_[lane].put(
            ordered ? reader.read_sorted(texts[row], facets[f].width) : reader.read(texts[row]));
        const auto n = static_cast<std::int64_t>(part.size());
        if (weighed) {  // while the counts are at hand
          weigh(
              facets[f].weighting, n, [&](std::int64_t k) { return part[k].column; },
              [&](std::int64_t k) -> float& { return part[k].count; });
        }
        for (Entry& entry : part) entry.column += facets[f].first;
        if (!block.entries.empty() &&
            block.entries.back().data() + block.entries.back().size() == part.data()) {
          block.entries.back() = {block.entries.back().data(),
                                  block.entries.back().size() + part.size()};
        } else {
          block.entries.push_back(part);
        }
        size += n;
      }
      block.size.push_back(size);
    }
  });
}

std::int64_t Rows::rows() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.size.size());
  return total;
}

std::int64_t Rows::stored() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) {
    for (const auto& part : block.entries) total += static_cast<std::int64_t>(part.size());
  }
  return total;
}

void Rows::matrix(std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) const {
  start[0] = 0;
  for (const Block& block : blocks_) {
    std::int64_t* row = start + block.first;
    for (const std::int64_t size : block.size) {
      row[1] = row[0] + size;
      ++row;
    }
  }
  pool.run(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t b) {
    std::int64_t at = start[blocks_[b].first];
    for (const auto& part : blocks_[b].entries) {
      for (const Entry& entry : part) {
        index[at] = entry.column;
        value[at++] = entry.count;
      }
    }
  });
}

}  // namespace linnet::text
