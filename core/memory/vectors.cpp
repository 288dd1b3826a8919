#include "vectors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "nearest.hpp"
#include "numeric.hpp"
#include "vote.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kLanes = 16;    // queries at once
constexpr std::int64_t kBlock = 8192;  // stored rows at once
constexpr std::size_t kAhead = 12;     // columns to fetch beforehand

using Near = std::pair<double, std::int32_t>;  // distance and row

// The scores of one stored row. Compilers would rather unroll sixteen single operations than see
// that they are one; where they can, they are told.
#if defined(__GNUC__)
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
LINNET_INLINE void add_lanes(float v, const float* weight, float* into) {
  *reinterpret_cast<Lanes*>(into) += v * *reinterpret_cast<const Lanes*>(weight);
}
#else
LINNET_INLINE void add_lanes(float v, const float* weight, float* into) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) into[lane] += v * weight[lane];
}
#endif

// scores[row][lane] += value * weight[lane]
LINNET_CLONES void add_postings(const std::int32_t* row, const float* value, std::int64_t n,
                                std::int32_t base, const float* weight, float* scores) {
  float w[kLanes];  // a copy of its own, so that it may stay in registers
  std::copy(weight, weight + kLanes, w);
  for (std::int64_t p = 0; p < n; ++p) {
    add_lanes(value[p], w, scores + std::int64_t{row[p] - base} * kLanes);
  }
}

// Whether any lane of a row reaches its bound.
LINNET_CLONES void reach(const float* scores, const float* bound, std::int64_t n, char* out) {
  for (std::int64_t r = 0; r < n; ++r) {
    int any = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      any |= scores[r * kLanes + lane] >= bound[lane];
    }
    out[r] = static_cast<char>(any);
  }
}

// The best rows of one query so far, by approximate score: all within `margin` of the best
// `wanted`.
class Best {
 public:
  void start(std::int64_t wanted, float margin) {
    wanted_ = static_cast<std::size_t>(wanted);
    margin_ = margin;
    found_.clear();
    bound_ = -std::numeric_limits<float>::infinity();
  }
  float bound() const { return bound_; }
  void add(float score, std::int32_t row) {
    found_.emplace_back(score, row);
    if (found_.size() >= 2 * wanted_ + 64) shrink();
  }
  void shrink() {
    if (found_.size() <= wanted_) return;
    const auto last = found_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
    std::nth_element(found_.begin(), last, found_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    bound_ = std::max(bound_, last->first - margin_);
    std::erase_if(found_, [&](const auto& f) { return f.first < bound_; });
  }
  const std::vector<std::pair<float, std::int32_t>>& found() const { return found_; }

 private:
  std::size_t wanted_ = 0;
  float margin_ = 0.0f, bound_ = 0.0f;
  std::vector<std::pair<float, std::int32_t>> found_;
};

// One block of queries: a column that some of them have, and what it weighs for each.
struct Column {
  std::int64_t at, end;  // postings not yet read
  std::size_t weight;    // first of kLanes weights
};

class Scorer {
 public:
  explicit Scorer(const VectorMemory& memory)
      : memory_(memory),
        scores_(static_cast<std::size_t>(kBlock * kLanes)),
        reached_(static_cast<std::size_t>(kBlock)),
        best_(kLanes) {
    for (std::int64_t r = 0; r < memory.stored.rows; ++r) {
      longest_ = std::max(longest_, memory.stored.norm[r]);
    }
  }

  // The rows that may be among the `wanted` nearest of queries first .. last - 1.
  const std::vector<Best>& find(const Vectors& queries, std::int64_t first, std::int64_t last,
                                std::int64_t wanted) {
    read_columns(queries, first, last);
    for (std::int64_t lane = 0; lane < last - first; ++lane) {
      const auto q = first + lane;
      const auto stored = static_cast<double>(queries.start[q + 1] - queries.start[q]);
      const double size = memory_.cosine ? 1.0 : std::max(queries.norm[q], longest_) * longest_;
      best_[lane].start(wanted, static_cast<float>(4.0 * (stored + 4.0) * 0x1p-24 * size));
    }
    for (std::int64_t base = 0; base < memory_.stored.rows; base += kBlock) {
      score_block(base, std::min(kBlock, memory_.stored.rows - base), last - first);
    }
    for (std::int64_t lane = 0; lane < last - first; ++lane) best_[lane].shrink();
    return best_;
  }

