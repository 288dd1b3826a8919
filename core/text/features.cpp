#include "features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "../numeric.hpp"

namespace linnet::text {
namespace {

// The bucket of a fingerprint: by its high bits, the sign by the lowest.
LINNET_INLINE Bucket bucket_of(std::uint64_t print, std::uint32_t n) {
  return {static_cast<std::int32_t>(place(print, n)), (print & 1U) != 0};
}

}  // namespace

void Tally::reset(std::size_t expected) {
  counted_.clear();
  const int bits = std::max(4, static_cast<int>(std::bit_width(2 * expected)));
  shift_ = 64 - bits;
  slots_.assign(std::size_t{1} << bits, Slot{});
}

LINNET_INLINE void Tally::add(std::uint64_t key, float amount) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (key * 0x9e3779b97f4a7c15U) >> shift_;
  for (;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.place == 0) break;
    if (slot.low != static_cast<std::uint32_t>(key)) continue;
    Counted& counted = counted_[slot.place - 1];
    if (counted.key != key) continue;
    counted.count += amount;
    return;
  }
  counted_.push_back({key, amount});
  slots_[at] = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(counted_.size())};
}

// n-grams are counted by their fingerprints, so that each different one is looked up once; and all
// are known before the first is, so that the table's memory can be asked for ahead of its use.
const std::vector<Entry>& Reader::read(std::string_view text) {
  constexpr std::size_t kAhead = 16;
  analyzer_.read(text);
  keys_.clear();
  entries_.clear();
  if (columns_.buckets > 0) {
    if (columns_.by_print) {
      analyzer_.each_gram([&](const Gram& gram) {
        const Bucket b = bucket_of(gram.print, columns_.buckets);
        if (needed_) LINNET_PREFETCH(needed_ + b.column * width_);
        keys_.push_back(static_cast<std::uint64_t>(b.column) << 1 | (b.negative ? 1U : 0U));
      });
    } else {
      analyzer_.join();
      analyzer_.each_gram([&](const Gram& gram) {
        const Bucket b = bucket(analyzer_.spelling(gram), columns_.buckets);
        keys_.push_back(static_cast<std::uint64_t>(b.column) << 1 | (b.negative ? 1U : 0U));
      });
    }
    tally_.reset(keys_.size());
    for (const std::uint64_t key : keys_) {
      tally_.add(key >> 1, columns_.signs && (key & 1U) ? -1.0F : 1.0F);
    }
    for (const auto& [key, count] : tally_.counted()) {
      entries_.push_back({static_cast<std::int32_t>(key), count});
    }
    return entries_;
  }
  analyzer_.each_gram([&](const Gram& gram) { keys_.push_back(gram.print); });
  tally_.reset(keys_.size());
  for (const std::uint64_t key : keys_) tally_.add(key, 1.0F);
  const auto& counted = tally_.counted();
  const std::size_t n = counted.size();
  float unknown = 0.0F;
  candidates_.resize(n);
  for (std::size_t k = 0; k < std::min(kAhead, n); ++k) columns_.table.prefetch(counted[k].key);
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) columns_.table.prefetch(counted[k + kAhead].key);
    candidates_[k] = columns_.table.candidate(counted[k].key);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t column = columns_.table.confirm(counted[k].key, candidates_[k]);
    if (column >= 0) {
      entries_.push_back({column, counted[k].count});
    } else {
      unknown += counted[k].count;
    }
  }
  if (columns_.unknown >= 0 && unknown > 0.0F) entries_.push_back({columns_.unknown, unknown});
  return entries_;
}

// Least significant byte first, so many bytes as the columns have; for short lists, comparisons.
const std::vector<Entry>& Reader::read_sorted(std::string_view text, std::int32_t width) {
  constexpr std::size_t kFew = 48;
  read(text);
  if (entries_.size() < kFew) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return entries_;
  }
  spare_.resize(entries_.size());
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(width)));
  for (int shift = 0; shift < bits; shift += 8) {
    std::array<std::uint32_t, 256> place{};
    const auto digit = [&](const Entry& e) {
      return static_cast<std::uint32_t>(e.column) >> shift & 255U;
    };
    for (const Entry& entry : entries_) ++place[digit(entry)];
    std::uint32_t total = 0;
    for (std::uint32_t& p : place) total += std::exchange(p, total);
    for (const Entry& entry : entries_) spare_[place[digit(entry)]++] = entry;
    entries_.swap(spare_);
  }
  return entries_;
}

void Reader::trace(std::string_view text, std::vector<Trace>& out) {
  analyzer_.read(text, true);
  const auto& tokens = analyzer_.tokens();
  analyzer_.each_gram([&](const Gram& gram) {
    std::int32_t column = -1;
    if (columns_.buckets > 0) {
      const Bucket b = columns_.by_print ? bucket_of(gram.print, columns_.buckets)
                                         : bucket(analyzer_.spelling(gram), columns_.buckets);
      column = columns_.signs && b.negative ? ~b.column : b.column;
    } else {
      column = columns_.table.find(gram.print);
      if (column < 0) column = columns_.unknown;
      if (column < 0) return;
    }
    out.push_back({column, analyzer_.raw_begin(tokens[gram.picks[0]]),
                   analyzer_.raw_end(tokens[gram.picks[gram.n - 1]])});
  });
}

