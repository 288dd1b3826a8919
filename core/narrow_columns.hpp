// The columns of a matrix that some row has, numbered anew: the frequent ones first.
//
// Hashed features lie scattered over many more columns than occur, and those that most rows have
// lie among those that one row has: of each cache line of weights that a solver fetches, little is
// used. Here columns are sorted by how many rows have them, roughly, in a few tiers; within a tier
// they keep their order, but those that one row alone has come in the order of the rows. So the
// weights of frequent columns lie side by side, and those that are only a row's own as well; and a
// row is renumbered by putting its tiers one behind the other, without sorting it.
#pragma once

#include <array>
#include <cstdint>

#include "large_pages.hpp"
#include "parallel.hpp"
#include "views.hpp"

namespace linnet {

class NarrowColumns {
 public:
  NarrowColumns(const Csr<float>& x, ThreadPool& pool);

  std::int32_t cols() const { return static_cast<std::int32_t>(number_.size()); }
  std::int32_t used() const { return edge_.back(); }
  // Writes the rows of x over the used columns, index[stored] and value[stored], which may be x's
  // own; and the old number of each used column, columns[used].
  void rows(const Csr<float>& x, std::int32_t* index, float* value, std::int32_t* columns,
            ThreadPool& pool) const;

 private:
  static constexpr std::size_t kTiers = 4, kSingle = kTiers - 1;  // the last: one row has it

  std::array<std::int32_t, kTiers + 1>
      edge_{};                // tier t has the new numbers edge[t] .. edge[t + 1]
  Raw<std::int32_t> number_;  // [cols] the new number, any of its tier for a single, or -1
};

}  // namespace linnet