 private:
  void read_columns(const Vectors& queries, std::int64_t first, std::int64_t last) {
    terms_.clear();
    for (std::int64_t q = first; q < last; ++q) {
      const double scale = memory_.cosine && queries.norm[q] > 0.0 ? 1.0 / queries.norm[q] : 1.0;
      for (auto s = queries.start[q]; s < queries.start[q + 1]; ++s) {
        terms_.push_back({queries.index[s], static_cast<std::int32_t>(q - first),
                          static_cast<float>(queries.value[s] * scale)});
      }
    }
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
      return a.column != b.column ? a.column < b.column : a.lane < b.lane;
    });
    columns_.clear();
    weights_.clear();
    std::int32_t previous = -1;
    for (const Term& t : terms_) {
      if (t.column != previous) {
        columns_.push_back({memory_.postings.start[t.column], memory_.postings.start[t.column + 1],
                            weights_.size()});
        weights_.resize(weights_.size() + kLanes, 0.0f);
        previous = t.column;
      }
      weights_[columns_.back().weight + static_cast<std::size_t>(t.lane)] += t.value;
    }
  }

  void score_block(std::int64_t base, std::int64_t n, std::int64_t lanes) {
    for (std::int64_t r = 0; r < n; ++r) {
      const double norm = memory_.stored.norm[base + r];
      const float at = memory_.cosine ? 0.0f : static_cast<float>(-0.5 * norm * norm);
      std::fill_n(scores_.begin() + r * kLanes, kLanes, at);
    }
    const std::int32_t* row = memory_.postings.row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i + kAhead < columns_.size()) {  // most columns are rare, their postings far apart
        LINNET_PREFETCH(row + columns_[i + kAhead].at);
        LINNET_PREFETCH(memory_.postings.value + columns_[i + kAhead].at);
      }
      Column& c = columns_[i];
      const std::int64_t from = c.at;
      if (from == c.end) continue;
      const std::int64_t most = std::min(c.end, from + n);  // a row is there once
      c.at = std::lower_bound(row + from, row + most, base + n) - row;
      add_postings(row + from, memory_.postings.value + from, c.at - from,
                   static_cast<std::int32_t>(base), weights_.data() + c.weight, scores_.data());
    }
    float bound[kLanes];
    std::fill_n(bound, kLanes, std::numeric_limits<float>::infinity());
    for (std::int64_t lane = 0; lane < lanes; ++lane) bound[lane] = best_[lane].bound();
    reach(scores_.data(), bound, n, reached_.data());
    for (std::int64_t r = 0; r < n; ++r) {
      if (!reached_[r]) continue;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const float score = scores_[r * kLanes + lane];
        if (score >= best_[lane].bound()) {
          best_[lane].add(score, static_cast<std::int32_t>(base + r));
        }
      }
    }
  }

  struct Term {
    std::int32_t column, lane;
    float value;
  };
  const VectorMemory& memory_;
  std::vector<float> scores_;
  std::vector<char> reached_;
  std::vector<Best> best_;
  std::vector<Term> terms_;
  std::vector<Column> columns_;
  std::vector<float> weights_;
  double longest_ = 0.0;
};

// The distance in double precision.
double exact(const VectorMemory& memory, const Vectors& queries, std::int64_t q, std::int64_t r) {
  const Vectors& y = memory.stored;
  auto a = queries.start[q], a_end = queries.start[q + 1], b = y.start[r], b_end = y.start[r + 1];
  double dot = 0.0, square = 0.0;
  while (a < a_end || b < b_end) {
    const bool left = b == b_end || (a < a_end && queries.index[a] <= y.index[b]);
    const bool right = a == a_end || (b < b_end && y.index[b] <= queries.index[a]);
    const double u = left ? queries.value[a++] : 0.0;
    const double v = right ? y.value[b++] : 0.0;
    dot += u * v;
    square += (u - v) * (u - v);
  }
  if (!memory.cosine) return std::sqrt(square);
  const double norms = queries.norm[q] * y.norm[r];
  return norms > 0.0 ? std::max(0.0, 1.0 - dot / norms) : 1.0;
}

