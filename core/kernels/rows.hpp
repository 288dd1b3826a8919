// Rows of a Gram matrix K(i, j) over chosen examples, computed when they are asked for.
//
// The examples stand at positions 0 .. n-1; a solver may rearrange them so that those it still
// works on come first. V is the type of the values kept, P that of the arithmetic behind them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/dots.hpp"
#include "kernels/kernel.hpp"

namespace linnet {

template <class V>
class KernelRows {
 public:
  virtual ~KernelRows() = default;
  // Places example ids[p] at position p.
  virtual void arrange(const std::int32_t* ids, std::int64_t n) = 0;
  // out[q] = K(p, q) for q in first .. last-1.
  virtual void fill(std::int64_t p, std::int64_t first, std::int64_t last, V* out) = 0;
  virtual V diagonal(std::int64_t p) const = 0;
};

// Rows computed from features.
template <class V, class P>
class ComputedRows final : public KernelRows<V> {
 public:
  ComputedRows(const DataRows<P>& data, const Kernel& kernel, const std::int32_t* ids,
               std::int64_t n)
      : data_(data),
        kernel_(kernel),
        dots_(make_dots(data, ids, n)),
        values_(static_cast<std::size_t>(whole_blocks(n))),
        scratch_(static_cast<std::size_t>(n)) {
    take(ids, n);
  }

  void arrange(const std::int32_t* ids, std::int64_t n) override {
    dots_->arrange(ids, n);
    take(ids, n);
  }

  void fill(std::int64_t p, std::int64_t first, std::int64_t last, V* out) override {
    const auto at = static_cast<std::size_t>(p);
    P* values = values_.data();
    dots_->fill(data_.row(ids_[at]), first, last, values, scratch_.data());
    const std::int64_t from = first / kFinishBlock * kFinishBlock;
    finish_kernel(kernel_, norms_[at], norms_.data() + from, values + from,
                  whole_blocks(last) - from);
    for (std::int64_t q = first; q < last; ++q) out[q] = static_cast<V>(values[q]);
  }

  V diagonal(std::int64_t p) const override {
    P value = norms_[static_cast<std::size_t>(p)];
    const P norm = value;
    finish_kernel(kernel_, norm, &norm, &value, 1);
    return static_cast<V>(value);
  }

 private:
  void take(const std::int32_t* ids, std::int64_t n) {
    ids_.assign(ids, ids + n);
    norms_.assign(values_.size(), P{0});
    for (std::size_t p = 0; p < ids_.size(); ++p) {
      norms_[p] = data_.norm[static_cast<std::size_t>(ids_[p])];
    }
  }

  const DataRows<P>& data_;
  Kernel kernel_;
  std::unique_ptr<Dots<P>> dots_;
  std::vector<std::int32_t> ids_;
  std::vector<P> norms_, values_, scratch_;
};

// Rows of a Gram matrix that somebody else has computed: gram[examples][examples].
template <class V>
class TableRows final : public KernelRows<V> {
 public:
  TableRows(const double* gram, std::int64_t examples, double shift, const std::int32_t* ids,
            std::int64_t n)
      : gram_(gram), examples_(examples), shift_(shift), ids_(ids, ids + n) {}

  void arrange(const std::int32_t* ids, std::int64_t n) override { ids_.assign(ids, ids + n); }

  void fill(std::int64_t p, std::int64_t first, std::int64_t last, V* out) override {
    const double* row = gram_ + ids_[static_cast<std::size_t>(p)] * examples_;
    for (std::int64_t q = first; q < last; ++q) {
      out[q] = static_cast<V>(row[ids_[static_cast<std::size_t>(q)]] + shift_);
    }
  }

  V diagonal(std::int64_t p) const override {
    const std::int64_t id = ids_[static_cast<std::size_t>(p)];
    return static_cast<V>(gram_[id * examples_ + id] + shift_);
  }

 private:
  const double* gram_;
  std::int64_t examples_;
  double shift_;
  std::vector<std::int32_t> ids_;
};

}  // namespace linnet
