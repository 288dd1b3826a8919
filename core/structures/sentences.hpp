// Decoding and marginals of many sentences, in parallel; a sentence does not depend on the others.
//
// State scores come from weights (nothing larger than a block of sentences is kept), or are given
// as a table when some other model has made them.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "../views.hpp"
#include "chain.hpp"

namespace linnet::chain {

// Where state scores come from.
struct Source {
  const double* table = nullptr;  // [tokens][L], or else
  const AnyCsr* tokens = nullptr;
  Pairs pairs{};
  const double* weights = nullptr;  // [pairs]
};

// The state scores of weights, out[tokens][L].
void state_table(const Source& source, std::int64_t tokens, std::int32_t L, double* out,
                 ThreadPool& pool);

// The best labels of every sentence; beam > 0 looks for them by beam search.
void decode(const Source& source, const std::int64_t* sentence, std::int64_t sentences,
            const Potentials& p, std::int64_t beam, std::int32_t* labels, double* scores,
            ThreadPool& pool);

// marginals[token][l] = P(y_t = l), log_z[sentence].
void marginals(const Source& source, const std::int64_t* sentence, std::int64_t sentences,
               const Potentials& p, double* marginals, double* log_z, ThreadPool& pool);

// pairs[token][i][j] = P(y_{t-1} = i, y_t = j) for state scores [tokens][L], 0 at first tokens;
// log_z[sentence].
void pair_marginals(const double* state, const std::int64_t* sentence, std::int64_t sentences,
                    const Potentials& p, double* pairs, double* log_z, ThreadPool& pool);

// The k best labellings of every sentence for state scores [tokens][L]. Those of sentence s with n
// tokens are labels[k * sentence[s]][k][n] and scores[s][k]; counts[s] says how many there are.
void n_best(const double* state, const std::int64_t* sentence, std::int64_t sentences,
            const Potentials& p, std::int64_t k, std::int32_t* labels, double* scores,
            std::int64_t* counts, ThreadPool& pool);

}  // namespace linnet::chain