// All stored rows that the query needs, nearest first. `groups` says that they are to have at least
// `wanted` different distances, where so many exist.
void measure(const VectorMemory& memory, const Vectors& queries, std::int64_t q, const Best& best,
             std::int64_t wanted, bool groups, std::vector<Near>& near) {
  near.clear();
  for (const auto& [score, r] : best.found()) near.emplace_back(exact(memory, queries, q, r), r);
  std::sort(near.begin(), near.end());
  if (!groups || std::ssize(near) == memory.stored.rows) return;
  std::int64_t different = near.empty() ? 0 : 1;
  for (std::size_t i = 1; i < near.size(); ++i) {
    different += near[i].first - near[i - 1].first >= kSame;
  }
  // The last distance may be shared by rows that were not wanted: only those before it are whole.
  if (different > wanted) return;
  near.clear();
  for (std::int64_t r = 0; r < memory.stored.rows; ++r) {
    near.emplace_back(exact(memory, queries, q, r), static_cast<std::int32_t>(r));
  }
  std::sort(near.begin(), near.end());
}

void group(const VectorMemory& memory, const std::vector<Near>& near, std::int64_t wanted,
           bool examples, Neighbours& found) {
  found.clear();
  double* count = nullptr;
  for (const auto& [d, r] : near) {
    if (examples || found.distance.empty() || d - found.distance.back() >= kSame) {
      if (std::ssize(found.distance) == wanted) return;
      count = found.add(d, memory.classes);
    }
    count[memory.label[r]] += 1.0;
  }
}

template <class Answer>
void for_each_query(const VectorMemory& memory, const Vectors& queries, std::int64_t wanted,
                    ThreadPool& pool, const Answer& answer) {
  wanted = std::min(wanted, memory.stored.rows);
  pool.ranges(queries.rows, 8 * kLanes, [&](std::int64_t first, std::int64_t last) {
    Scorer scorer(memory);
    for (std::int64_t q = first; q < last; q += kLanes) {
      pool.checkpoint();
      const std::int64_t end = std::min(last, q + kLanes);
      const auto& best = scorer.find(queries, q, end, wanted);
      for (std::int64_t i = q; i < end; ++i) answer(i, best[i - q]);
    }
  });
}

}  // namespace

void classify(const VectorMemory& memory, const Vectors& queries, const Settings& settings,
              std::int32_t* winner, double* votes, ThreadPool& pool) {
  const Instances jury{0, 0, memory.classes, nullptr, nullptr, nullptr, nullptr, memory.frequency};
  const bool examples = settings.count_examples;
  const std::int64_t wanted = std::min(settings.k, memory.stored.rows) + (examples ? 1 : 2);
  for_each_query(memory, queries, wanted, pool, [&](std::int64_t q, const Best& best) {
    std::vector<Near> near;
    Neighbours found;
    measure(memory, queries, q, best, settings.k + 1, !examples, near);
    group(memory, near, settings.k + 1, examples, found);
    double* into = votes + q * memory.classes;
    const Election first = poll(found, settings.k, jury, settings, into);
    winner[q] = first.winner;
    if (!first.tied) return;
    std::vector<double> more(static_cast<std::size_t>(memory.classes));
    const Election second = poll(found, settings.k + 1, jury, settings, more.data());
    if (second.tied) return;
    winner[q] = second.winner;
    std::copy(more.begin(), more.end(), into);
  });
}

void nearest_rows(const VectorMemory& memory, const Vectors& queries, std::int64_t k,
                  std::int32_t* row, double* distance, ThreadPool& pool) {
  for_each_query(memory, queries, k, pool, [&](std::int64_t q, const Best& best) {
    std::vector<Near> near;
    measure(memory, queries, q, best, k, false, near);
    for (std::int64_t i = 0; i < k; ++i) {
      const bool there = i < std::ssize(near);
      row[q * k + i] = there ? near[i].second : -1;
      distance[q * k + i] = there ? near[i].first : std::numeric_limits<double>::infinity();
    }
  });
}

}  // namespace linnet::memory
