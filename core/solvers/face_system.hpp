// The equations of a face (dual_face.hpp): the rows and coordinates that are inside their bounds,
// and the product of their matrix X X^T + slack with a vector.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "../structures/flat.hpp"
#include "../views.hpp"
#include "dual_rule.hpp"

namespace linnet {

template <class V>
class FaceSystem {
 public:
  FaceSystem(const Csr<V>& x, double bias, std::int32_t columns)
      : x_(x), bias_(bias), columns_(columns) {}

  // Takes the coordinates of row i, |x_i|^2 = q > 0; `cost` is what a unit of slope may matter.
  void add(std::int64_t i, double q, double cost, const std::vector<Coordinate>& free) {
    rows_.push_back({i, q, cost, static_cast<std::int64_t>(coordinates_.size())});
    coordinates_.insert(coordinates_.end(), free.begin(), free.end());
  }

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t row(std::int64_t r) const { return rows_[r].row; }
  const Coordinate* begin(std::int64_t r) const { return coordinates_.data() + rows_[r].first; }
  const Coordinate* end(std::int64_t r) const { return coordinates_.data() + last(r); }

 protected:
  struct FaceRow {
    std::int64_t row;
    double q, cost;
    std::int64_t first;  // of its coordinates
  };

  std::int64_t last(std::int64_t r) const {
    return r + 1 < rows() ? rows_[r + 1].first : static_cast<std::int64_t>(coordinates_.size());
  }

  // Copies the rows with the features they have numbered without holes.
  void compact() {
    std::vector<std::int32_t> number(static_cast<std::size_t>(x_.cols), -1);
    local_start_.assign(1, 0);
    for (const FaceRow& row : rows_) {
      const Row<V> x = x_.row(row.row);
      for (std::int64_t k = 0; k < x.size; ++k) {
        std::int32_t& id = number[x.index[k]];
        if (id < 0) id = features_++;
        local_index_.push_back(id);
      }
      if constexpr (!std::is_same_v<V, Unit>) {
        local_value_.insert(local_value_.end(), x.value, x.value + x.size);
      }
      local_start_.push_back(static_cast<std::int64_t>(local_index_.size()));
    }
    image_.resize(static_cast<std::size_t>((features_ + 1) * columns_));
  }

  // out = (X X^T + slack) p, by way of the image X^T p
  void multiply(const std::vector<double>& p, std::vector<double>& out) {
    std::fill(image_.begin(), image_.end(), 0.0);
    for (std::int64_t r = 0; r < rows(); ++r) scatter(r, p);
    for (std::int64_t r = 0; r < rows(); ++r) gather(r, p, out);
  }

  std::vector<FaceRow> rows_;
  std::vector<Coordinate> coordinates_;

 private:
  Row<V> local(std::int64_t r) const {
    return {local_index_.data() + local_start_[r], advance(local_value_.data(), local_start_[r]),
            local_start_[r + 1] - local_start_[r]};
  }

  // image += the coefficients of row r times the row
  void scatter(std::int64_t r, const std::vector<double>& p) {
    const Row<V> x = local(r);
    const std::int64_t first = rows_[r].first, count = last(r) - first;
    double* bias_row = image_.data() + features_ * columns_;
    amount_.resize(static_cast<std::size_t>(count));
    for (std::int64_t n = 0; n < count; ++n) {
      const Coordinate& c = coordinates_[first + n];
      amount_[n] = c.sign * p[first + n];
      bias_row[c.column] += bias_ * amount_[n];
    }
    if (columns_ == 1) {
      flat::add(x, amount_.data(), 1, image_.data());
      return;
    }
    for (std::int64_t k = 0; k < x.size; ++k) {
      double* at = image_.data() + x.index[k] * static_cast<std::int64_t>(columns_);
      const double v = value_at(x.value, k);
      for (std::int64_t n = 0; n < count; ++n) at[coordinates_[first + n].column] += v * amount_[n];
    }
  }

  // out = slack p + the image's scores of row r
  void gather(std::int64_t r, const std::vector<double>& p, std::vector<double>& out) {
    const Row<V> x = local(r);
    const std::int64_t first = rows_[r].first, count = last(r) - first;
    const double* bias_row = image_.data() + features_ * columns_;
    amount_.assign(static_cast<std::size_t>(count), 0.0);
    if (columns_ == 1) {
      flat::score(x, image_.data(), 1, amount_.data());
    } else {
      for (std::int64_t k = 0; k < x.size; ++k) {
        const double* at = image_.data() + x.index[k] * static_cast<std::int64_t>(columns_);
        const double v = value_at(x.value, k);
        for (std::int64_t n = 0; n < count; ++n)
          amount_[n] += v * at[coordinates_[first + n].column];
      }
    }
    for (std::int64_t n = 0; n < count; ++n) {
      const Coordinate& c = coordinates_[first + n];
      out[first + n] = c.slack * p[first + n] + c.sign * (amount_[n] + bias_ * bias_row[c.column]);
    }
  }

  const Csr<V>& x_;
  const double bias_;
  const std::int32_t columns_;
  std::vector<std::int64_t> local_start_;
  std::vector<std::int32_t> local_index_;
  std::vector<V> local_value_;
  std::int32_t features_ = 0;
  std::vector<double> image_;   // [features + 1][columns] X^T p
  std::vector<double> amount_;  // of the coordinates of one row, scratch
};

}  // namespace linnet
