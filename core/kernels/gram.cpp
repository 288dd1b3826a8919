#include "kernels/gram.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/dots.hpp"

namespace linnet {

void kernel_gram(const AnyCsr& x, const AnyCsr& z, const Kernel& kernel, double* out,
                 ThreadPool& pool) {
  const DataRows<double> queries(x), data(z);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(data.rows));
  std::iota(ids.begin(), ids.end(), 0);
  const auto dots = make_dots(data, ids.data(), data.rows);
  const std::int64_t width = whole_blocks(data.rows);
  std::vector<double> norms(data.norm);
  norms.resize(static_cast<std::size_t>(width));
  pool.ranges(queries.rows, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> scratch(ids.size()), row(norms.size());
    for (std::int64_t i = first; i < last; ++i) {
      dots->fill(queries.row(i), 0, data.rows, row.data(), scratch.data());
      finish_kernel(kernel, queries.norm[static_cast<std::size_t>(i)], norms.data(), row.data(),
                    width);
      std::copy_n(row.begin(), data.rows, out + i * data.rows);
    }
  });
}

}  // namespace linnet
