// Texts looked at in one way or in several side by side: rows of counts and values.
//
// Each way has its own n-grams, columns, weights and norm, and its columns stand behind those of
// the one before. All read a text before the next text is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "analysis.hpp"
#include "blocks.hpp"
#include "features.hpp"
#include "weighing.hpp"

namespace linnet::text {

// One way to look at texts.
struct Facet {
  const Analysis* analysis = nullptr;  // not needed for what has been counted
  const Columns* columns = nullptr;
  Weighting weighting{};
  std::int32_t first = 0;  // its columns are first .. first + width - 1
  std::int32_t width = 0;
};
using Facets = std::span<const Facet>;

// All texts as rows of counts, or of the values that they become where they shall be `weighed`;
// columns ascending unless `ordered` is false: then those of a facet come as they first occur.
// Taken apart in the constructor, written later into arrays whose size is then known.
class Rows {
 public:
  Rows(Texts texts, Facets facets, bool ordered, bool weighed, ThreadPool& pool);
  Rows(const Rows&) = delete;
  Rows(Rows&&) = default;
  std::int64_t rows() const;
  std::int64_t stored() const;
  void matrix(std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool) const;

 private:
  // The entries of one lane, one text after the other.
  class Shelf {
   public:
    explicit Shelf(std::size_t board) : board_(board) {}
    std::span<Entry> put(std::span<const Entry> entries);

   private:
    std::size_t board_;  // entries that a board has room for, at least
    std::vector<Raw<Entry>> boards_;
    std::size_t used_ = 0;  // of the last board
  };
  struct Block {
    std::size_t first = 0;
    std::vector<std::int64_t> size;               // of each row
    std::vector<std::span<const Entry>> entries;  // in order
  };
  std::vector<Shelf> shelves_;
  std::vector<Block> blocks_;
};

// Values from counts, row by row, in place. The columns of a facet stand together in a row.
void weigh_rows(Facets facets, std::int64_t rows, const std::int64_t* start,
                const std::int32_t* index, float* value, ThreadPool& pool);

// Rows in arrays.
struct RowsView {
  const std::int64_t* start;
  const std::int32_t* index;
  const float* value;
};

// Puts rows side by side: those of parts[p] behind the others of the same number, their columns
// moved by first[p].
void join_rows(std::span<const RowsView> parts, const std::int32_t* first, std::int64_t rows,
               std::int64_t* start, std::int32_t* index, float* value, ThreadPool& pool);

// Readers of all facets, for each lane.
std::vector<std::vector<Reader>> readers_of(Facets facets, std::int64_t lanes);

}  // namespace linnet::text
