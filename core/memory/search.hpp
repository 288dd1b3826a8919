// k nearest neighbours of many queries, by full search or down the trie (IGTree, TRIBL, TRIBL2).
#pragma once

#include "instances.hpp"
#include "parallel.hpp"

namespace linnet::memory {

// winner[q] is the class elected for query q, votes[q][classes] what decided. `memory` is what
// distances are measured to, `trie` where equal instances are looked for; they are the same unless
// values with the same p(class | value) have been merged in the former.
void classify(const Instances& memory, const Instances& trie, const Queries& queries,
              const Settings& settings, std::int32_t* winner, double* votes, ThreadPool& pool);

// The k nearest training rows of each query in order of distance, then of row; row -1 and distance
// infinity when training has fewer. Full search.
void nearest_rows(const Instances& memory, const Queries& queries, const Settings& settings,
                  std::int32_t* row, double* distance, ThreadPool& pool);

}  // namespace linnet::memory
