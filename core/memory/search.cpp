#include "search.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "distances.hpp"
#include "nearest.hpp"
#include "overlap.hpp"
#include "vote.hpp"
#include "walk.hpp"
#include "window.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kQueries = 256;  // of one block
constexpr std::int64_t kLarge = 64;     // instances below a node whose classes are worth keeping

struct Range {
  std::int64_t first, last;
  std::int32_t depth;  // features that match the query
};

struct Question {
  const std::int32_t* code;
  const std::int32_t* value;
  const double* number;
};

struct Example {
  double distance;
  std::int32_t row, label;
  auto operator<=>(const Example&) const = default;
};

// Where the values equal to the first end. Most runs are short, so it is looked for nearby.
const std::int32_t* run_end(const std::int32_t* first, const std::int32_t* last) {
  std::ptrdiff_t step = 1;
  while (step < last - first && first[step] == *first) step *= 2;
  return std::upper_bound(first + step / 2, std::min(first + step, last), *first);
}

// The instances that share the first features of a query, as many of `most` as some instance has.
Range descend(const Instances& trie, const std::int32_t* value, std::int32_t most) {
  Range at{0, trie.size, 0};
  for (; at.depth < most; ++at.depth) {
    const std::int32_t* column = trie.feature[at.depth].value;
    const std::int32_t wanted = value[at.depth];
    if (wanted < 0) break;
    const auto* low = std::lower_bound(column + at.first, column + at.last, wanted);
    if (low == column + at.last || *low != wanted) break;
    const auto* high = run_end(low, column + at.last);
    at.first = low - column;
    at.last = high - column;
  }
  return at;
}

class Searcher {
 public:
  Searcher(const Instances& memory, const Instances& trie, const Settings& settings,
           const OverlapIndex* overlap, const Runs* runs)
      : memory_(memory),
        trie_(trie),
        settings_(settings),
        overlap_(overlap),
        distances_(memory, settings) {
    if (overlap_) scratch_ = overlap_->scratch();
    if (runs) walk_.emplace(memory, *runs, distances_);
    if (Window::serves(memory, settings)) window_.emplace(memory, settings, distances_);
  }

  std::int32_t answer(const Question& q, double* votes) {
    switch (settings_.search) {
      case Search::igtree: return node(descend(trie_, q.value, trie_.features), votes).winner;
      case Search::tribl:
      case Search::tribl2: return compressed(q, votes);
      default: return full(q, votes);
    }
  }

  // The nearest training rows in order of distance, then of row.
  void examples(const Question& q, std::int64_t wanted, std::vector<Example>& out) {
    out.clear();
    measure(q, {0, memory_.size, 0}, wanted);
    for (const auto& [d, u] : near_) {
      const std::int64_t g = group_of(d, limits_);
      if (g < 0) continue;
      for (auto r = memory_.start[u]; r < memory_.start[u + 1]; ++r) {
        out.push_back({limits_[g], memory_.row[r], memory_.label[r]});
      }
    }
    const auto end = out.begin() + std::min<std::int64_t>(wanted, std::ssize(out));
    std::partial_sort(out.begin(), end, out.end());
    out.erase(end, out.end());
  }

 private:
  std::int32_t full(const Question& q, double* votes) {
    const Range all{0, memory_.size, 0};
    if (settings_.k == 1 && !settings_.count_examples) {
      const auto same = exact_match(q.value);
      if (same) return with_exact(*same, q, votes);
    }
    return settle(q, all, votes);
  }

  // Asks the k nearest and, when classes are tied, one more; believes them if that settles it.
  std::int32_t settle(const Question& q, const Range& at, double* votes) {
    groups(q, at, settings_.k);
    const Election first = poll(found_, settings_.k, memory_, settings_, votes);
    if (!first.tied) return first.winner;
    groups(q, at, settings_.k + 1);
    return believe(first, votes);
  }

  std::int32_t believe(const Election& first, double* votes) {
    more_.resize(static_cast<std::size_t>(memory_.classes));
    const Election second = poll(found_, settings_.k + 1, memory_, settings_, more_.data());
    if (second.tied) return first.winner;
    std::copy(more_.begin(), more_.end(), votes);
    return second.winner;
  }

  // With k = 1 an instance equal to the query speaks alone; the next distance is asked only when
  // its own classes are tied.
  std::int32_t with_exact(const Range& same, const Question& q, double* votes) {
    const Election first = node(same, votes);
    if (!first.tied) return first.winner;
    groups(q, {0, memory_.size, 0}, 2);
    found_.distance[0] = 0.0;
    std::copy(votes, votes + memory_.classes, found_.count.begin());
    return believe(first, votes);
  }

  std::optional<Range> exact_match(const std::int32_t* value) const {
    for (std::int32_t j = 0; j < trie_.features; ++j) {
      if (!trie_.feature[j].value) return std::nullopt;
    }
    const Range at = descend(trie_, value, trie_.features);
    return at.depth == trie_.features ? std::optional(at) : std::nullopt;
  }

  std::int32_t compressed(const Question& q, double* votes) {
    const Range whole = descend(trie_, q.value, trie_.features);
    const bool second = settings_.search == Search::tribl2;
    if (whole.depth == trie_.features && (second || settings_.k == 1)) {
      return node(whole, votes).winner;
    }
    const Range at = second ? whole : descend(trie_, q.value, settings_.depth);
    if (!second && at.depth < settings_.depth) return node(at, votes).winner;
    if (at.depth == trie_.features) return node(at, votes).winner;
    return settle(q, at, votes);
  }

