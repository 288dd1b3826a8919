#include "vectors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vector_scores.hpp"
#include "vote.hpp"

namespace linnet::memory {
namespace {

constexpr std::int64_t kBatch = 128;  // queries at once, at most
constexpr double kShrink = 0x1p-600;  // leaves room for the square of any number

using Near = std::pair<double, std::int32_t>;  // distance and row

// Distances in double precision. The query stands in an array of all columns meanwhile.
class Measure {
 public:
  explicit Measure(const VectorMemory& memory)
      : memory_(memory), column_(static_cast<std::size_t>(memory.stored.cols), 0.0) {}

  void ask(const Vectors& queries, std::int64_t q) {
    for (auto s = begin_; s < end_; ++s) column_[index_[s]] = 0.0;
    index_ = queries.index;
    value_ = queries.value;
    begin_ = queries.start[q];
    end_ = queries.start[q + 1];
    norm_ = queries.norm[q];
    for (auto s = begin_; s < end_; ++s) column_[index_[s]] = value_[s];
  }

  double operator()(std::int64_t r) const {
    if (memory_.cosine) return cosine(r);
    const double d = euclid(r, 1.0);
    return d <= kFarthest ? d : bounded(euclid(r, kShrink) / kShrink);
  }

 private:
  double cosine(std::int64_t r) const {
    const Vectors& y = memory_.stored;
    double dot = 0.0;
    for (auto s = y.start[r]; s < y.start[r + 1]; ++s) dot += column_[y.index[s]] * y.value[s];
    const double norms = norm_ * y.norm[r];
    return norms > 0.0 ? std::max(0.0, 1.0 - dot / norms) : 1.0;
  }

  double euclid(std::int64_t r, double factor) const {
    const Vectors& y = memory_.stored;
    auto a = begin_, b = y.start[r];
    const auto b_end = y.start[r + 1];
    double square = 0.0;
    while (a < end_ || b < b_end) {
      const bool left = b == b_end || (a < end_ && index_[a] <= y.index[b]);
      const bool right = a == end_ || (b < b_end && y.index[b] <= index_[a]);
      const double u = left ? value_[a++] : 0.0;
      const double v = right ? y.value[b++] : 0.0;
      const double difference = factor * (u - v);
      square += difference * difference;
    }
    return std::sqrt(square);
  }

  const VectorMemory& memory_;
  std::vector<double> column_;
  const std::int32_t* index_ = nullptr;
  const double* value_ = nullptr;
  std::int64_t begin_ = 0, end_ = 0;
  double norm_ = 0.0;
};

// All stored rows that the query needs, nearest first. `groups` says that they are to have at least
// `wanted` different distances, where so many exist.
void measure(const Measure& distance, std::int64_t rows, const Best& best, std::int64_t wanted,
             bool groups, std::vector<Near>& near) {
  near.clear();
  for (const auto& [score, r] : best.found()) near.emplace_back(distance(r), r);
  std::sort(near.begin(), near.end());
  if (!groups || std::ssize(near) == rows) return;
  std::int64_t different = near.empty() ? 0 : 1;
  for (std::size_t i = 1; i < near.size(); ++i) {
    different += near[i].first - near[i - 1].first >= kSame;
  }
  // The last distance may be shared by rows that were not wanted: only those before it are whole.
  if (different > wanted) return;
  near.clear();
  for (std::int64_t r = 0; r < rows; ++r) {
    near.emplace_back(distance(r), static_cast<std::int32_t>(r));
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

// Tables that threads take and give back: they are large, and to get new ones costs time.
class Desks {
 public:
  struct Desk {
    Scorer scorer;
    Measure distance;
  };
  Desks(const VectorMemory& memory, std::int64_t batch) : memory_(memory), batch_(batch) {}
  std::unique_ptr<Desk> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<Desk>(Desk{Scorer(memory_, batch_), Measure(memory_)});
    }
    auto desk = std::move(free_.back());
    free_.pop_back();
    return desk;
  }
  void give_back(std::unique_ptr<Desk> desk) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(desk));
  }

 private:
  const VectorMemory& memory_;
  const std::int64_t batch_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Desk>> free_;
};

template <class Answer>
void for_each_query(const VectorMemory& memory, const Vectors& queries, std::int64_t wanted,
                    ThreadPool& pool, const Answer& answer) {
  wanted = std::min(wanted, memory.stored.rows);
  const std::int64_t batch = std::clamp<std::int64_t>(queries.rows / 8, 8, kBatch);
  Desks desks(memory, batch);
  pool.ranges(queries.rows, batch, [&](std::int64_t first, std::int64_t last) {
    auto desk = desks.take();
    const auto& best = desk->scorer.find(queries, first, last, wanted, pool);
    for (std::int64_t q = first; q < last; ++q) {
      pool.checkpoint();
      desk->distance.ask(queries, q);
      answer(q, best[q - first], desk->distance);
    }
    desks.give_back(std::move(desk));
  });
}

}  // namespace

void classify(const VectorMemory& memory, const Vectors& queries, const Settings& settings,
              std::int32_t* winner, double* votes, ThreadPool& pool) {
  const Instances jury{0, 0, memory.classes, nullptr, nullptr, nullptr, nullptr, memory.frequency};
  const bool examples = settings.count_examples;
  const std::int64_t wanted = std::min(settings.k, memory.stored.rows) + (examples ? 1 : 2);
  for_each_query(memory, queries, wanted, pool,
                 [&](std::int64_t q, const Best& best, const Measure& distance) {
                   std::vector<Near> near;
                   Neighbours found;
                   measure(distance, memory.stored.rows, best, settings.k + 1, !examples, near);
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
                  std::int32_t* row, double* distances, ThreadPool& pool) {
  for_each_query(
      memory, queries, k, pool, [&](std::int64_t q, const Best& best, const Measure& distance) {
        std::vector<Near> near;
        measure(distance, memory.stored.rows, best, k, false, near);
        for (std::int64_t i = 0; i < k; ++i) {
          const bool there = i < std::ssize(near);
          row[q * k + i] = there ? near[i].second : -1;
          distances[q * k + i] = there ? near[i].first : std::numeric_limits<double>::infinity();
        }
      });
}

}  // namespace linnet::memory
