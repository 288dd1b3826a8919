#include "numbering.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace linnet::text {

std::uint32_t Dictionary::number(std::uint64_t print, std::string_view spelling) {
  for (std::size_t at = print & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.id == kEmpty) break;
    if (slot.print == print && this->spelling(slot.id) == spelling) return slot.id;
  }
  if (2 * (size() + 1) > slots_.size()) grow();
  std::size_t at = print & (slots_.size() - 1);
  while (slots_[at].id != kEmpty) at = (at + 1) & (slots_.size() - 1);
  const auto id = static_cast<std::uint32_t>(size());
  if (id == kEmpty) throw std::length_error("more than 2^32 different tokens");
  slots_[at] = {print, id};
  prints_.push_back(print);
  bytes_.append(spelling);
  offset_.push_back(bytes_.size());
  return id;
}

void Dictionary::grow() {
  std::vector<Slot> wider(2 * slots_.size());
  for (std::uint32_t id = 0; id < size(); ++id) {
    std::size_t at = prints_[id] & (wider.size() - 1);
    while (wider[at].id != kEmpty) at = (at + 1) & (wider.size() - 1);
    wider[at] = {prints_[id], id};
  }
  slots_.swap(wider);
}

namespace {

// A spelling to sort: its first eight bytes decide most comparisons.
struct Spelled {
  std::uint64_t head;
  std::string_view spelling;
  std::uint32_t id;

  bool operator<(const Spelled& other) const {
    return head != other.head ? head < other.head : spelling < other.spelling;
  }
};

std::uint64_t head_of(std::string_view spelling) {
  std::uint64_t head = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    head = head << 8 | (k < spelling.size() ? static_cast<unsigned char>(spelling[k]) : 0U);
  }
  return head;
}

}  // namespace

Numbered::Numbered(Texts texts, const Analysis& analysis, ThreadPool& pool)
    : start(texts.size() + 1, 0) {
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  lanes_.resize(static_cast<std::size_t>(lanes));
  // Room for the words of running text: to grow step by step would touch twice the memory.
  constexpr std::size_t kBytesPerToken = 4;
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  for (Lane& lane : lanes_) {
    lane.token.reserve(bytes / kBytesPerToken / lanes_.size());
    lane.last.reserve(bytes / kBytesPerToken / lanes_.size());
  }
  std::vector<Analyzer> analyzers(lanes_.size(), Analyzer(analysis));
  struct Part {
    std::int64_t lane;
    std::size_t offset;
  };
  std::vector<Part> parts(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t l, std::int64_t block) {
    Lane& lane = lanes_[l];
    Analyzer& analyzer = analyzers[l];
    parts[block] = {l, lane.token.size()};
    for (std::size_t row = edges[block]; row < edges[block + 1]; ++row) {
      analyzer.read(texts[row]);
      const auto& tokens = analyzer.tokens();
      for (std::size_t k = 0; k < tokens.size(); ++k) {
        lane.token.push_back(
            lane.dictionary.number(analyzer.print(k), analyzer.spelling(tokens[k])));
        lane.last.push_back(tokens[k].last);
      }
      start[row + 1] = static_cast<std::int64_t>(tokens.size());
    }
  });
  std::partial_sum(start.begin(), start.end(), start.begin());
  if (start.back() > UINT32_MAX - 1) throw std::length_error("more than 2^32 tokens");
  rank(pool);
  token.resize(static_cast<std::size_t>(start.back()));
  last_.resize(token.size());
  pool.run(blocks, [&](std::int64_t block) {
    const Lane& lane = lanes_[parts[block].lane];
    const std::size_t from = parts[block].offset;
    const std::int64_t to = start[edges[block]];
    const std::int64_t count = start[edges[block + 1]] - to;
    for (std::int64_t k = 0; k < count; ++k) {
      token[to + k] = lane.number[lane.token[from + k]];
      last_[to + k] = lane.last[from + k];
    }
  });
  for (Lane& lane : lanes_) {  // the dictionaries keep the spellings
    lane.token = {};
    lane.last = {};
    lane.number = {};
  }
}

// Sorts the spellings of each lane, then merges them; equal ones get one number.
void Numbered::rank(ThreadPool& pool) {
  std::vector<std::vector<Spelled>> sorted(lanes_.size());
  pool.run(static_cast<std::int64_t>(lanes_.size()), [&](std::int64_t l) {
    const Dictionary& dictionary = lanes_[l].dictionary;
    sorted[l].reserve(dictionary.size());
    for (std::uint32_t id = 0; id < dictionary.size(); ++id) {
      const std::string_view spelling = dictionary.spelling(id);
      sorted[l].push_back({head_of(spelling), spelling, id});
    }
    std::sort(sorted[l].begin(), sorted[l].end());
    lanes_[l].number.resize(dictionary.size());
  });
  std::vector<std::size_t> at(lanes_.size(), 0);
  for (;;) {
    const Spelled* least = nullptr;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (at[l] < sorted[l].size() && (!least || sorted[l][at[l]] < *least))
        least = &sorted[l][at[l]];
    }
    if (!least) return;
    const std::string_view spelling = least->spelling;
    const auto number = static_cast<std::uint32_t>(spelling_.size());
    spelling_.push_back(spelling);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (at[l] < sorted[l].size() && sorted[l][at[l]].spelling == spelling) {
        lanes_[l].number[sorted[l][at[l]++].id] = number;
      }
    }
  }
}

}  // namespace linnet::text
