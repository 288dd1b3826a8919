#include "facets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "../numeric.hpp"

namespace linnet::text {
namespace {

// f(count) * scale: what a count becomes before the norm.
class Raised {
 public:
  explicit Raised(const Weighting& weighting)
      : count_(weighting.count), scale_(weighting.scale), logarithms_(table().data()) {}

  LINNET_INLINE double operator()(std::int32_t column, double count) const {
    if (count_ == Weighting::Count::binary) {
      count = 1.0;
    } else if (count_ == Weighting::Count::logarithm && count != 0.0) {
      count = logarithmic(count);
    }
    return scale_ ? count * static_cast<double>(scale_[column]) : count;
  }

 private:
  static constexpr std::size_t kSmall = 64;

  // 1 + ln count, of the small counts.
  static const std::array<double, kSmall>& table() {
    static const std::array<double, kSmall> logarithms = [] {
      std::array<double, kSmall> t{};
      for (std::size_t c = 1; c < kSmall; ++c) t[c] = 1.0 + std::log(static_cast<double>(c));
      return t;
    }();
    return logarithms;
  }

  LINNET_INLINE double logarithmic(double count) const {
    const double size = std::abs(count);
    const auto whole = static_cast<std::int32_t>(size < kSmall ? size : 0.0);
    const double raised =
        whole > 0 && static_cast<double>(whole) == size ? logarithms_[whole] : 1.0 + std::log(size);
    return std::copysign(raised, count);
  }

  const Weighting::Count count_;
  const float* const scale_;
  const double* const logarithms_;
};

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

// Turns n counts of a row's part into values, in place.
template <class Column, class Value>
LINNET_INLINE void weigh(const Weighting& weighting, std::int64_t n, Column column, Value value) {
  const Raised raised(weighting);
  Norm norm(weighting.norm);
  for (std::int64_t k = 0; k < n; ++k) {
    const double v = raised(column(k), value(k));
    norm.add(v);
    value(k) = static_cast<float>(v);
  }
  const double divisor = norm.divisor();
  if (divisor == 1.0) return;
  const double factor = 1.0 / divisor;
  for (std::int64_t k = 0; k < n; ++k) {
    value(k) = static_cast<float>(factor * static_cast<double>(value(k)));
  }
}

LINNET_CLONES
void add_scaled(double amount, const float* row, std::int32_t n, double* out) {
  for (std::int32_t k = 0; k < n; ++k) out[k] += amount * static_cast<double>(row[k]);
}

}  // namespace

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

namespace {

// Readers of all facets, for each lane.
std::vector<std::vector<Reader>> readers_of(Facets facets, std::int64_t lanes) {
  std::vector<Reader> one;
  for (const Facet& facet : facets) one.emplace_back(*facet.analysis, *facet.columns);
  return {static_cast<std::size_t>(lanes), one};
}

}  // namespace

// About as many bytes of running text as make an entry of words and pairs: room for most texts.
constexpr std::size_t kBytesPerEntry = 3;

Rows::Rows(Texts texts, Facets facets, bool ordered, bool weighed, ThreadPool& pool) {
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  auto readers = readers_of(facets, lanes);
  blocks_.resize(static_cast<std::size_t>(blocks));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    Block& block = blocks_[b];
    block.first = edges[b];
    std::size_t bytes = 0;
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) bytes += texts[row].size();
    block.entries.reserve(bytes / kBytesPerEntry);
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      const std::size_t before = block.entries.size();
      for (std::size_t f = 0; f < facets.size(); ++f) {
        Reader& reader = readers[lane][f];
        const auto& entries =
            ordered ? reader.read_sorted(texts[row], facets[f].width) : reader.read(texts[row]);
        const std::size_t own = block.entries.size();
        block.entries.insert(block.entries.end(), entries.begin(), entries.end());
        Entry* const part = block.entries.data() + own;
        const auto n = static_cast<std::int64_t>(entries.size());
        if (weighed) {  // while the counts are at hand
          weigh(
              facets[f].weighting, n, [&](std::int64_t k) { return part[k].column; },
              [&](std::int64_t k) -> float& { return part[k].count; });
        }
        for (std::int64_t k = 0; k < n; ++k) part[k].column += facets[f].first;
      }
      block.size.push_back(static_cast<std::int64_t>(block.entries.size() - before));
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

namespace {

// Adds the scores of one text's features to `scores`, undivided; returns the norm to divide by.
double add_scores(const std::vector<Entry>& entries, const Facet& facet, const Linear& model,
                  double* scores) {
  constexpr std::size_t kAhead = 8;
  const Weighting& weighting = facet.weighting;
  const std::int32_t classes = model.classes;
  const float* const own = model.weights + std::int64_t{facet.first} * classes;
  const Raised raised(weighting);
  Norm norm(weighting.norm);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k + kAhead < entries.size()) {
      const std::int64_t ahead = entries[k + kAhead].column;
      LINNET_PREFETCH(own + ahead * classes);
      if (weighting.scale) LINNET_PREFETCH(weighting.scale + ahead);
    }
    const double value = raised(entries[k].column, entries[k].count);
    norm.add(value);
    const float* const weights = own + std::int64_t{entries[k].column} * classes;
    if (classes == 1) {
      scores[0] += value * static_cast<double>(weights[0]);
    } else {
      add_scaled(value, weights, classes, scores);
    }
  }
  return norm.divisor();
}

}  // namespace

void score(Texts texts, Facets facets, const Linear& model, double* out, ThreadPool& pool) {
  const std::vector<std::size_t> edges = block_edges(texts);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  const std::int32_t classes = model.classes;
  auto readers = readers_of(facets, lanes);
  for (std::vector<Reader>& lane : readers) {
    for (std::size_t f = 0; f < facets.size(); ++f) {
      lane[f].will_need(model.weights + std::int64_t{facets[f].first} * classes, classes);
    }
  }
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    std::vector<double> of_facet(static_cast<std::size_t>(classes));
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      double* const scores = out + static_cast<std::int64_t>(row) * classes;
      std::fill(scores, scores + classes, -0.0);  // to which anything can be added to the bit
      for (std::size_t f = 0; f < facets.size(); ++f) {
        const auto& entries = readers[lane][f].read(texts[row]);
        std::fill(of_facet.begin(), of_facet.end(), 0.0);
        const double divisor = add_scores(entries, facets[f], model, of_facet.data());
        for (std::int32_t k = 0; k < classes; ++k) {
          scores[k] += of_facet[static_cast<std::size_t>(k)] / divisor;
        }
      }
      for (std::int32_t k = 0; k < classes; ++k) scores[k] += model.intercept[k];
    }
  });
}

}  // namespace linnet::text
