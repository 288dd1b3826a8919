#include "vector_scores.hpp"

#include <algorithm>

#include "numeric.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kSpan = 32768;  // stored rows at once; a multiple of kTile
constexpr std::size_t kAhead = 6;      // columns to fetch beforehand
constexpr std::int64_t kStrip = 64;    // rows whose scores are held in registers

// Compilers would rather unroll sixteen single operations than see that they are one; where they
// can, they are told.
#if defined(__GNUC__)
typedef float Lanes __attribute__((vector_size(64), aligned(4), may_alias));
#else
struct Lanes {
  float at[16];
  Lanes& operator+=(const Lanes& o) {
    for (int i = 0; i < 16; ++i) at[i] += o.at[i];
    return *this;
  }
  friend Lanes operator*(float w, Lanes v) {
    for (float& x : v.at) x *= w;
    return v;
  }
};
#endif

// score[row] += weight * value
LINNET_INLINE void add_postings(const std::int32_t* row, const float* value, std::int64_t n,
                                float weight, float* score) {
  for (std::int64_t p = 0; p < n; ++p) score[row[p]] += weight * value[p];
}

// Adds the common columns to the scores of a tile; returns whether one of the first n reaches the
// bound.
LINNET_CLONES bool add_tile(const std::int64_t* offset, const float* weight, std::size_t columns,
                            const float* tile, std::int64_t n, float bound, float* score) {
  int any = 0;
  for (std::int64_t r = 0; r < kTile; r += kStrip) {
    Lanes* into = reinterpret_cast<Lanes*>(score + r);
    Lanes a = into[0], b = into[1], c = into[2], d = into[3];
    for (std::size_t i = 0; i < columns; ++i) {
      const Lanes* from = reinterpret_cast<const Lanes*>(tile + offset[i] + r);
      const float w = weight[i];
      a += w * from[0];
      b += w * from[1];
      c += w * from[2];
      d += w * from[3];
    }
    into[0] = a;
    into[1] = b;
    into[2] = c;
    into[3] = d;
  }
  for (std::int64_t r = 0; r < n; ++r) any |= !(score[r] < bound);
  return any != 0;
}

}  // namespace

void Best::shrink() {
  if (found_.size() <= wanted_) return;
  const auto last = found_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
  std::nth_element(found_.begin(), last, found_.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  bound_ = std::max(bound_, last->first - margin_);
  std::erase_if(found_, [&](const auto& f) { return f.first < bound_; });
}

Scorer::Scorer(const VectorMemory& memory, std::int64_t batch)
    : memory_(memory),
      span_((std::min(kSpan, memory.stored.rows) + kTile - 1) / kTile * kTile),
      scores_(static_cast<std::size_t>(batch * span_)),
      queries_(static_cast<std::size_t>(batch)),
      best_(static_cast<std::size_t>(batch)) {
  for (std::int64_t r = 0; r < memory.stored.rows; ++r) {
    longest_ = std::max(longest_, memory.stored.norm[r]);
  }
}

const std::vector<Best>& Scorer::find(const Vectors& asked, std::int64_t first, std::int64_t last,
                                      std::int64_t wanted, ThreadPool& pool) {
  const std::int64_t lanes = last - first;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t q = first + lane;
    read_columns(asked, q, queries_[lane]);
    const auto stored = static_cast<double>(asked.start[q + 1] - asked.start[q]);
    const double size = memory_.cosine ? 1.0 : std::max(asked.norm[q], longest_) * longest_;
    const double error = 4.0 * (stored + 4.0) * 0x1p-24 * size;
    // Beyond what floats hold, scores tell nothing: every row may be near.
    const bool held = size < 0.25 * std::numeric_limits<float>::max();
    best_[lane].start(wanted,
                      held ? static_cast<float>(error) : std::numeric_limits<float>::infinity());
  }
  for (std::int64_t base = 0; base < memory_.stored.rows; base += kSpan) {
    const std::int64_t n = std::min(kSpan, memory_.stored.rows - base);
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      pool.checkpoint();
      add_rare(base, n, queries_[lane], scores_.data() + lane * span_);
    }
    for (std::int64_t r = 0; r < n; r += kTile) {
      pool.checkpoint();
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        fetch_tile(base + r + kTile, lane, lanes);
        add_common(base + r, std::min(kTile, n - r), queries_[lane],
                   scores_.data() + lane * span_ + r, best_[lane]);
      }
    }
  }
  for (std::int64_t lane = 0; lane < lanes; ++lane) best_[lane].shrink();
  return best_;
}

