#include "counting.hpp"

#include "by_class.hpp"

namespace linnet {

void count(const AnyCsr& any, const Labelled& labels, double* counts, ThreadPool& pool) {
  std::visit(
      [&](const auto& x) {
        ByClass(x.start, x.rows, x.cols, labels)
            .sum(x, counts, pool, [](double weight, double value, std::int32_t, std::int64_t) {
              return weight * value;
            });
      },
      any);
}

}  // namespace linnet
