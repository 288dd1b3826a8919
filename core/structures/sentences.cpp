#include "sentences.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "pairs.hpp"

namespace linnet::chain {
namespace {

constexpr std::int64_t kBlockTokens = 256;

std::vector<std::int64_t> block_edges(const std::int64_t* sentence, std::int64_t sentences) {
  std::vector<std::int64_t> edges{0};
  for (std::int64_t s = 0; s < sentences; ++s) {
    if (sentence[s + 1] - sentence[edges.back()] > kBlockTokens && s > edges.back()) {
      edges.push_back(s);
    }
  }
  if (sentences > 0) edges.push_back(sentences);
  return edges;
}

std::int64_t stored_in(const AnyCsr& tokens) {
  return std::visit([](const auto& x) { return x.stored(); }, tokens);
}

// Whether weights are copied as tokens meet them.
bool worth_a_copy(const Source& source) {
  return source.tokens && stored_in(*source.tokens) > source.pairs.features / 4 &&
         MetPairs::fit(source.pairs);
}

// Calls visit(first sentence, last sentence, state scores from the first one's first token on).
template <class Visit>
void each_block(const Source& source, const std::int64_t* sentence, std::int64_t sentences,
                std::int32_t L, ThreadPool& pool, Visit visit) {
  const std::vector<std::int64_t> edges = block_edges(sentence, sentences);
  const auto blocks = static_cast<std::int64_t>(edges.size()) - 1;
  const bool many = worth_a_copy(source);
  std::atomic<std::int64_t> next = 0;
  pool.run(pool.sharing(blocks), [&](std::int64_t) {
    std::optional<MetPairs> met;
    if (many) met.emplace(source.pairs, source.weights, L);
    std::vector<double> state;
    for (std::int64_t b = next++; b < blocks; b = next++) {
      pool.checkpoint();
      const std::int64_t first = sentence[edges[b]], last = sentence[edges[b + 1]];
      state.resize(static_cast<std::size_t>((last - first) * L + MetPairs::kRoom));
      if (source.table) {
        std::copy(source.table + first * L, source.table + last * L, state.begin());
      } else if (met) {
        met->score(*source.tokens, first, last, state.data());
      } else {
        state_scores(*source.tokens, source.pairs, source.weights, L, first, last, state.data());
      }
      visit(edges[b], edges[b + 1], state.data());
    }
  });
}

}  // namespace

void state_table(const Source& source, std::int64_t tokens, std::int32_t L, double* out,
                 ThreadPool& pool) {
  constexpr std::int64_t kTokens = 256;  // of a block
  const std::int64_t blocks = (tokens + kTokens - 1) / kTokens;
  const bool many = worth_a_copy(source);
  std::atomic<std::int64_t> next = 0;
  pool.run(pool.sharing(blocks), [&](std::int64_t) {
    std::optional<MetPairs> met;
    std::vector<double> state;  // what is written behind the last row belongs to another block
    if (many) {
      met.emplace(source.pairs, source.weights, L);
      state.resize(static_cast<std::size_t>(std::min(tokens, kTokens) * L + MetPairs::kRoom));
    }
    for (std::int64_t b = next++; b < blocks; b = next++) {
      pool.checkpoint();
      const std::int64_t first = b * kTokens, last = std::min(tokens, first + kTokens);
      if (met) {
        met->score(*source.tokens, first, last, state.data());
        std::copy_n(state.data(), (last - first) * L, out + first * L);
      } else {
        state_scores(*source.tokens, source.pairs, source.weights, L, first, last, out + first * L);
      }
    }
  });
}

void decode(const Source& source, const std::int64_t* sentence, std::int64_t sentences,
            const Potentials& p, std::int64_t beam, std::int32_t* labels, double* scores,
            ThreadPool& pool) {
  const std::int32_t L = p.labels;
  each_block(source, sentence, sentences, L, pool,
             [&](std::int64_t first, std::int64_t last, double* state) {
               Decoder decoder;
               for (std::int64_t s = first; s < last; ++s) {
                 const std::int64_t n = sentence[s + 1] - sentence[s];
                 const double* const rows = state + (sentence[s] - sentence[first]) * L;
                 std::int32_t* const out = labels + sentence[s];
                 scores[s] =
                     beam > 0 ? decoder.beam(rows, n, p, beam, out) : decoder.best(rows, n, p, out);
               }
             });
}

void marginals(const Source& source, const std::int64_t* sentence, std::int64_t sentences,
               const Potentials& p, double* out, double* log_z, ThreadPool& pool) {
  const std::int32_t L = p.labels;
  const Exponentials e(p);
  each_block(source, sentence, sentences, L, pool,
             [&](std::int64_t first, std::int64_t last, double* state) {
               Marginals marginals;
               for (std::int64_t s = first; s < last; ++s) {
                 const std::int64_t n = sentence[s + 1] - sentence[s];
                 double* const rows = state + (sentence[s] - sentence[first]) * L;
                 log_z[s] = marginals.run(rows, n, p, e);
                 std::copy(rows, rows + n * L, out + sentence[s] * L);
               }
             });
}

void pair_marginals(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                    const Potentials& p, double* pairs, double* log_z, ThreadPool& pool) {
  const std::int64_t L = p.labels;
  pool.ranges(sentences, 1, [&](std::int64_t first, std::int64_t last) {
    Marginals marginals;
    std::vector<double> rows;
    for (std::int64_t s = first; s < last; ++s) {
      pool.checkpoint();
      const std::int64_t begin = sentence[s], n = sentence[s + 1] - begin;
      rows.assign(state + begin * L, state + sentence[s + 1] * L);
      double* const out = pairs + begin * L * L;
      if (n > 0) std::fill(out, out + L * L, 0.0);
      log_z[s] = marginals.run_pairs(rows.data(), n, p, out + L * L);
    }
  });
}

void n_best(const double* state, const std::int64_t* sentence, std::int64_t sentences,
            const Potentials& p, std::int64_t k, std::int32_t* labels, double* scores,
            std::int64_t* counts, ThreadPool& pool) {
  pool.ranges(sentences, 1, [&](std::int64_t first, std::int64_t last) {
    Decoder decoder;
    for (std::int64_t s = first; s < last; ++s) {
      pool.checkpoint();
      counts[s] = decoder.n_best(state + sentence[s] * p.labels, sentence[s + 1] - sentence[s], p,
                                 k, labels + k * sentence[s], scores + k * s);
    }
  });
}

}  // namespace linnet::chain