void Scorer::read_columns(const Vectors& asked, std::int64_t q, Query& query) const {
  const double scale = memory_.cosine && asked.norm[q] > 0.0 ? 1.0 / asked.norm[q] : 1.0;
  query.rare.clear();
  query.offset.clear();
  query.weight.clear();
  for (auto s = asked.start[q]; s < asked.start[q + 1]; ++s) {
    const std::int32_t column = asked.index[s];
    const auto weight = static_cast<float>(asked.value[s] * scale);
    if (const std::int32_t slot = memory_.tiles.slot[column]; slot >= 0) {
      query.offset.push_back(slot * kTile);
      query.weight.push_back(weight);
    } else if (memory_.postings.start[column] < memory_.postings.start[column + 1]) {
      query.rare.push_back(
          {memory_.postings.start[column], memory_.postings.start[column + 1], weight});
    }
  }
}

void Scorer::add_rare(std::int64_t base, std::int64_t n, Query& query, float* score) const {
  for (std::int64_t r = 0; r < n; ++r) {
    const double norm = memory_.stored.norm[base + r];
    score[r] = memory_.cosine ? 0.0f : static_cast<float>(-0.5 * norm * norm);
  }
  const std::int32_t* row = memory_.postings.row;
  const float* value = memory_.postings.value;
  const bool whole = n == memory_.stored.rows;
  for (std::size_t i = 0; i < query.rare.size(); ++i) {
    if (i + kAhead < query.rare.size()) {  // most columns are rare, their postings far apart
      LINNET_PREFETCH(row + query.rare[i + kAhead].at);
      LINNET_PREFETCH(value + query.rare[i + kAhead].at);
    }
    Query::Column& c = query.rare[i];
    const std::int64_t from = c.at;
    const std::int64_t most = std::min(c.end, from + n);  // a row is there once
    c.at = whole ? c.end : std::lower_bound(row + from, row + most, base + n) - row;
    add_postings(row + from, value + from, c.at - from, c.weight, score - base);
  }
}

// Each query of a batch calls for its part of the tile that comes next.
void Scorer::fetch_tile(std::int64_t row, std::int64_t lane, std::int64_t lanes) const {
  if (row >= memory_.stored.rows) return;
  constexpr std::int64_t kLine = 64 / sizeof(float);
  const std::int64_t lines = memory_.tiles.columns * kTile / kLine;
  const float* tile = memory_.tiles.value + row * memory_.tiles.columns;
  for (std::int64_t i = lane * lines / lanes; i < (lane + 1) * lines / lanes; ++i) {
    LINNET_PREFETCH(tile + i * kLine);
  }
}

void Scorer::add_common(std::int64_t base, std::int64_t n, const Query& query, float* score,
                        Best& best) const {
  const Tiles& tiles = memory_.tiles;
  if (!add_tile(query.offset.data(), query.weight.data(), query.offset.size(),
                tiles.value + base * tiles.columns, n, best.bound(), score)) {
    return;
  }
  for (std::int64_t r = 0; r < n; ++r) {
    if (score[r] < best.bound()) continue;
    // Values too large for floats may leave no number: such a row has to be measured.
    const float known = score[r] == score[r] ? score[r] : std::numeric_limits<float>::infinity();
    best.add(known, static_cast<std::int32_t>(base + r));
  }
}

}  // namespace linnet::memory
