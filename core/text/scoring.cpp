#include "scoring.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "../numeric.hpp"
#include "packed.hpp"
#include "weighing.hpp"

namespace linnet::text {
namespace {

LINNET_CLONES
void add_scaled(double amount, const float* row, std::int32_t n, double* out) {
  for (std::int32_t k = 0; k < n; ++k) out[k] += amount * static_cast<double>(row[k]);
}

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

// The same of two classes and one way to look at many texts: what features need is packed first.
// Returns whether it did so.
bool score_packed(Texts texts, const std::vector<std::size_t>& edges, const Facet& facet,
                  const Linear& model, double* out, ThreadPool& pool) {
  std::int64_t bytes = 0;
  for (const std::string_view text : texts) bytes += static_cast<std::int64_t>(text.size());
  const auto packed = Packed::of(facet, model.weights + facet.first, bytes);
  if (!packed) return false;
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<PackedReader> readers(static_cast<std::size_t>(lanes), PackedReader(facet, *packed));
  in_lanes(pool, blocks, lanes, [&](std::int64_t lane, std::int64_t b) {
    for (std::size_t row = edges[b]; row < edges[b + 1]; ++row) {
      out[row] = -0.0 + readers[lane].score(texts[row]) + model.intercept[0];
    }
  });
  return true;
}

}  // namespace

void score(Texts texts, Facets facets, const Linear& model, double* out, ThreadPool& pool) {
  const std::vector<std::size_t> edges = block_edges(texts);
  if (facets.size() == 1 && model.classes == 1 &&
      score_packed(texts, edges, facets[0], model, out, pool)) {
    return;
  }
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const std::int64_t lanes = lane_count(blocks, pool);
  const std::int32_t classes = model.classes;
  auto readers = readers_of(facets, lanes);
  for (std::vector<Reader>& lane : readers) {
    for (std::size_t f = 0; f < facets.size(); ++f) {
      lane[f].will_need(model.weights + std::int64_t{facets[f].first} * classes, classes,
                        facets[f].weighting.scale);
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
