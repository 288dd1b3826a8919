#include "fasttext_products.hpp"

#include <algorithm>
#include <cmath>

#include "fasttext_scores.hpp"

namespace linnet::foreign {
namespace {

constexpr double kUnit = 0x1p-24;      // half the distance of two neighbouring 32-bit numbers
constexpr std::size_t kRows = 100000;  // with more, rounding of the second order counts
constexpr double kSecond = 1.01, kTiny = 1e-20;  // kTiny: what underflow may lose

}  // namespace

FastTextProducts::FastTextProducts(const FastTextInput& input, std::int64_t rows,
                                   const float* output, const float* scale, std::int32_t labels)
    : dim_(input.dim), width_(labels + 1) {
  const auto dim = static_cast<std::size_t>(dim_);
  std::vector<double> column(dim * static_cast<std::size_t>(labels)), largest(dim);
  for (std::int32_t k = 0; k < labels; ++k) {
    for (std::size_t d = 0; d < dim; ++d) {
      const double value = static_cast<double>(output[k * dim + d]) * (scale ? scale[k] : 1.0F);
      column[k * dim + d] = value;
      largest[d] = std::max(largest[d], std::abs(value));
    }
  }
  product_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_));
  std::vector<float> row(dim);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::fill(row.begin(), row.end(), 0.0F);
    input.add_row(r, row.data());
    float* const out = product_.data() + r * width_;
    for (std::int32_t k = 0; k < labels; ++k) {
      double sum = 0.0;
      for (std::size_t d = 0; d < dim; ++d) sum += column[k * dim + d] * row[d];
      out[k] = static_cast<float>(sum);
    }
    double sum = 0.0;
    for (std::size_t d = 0; d < dim; ++d) sum += largest[d] * std::abs(row[d]);
    out[labels] = static_cast<float>(sum);
  }
}

bool FastTextProducts::bounds(const std::vector<std::int32_t>& rows, std::vector<double>& low,
                              std::vector<double>& high) const {
  if (rows.empty() || rows.size() > kRows) return false;
  low.assign(static_cast<std::size_t>(width_), 0.0);
  for (const std::int32_t row : rows) {
    const float* const from = product_.data() + std::int64_t{row} * width_;
    for (std::int32_t k = 0; k < width_; ++k) low[k] += static_cast<double>(from[k]);
  }
  const auto n = static_cast<double>(rows.size());
  const double size = low.back() / n;
  const double error = kSecond * (n + dim_ + 8) * kUnit * size + kTiny;
  if (!std::isfinite(error)) return false;
  low.pop_back();
  high.resize(low.size());
  for (std::size_t k = 0; k < low.size(); ++k) {
    const double middle = low[k] / n;
    low[k] = middle - error;
    high[k] = middle + error;
  }
  return true;
}

}  // namespace linnet::foreign
