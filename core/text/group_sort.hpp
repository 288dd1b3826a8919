// What is met in some order, brought together in groups.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"

namespace linnet::text {

// Where in one array every group has its place. The elements of a list make items, each of a group:
// each(first, last, visit) calls visit(group, item) for those of the elements first .. last - 1.
// They are met twice, to count them and to place them. In a group they keep their order, whatever
// the number of threads.
class Distribution {
 public:
  template <class Each>
  Distribution(std::int64_t elements, std::int64_t groups, Each each, ThreadPool& pool)
      : elements_(elements),
        groups_(groups),
        // A part has a counter for each group: not more of those than elements.
        parts_(std::clamp<std::int64_t>(elements / std::max(groups, kGrain), 1, pool.threads())),
        places_(static_cast<std::size_t>(parts_ * groups)),
        start_(static_cast<std::size_t>(groups) + 1) {
    std::vector<std::int64_t> items(static_cast<std::size_t>(parts_));
    pool.run(parts_, [&](std::int64_t part) {
      std::uint32_t* const own = places_.data() + part * groups_;
      std::fill(own, own + groups_, 0U);
      std::int64_t count = 0;
      each(edge(part), edge(part + 1), [&](std::int64_t group, auto) {
        ++own[group];
        ++count;
      });
      items[part] = count;
    });
    std::int64_t total = 0;
    for (const std::int64_t count : items) total += count;
    if (total > UINT32_MAX) throw std::length_error("more than 2^32 n-grams");
    std::uint32_t place = 0;
    for (std::int64_t group = 0; group < groups_; ++group) {
      start_[group] = place;
      for (std::int64_t part = 0; part < parts_; ++part) {
        place += std::exchange(places_[part * groups_ + group], place);
      }
    }
    start_[groups_] = place;
  }

  std::int64_t groups() const { return groups_; }
  std::int64_t items() const { return start_[groups_]; }
  std::int64_t begin(std::int64_t group) const { return start_[group]; }
  std::int64_t end(std::int64_t group) const { return start_[group + 1]; }

  // Once: writes the items, which are those of before.
  template <class Each, class Item>
  void place(Each each, Item* out, ThreadPool& pool) {
    pool.run(parts_, [&](std::int64_t part) {
      std::uint32_t* const own = places_.data() + part * groups_;
      each(edge(part), edge(part + 1),
           [&](std::int64_t group, Item item) { out[own[group]++] = item; });
    });
  }

  // Blocks of whole groups with about `size` items or more: block b has the groups edges[b] ..
  // edges[b + 1] - 1.
  std::vector<std::int64_t> blocks(std::int64_t size) const {
    std::vector<std::int64_t> edges{0};
    for (std::int64_t group = 0; group < groups_; ++group) {
      if (end(group) - begin(edges.back()) >= size) edges.push_back(group + 1);
    }
    if (edges.back() != groups_) edges.push_back(groups_);
    return edges;
  }

 private:
  static constexpr std::int64_t kGrain = 1 << 16;

  std::int64_t edge(std::int64_t part) const { return part * elements_ / parts_; }

  const std::int64_t elements_, groups_, parts_;
  Raw<std::uint32_t> places_;  // [parts][groups] where the next item of a group goes
  Raw<std::uint32_t> start_;   // [groups + 1]
};

// Sorts words by the `bits` bits above the lowest 32. Words that agree in these ascend before, and
// after. `spare` has the same size.
//
// What is exploited: a group fits a cache near the core, where a radix sort with about as many
// places to write to as there are words takes a few passes.
inline void sort_words(std::uint64_t* words, std::uint64_t* spare, std::int64_t n, int bits) {
  constexpr std::int64_t kFew = 24;
  constexpr int kLow = 32, kDigit = 10, kLeast = 4;
  if (n <= kFew) {
    for (std::int64_t i = 1; i < n; ++i) {
      const std::uint64_t word = words[i];
      std::int64_t k = i;
      for (; k > 0 && words[k - 1] > word; --k) words[k] = words[k - 1];
      words[k] = word;
    }
    return;
  }
  const int widest = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1,
                                kLeast, kDigit);
  const int passes = (bits + widest - 1) / widest, width = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t *from = words, *to = spare;
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = kLow + pass * width;
    std::uint32_t places[1 << kDigit];
    std::fill(places, places + mask + 1, 0U);
    for (std::int64_t i = 0; i < n; ++i) ++places[from[i] >> shift & mask];
    std::uint32_t total = 0;
    for (std::uint64_t b = 0; b <= mask; ++b) total += std::exchange(places[b], total);
    for (std::int64_t i = 0; i < n; ++i) to[places[from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != words) std::memcpy(words, from, static_cast<std::size_t>(n) * sizeof(*words));
}

}  // namespace linnet::text
