// Dot products of one row with many.
//
// Two layouts of the many. Panels, for dense-ish rows: the values of 256 bytes' worth of rows lie
// side by side for each feature, so one non-zero of the query meets all of them at once and its
// zeros cost nothing. Inverted, for sparse rows: for each feature the rows that have it.
// Both add the products of a pair of rows in the order of the features, so a value does not depend
// on the layout's arrangement and dot(x, z) = dot(z, x) bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "views.hpp"

namespace linnet {

// Rows of a matrix with values of one type, and their squared norms.
template <class P>
struct DataRows {
  explicit DataRows(const AnyCsr& x);

  Row<P> row(std::int64_t i) const {
    return {index + start[i], value.data() + start[i], start[i + 1] - start[i]};
  }
  double density() const;

  std::int64_t rows;
  std::int32_t cols;
  const std::int64_t* start;
  const std::int32_t* index;
  std::vector<P> value, norm;
};

template <class P>
class Dots {
 public:
  virtual ~Dots() = default;
  // Places row ids[p] of the data at position p.
  virtual void arrange(const std::int32_t* ids, std::int64_t n) = 0;
  // out[p] = query . row at p for p in first .. last-1; scratch has room for all positions.
  virtual void fill(const Row<P>& query, std::int64_t first, std::int64_t last, P* out,
                    P* scratch) const = 0;
};

// The layout that suits the data's density, arranged as ids say.
template <class P>
std::unique_ptr<Dots<P>> make_dots(const DataRows<P>& data, const std::int32_t* ids,
                                   std::int64_t n);

}  // namespace linnet