  // The classes of all rows below a node of the trie decide.
  Election node(const Range& at, double* votes) {
    if (at.first == 0 && at.last == trie_.size) {
      std::copy(trie_.frequency, trie_.frequency + trie_.classes, votes);
    } else if (at.last - at.first < kLarge) {
      count(at, votes);
    } else {
      auto& known = large_[at.first];
      if (known.first != at.last) {
        known = {at.last, std::vector<double>(static_cast<std::size_t>(trie_.classes))};
        count(at, known.second.data());
      }
      std::copy(known.second.begin(), known.second.end(), votes);
    }
    return elect(votes, trie_);
  }

  void count(const Range& at, double* votes) const {
    std::fill(votes, votes + trie_.classes, 0.0);
    for (auto r = trie_.start[at.first]; r < trie_.start[at.last]; ++r) ++votes[trie_.label[r]];
  }

  // Finds the `wanted` smallest different distances within a range, and who is there.
  void measure(const Question& q, const Range& at, std::int64_t wanted) {
    if (walk_) {
      return walk_->find(q.code, q.number, at.depth, at.first, at.last, wanted, limits_, near_);
    }
    // A trie has no numbers, so a window is never asked about a part of it.
    if (window_) return window_->find(q.code, q.number, wanted, limits_, near_);
    measured_.resize(static_cast<std::size_t>(at.last - at.first));
    distances_.measure(q.code, q.number, at.depth, at.first, at.last, measured_.data());
    smallest(measured_.data(), at.last - at.first, wanted, limits_);
    near_.clear();
    const double last = limits_.back() + kSame;
    for (std::int64_t u = at.first; u < at.last; ++u) {
      const double d = measured_[static_cast<std::size_t>(u - at.first)];
      if (d <= last) near_.emplace_back(d, u);
    }
  }

  // The `wanted` nearest groups and the classes in each.
  void groups(const Question& q, const Range& at, std::int64_t wanted) {
    found_.clear();
    if (settings_.count_examples) {
      examples(q, wanted, examples_);
      for (const Example& e : examples_) found_.add(e.distance, memory_.classes)[e.label] = 1.0;
      return;
    }
    if (overlap_) return overlap_->find(q.code, wanted, scratch_, found_);
    measure(q, at, wanted);
    for (double d : limits_) found_.add(d, memory_.classes);
    for (const auto& [d, u] : near_) {
      const std::int64_t g = group_of(d, limits_);
      if (g < 0) continue;
      double* count = found_.count.data() + g * memory_.classes;
      for (auto r = memory_.start[u]; r < memory_.start[u + 1]; ++r) ++count[memory_.label[r]];
    }
  }

  const Instances& memory_;
  const Instances& trie_;
  const Settings& settings_;
  const OverlapIndex* overlap_;
  Distances distances_;
  OverlapIndex::Scratch scratch_;
  std::optional<Walk> walk_;
  std::optional<Window> window_;
  std::vector<double> measured_, limits_, more_;
  std::vector<std::pair<double, std::int64_t>> near_;
  std::vector<Example> examples_;
  Neighbours found_;
  // The classes below large nodes: where each ends, and how many rows of each class it has.
  std::unordered_map<std::int64_t, std::pair<std::int64_t, std::vector<double>>> large_;
};

Question question(const Queries& queries, std::int64_t q, std::int32_t features) {
  return {queries.code + q * features, queries.value + q * features, queries.number + q * features};
}

}  // namespace

void classify(const Instances& memory, const Instances& trie, const Queries& queries,
              const Settings& settings, std::int32_t* winner, double* votes, ThreadPool& pool) {
  std::optional<OverlapIndex> overlap;
  if (settings.search == Search::exact && !settings.count_examples &&
      OverlapIndex::serves(memory, settings)) {
    overlap.emplace(memory);
  }
  std::optional<Runs> runs;
  if (!overlap && settings.search != Search::igtree && settings.combine == Combine::sum) {
    runs.emplace(memory);
  }
  // A tree answers at once: larger blocks count the classes below its large nodes less often.
  const std::int64_t block = settings.search == Search::igtree ? 16 * kQueries : kQueries;
  pool.ranges(queries.size, block, [&](std::int64_t first, std::int64_t last) {
    Searcher searcher(memory, trie, settings, overlap ? &*overlap : nullptr,
                      runs ? &*runs : nullptr);
    for (std::int64_t q = first; q < last; ++q) {
      pool.checkpoint();
      winner[q] =
          searcher.answer(question(queries, q, memory.features), votes + q * memory.classes);
    }
  });
}

void nearest_rows(const Instances& memory, const Queries& queries, const Settings& settings,
                  std::int32_t* row, double* distance, ThreadPool& pool) {
  std::optional<Runs> runs;
  if (settings.combine == Combine::sum) runs.emplace(memory);
  pool.ranges(queries.size, kQueries, [&](std::int64_t first, std::int64_t last) {
    Searcher searcher(memory, memory, settings, nullptr, runs ? &*runs : nullptr);
    std::vector<Example> found;
    for (std::int64_t q = first; q < last; ++q) {
      pool.checkpoint();
      searcher.examples(question(queries, q, memory.features), settings.k, found);
      for (std::int64_t i = 0; i < settings.k; ++i) {
        const bool there = i < std::ssize(found);
        row[q * settings.k + i] = there ? found[i].row : -1;
        distance[q * settings.k + i] =
            there ? found[i].distance : std::numeric_limits<double>::infinity();
      }
    }
  });
}

}  // namespace linnet::memory