namespace {

// 1 + ln count, the small counts from a table.
LINNET_INLINE double logarithmic(double count) {
  static const std::array<double, 64> table = [] {
    std::array<double, 64> t{};
    for (std::size_t c = 1; c < t.size(); ++c) t[c] = 1.0 + std::log(static_cast<double>(c));
    return t;
  }();
  const double size = std::abs(count);
  const auto whole = static_cast<std::size_t>(size < 64.0 ? size : 0.0);
  const double raised =
      whole > 0 && static_cast<double>(whole) == size ? table[whole] : 1.0 + std::log(size);
  return std::copysign(raised, count);
}

// f(count) * scale: what a count becomes before the norm.
LINNET_INLINE double raised(const Weighting& w, std::int32_t column, double count) {
  if (w.count == Weighting::Count::binary) {
    count = 1.0;
  } else if (w.count == Weighting::Count::logarithm && count != 0.0) {
    count = logarithmic(count);
  }
  return w.scale ? count * static_cast<double>(w.scale[column]) : count;
}

// 1 / norm of values given one by one; 1 when they are all zero.
class Norm {
 public:
  explicit Norm(Weighting::Norm kind) : kind_(kind) {}
  void add(double v) { total_ += kind_ == Weighting::Norm::l2 ? v * v : std::abs(v); }
  double divisor() const {
    if (kind_ == Weighting::Norm::none || total_ == 0.0) return 1.0;
    return kind_ == Weighting::Norm::l2 ? std::sqrt(total_) : total_;
  }

 private:
  Weighting::Norm kind_;
  double total_ = 0.0;
};

LINNET_CLONES
void add_scaled(double amount, const float* row, std::int32_t n, double* out) {
  for (std::int32_t k = 0; k < n; ++k) out[k] += amount * static_cast<double>(row[k]);
}

}  // namespace

void weigh_rows(const Weighting& weighting, std::int64_t rows, const std::int64_t* start,
                const std::int32_t* index, float* value, ThreadPool& pool) {
  pool.ranges(rows, 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      Norm norm(weighting.norm);
      for (std::int64_t k = start[row]; k < start[row + 1]; ++k) {
        const double v = raised(weighting, index[k], value[k]);
        norm.add(v);
        value[k] = static_cast<float>(v);
      }
      const double divisor = norm.divisor();
      if (divisor == 1.0) continue;
      const double factor = 1.0 / divisor;
      for (std::int64_t k = start[row]; k < start[row + 1]; ++k) {
        value[k] = static_cast<float>(factor * static_cast<double>(value[k]));
      }
    }
  });
}

Rows::Rows(Texts texts, const Analysis& analysis, const Columns& columns, std::int32_t width,
           bool ordered, ThreadPool& pool) {
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<Reader> readers(static_cast<std::size_t>(lanes), Reader(analysis, columns));
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    block.first = edges[b];
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      const auto& entries =
          ordered ? readers[lane].read_sorted(texts[row], width) : readers[lane].read(texts[row]);
      block.size.push_back(static_cast<std::int64_t>(entries.size()));
      block.entries.insert(block.entries.end(), entries.begin(), entries.end());
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
  for (const Block& block : blocks_) total += static_cast<std::int64_t>(block.entries.size());
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
    for (const Entry& entry : blocks_[b].entries) {
      index[at] = entry.column;
      value[at++] = entry.count;
    }
  });
}

void score(Texts texts, const Analysis& analysis, const Columns& columns,
           const Weighting& weighting, const Linear& model, double* out, ThreadPool& pool) {
  constexpr std::size_t kAhead = 8;
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  const std::int32_t classes = model.classes;
  std::vector<Reader> readers(static_cast<std::size_t>(lanes), Reader(analysis, columns));
  for (Reader& reader : readers) reader.will_need(model.weights, classes);
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      const auto& entries = readers[lane].read(texts[row]);
      double* const scores = out + static_cast<std::int64_t>(row) * classes;
      std::fill(scores, scores + classes, 0.0);
      Norm norm(weighting.norm);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (k + kAhead < entries.size()) {
          const std::int64_t ahead = entries[k + kAhead].column;
          LINNET_PREFETCH(model.weights + ahead * classes);
          if (weighting.scale) LINNET_PREFETCH(weighting.scale + ahead);
        }
        const double value = raised(weighting, entries[k].column, entries[k].count);
        norm.add(value);
        const float* const weights = model.weights + std::int64_t{entries[k].column} * classes;
        if (classes == 1) {
          scores[0] += value * static_cast<double>(weights[0]);
        } else {
          add_scaled(value, weights, classes, scores);
        }
      }
      const double divisor = norm.divisor();
      for (std::int32_t k = 0; k < classes; ++k) {
        scores[k] = scores[k] / divisor + model.intercept[k];
      }
    }
  });
}

}  // namespace linnet::text
