#include "kernels/dots.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace linnet {
namespace {

constexpr double kDenseEnough = 0.06;  // share of non-zeros from which panels are faster

template <class P>
constexpr int kWidth = 256 / sizeof(P);  // rows of a panel

// out[c] = sum over the query's non-zeros j of query_j panel[j][c]
template <class P>
LINNET_INLINE void panel_dots_body(const std::int32_t* index, const P* value, std::int64_t stored,
                                   const P* panel, P* out) {
  constexpr int kLanes = 64 / sizeof(P);
  using Part = Lanes<P, kLanes>;
  Part a = all_lanes<Part>(P{0}), b = a, c = a, d = a;
  for (std::int64_t k = 0; k < stored; ++k) {
    const P* column = panel + static_cast<std::int64_t>(index[k]) * kWidth<P>;
    const Part v = all_lanes<Part>(value[k]);
    a = a + v * load_lanes<Part>(column);
    b = b + v * load_lanes<Part>(column + kLanes);
    c = c + v * load_lanes<Part>(column + 2 * kLanes);
    d = d + v * load_lanes<Part>(column + 3 * kLanes);
  }
  store_lanes(a, out);
  store_lanes(b, out + kLanes);
  store_lanes(c, out + 2 * kLanes);
  store_lanes(d, out + 3 * kLanes);
}

LINNET_CLONES void panel_dots(const std::int32_t* index, const float* value, std::int64_t stored,
                              const float* panel, float* out) {
  panel_dots_body(index, value, stored, panel, out);
}
LINNET_CLONES void panel_dots(const std::int32_t* index, const double* value, std::int64_t stored,
                              const double* panel, double* out) {
  panel_dots_body(index, value, stored, panel, out);
}

// The same sums as in a panel: a row's distance from itself is to be exactly 0.
template <class P>
LINNET_INLINE void norms_body(const std::int64_t* start, const P* value, std::int64_t rows,
                              P* norm) {
  using Part = Lanes<P, 64 / sizeof(P)>;
  for (std::int64_t i = 0; i < rows; ++i) {
    Part sum = all_lanes<Part>(P{0});
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
      const Part v = all_lanes<Part>(value[k]);
      sum = sum + v * v;
    }
    norm[i] = sum[0];
  }
}

LINNET_CLONES void norms_of(const std::int64_t* start, const float* value, std::int64_t rows,
                            float* norm) {
  norms_body(start, value, rows, norm);
}
LINNET_CLONES void norms_of(const std::int64_t* start, const double* value, std::int64_t rows,
                            double* norm) {
  norms_body(start, value, rows, norm);
}

template <class P>
class PanelDots final : public Dots<P> {
 public:
  explicit PanelDots(const DataRows<P>& data) : data_(data) {}

  void arrange(const std::int32_t* ids, std::int64_t n) override {
    constexpr int kW = kWidth<P>;
    const std::int64_t size = static_cast<std::int64_t>(data_.cols) * kW;  // of a panel
    panels_.assign(static_cast<std::size_t>((n + kW - 1) / kW * size), P{0});
    for (std::int64_t p = 0; p < n; ++p) {
      P* panel = panels_.data() + p / kW * size + p % kW;
      const Row<P> row = data_.row(ids[p]);
      for (std::int64_t k = 0; k < row.size; ++k) {
        panel[static_cast<std::int64_t>(row.index[k]) * kW] = row.value[k];
      }
    }
  }

  void fill(const Row<P>& query, std::int64_t first, std::int64_t last, P* out, P*) const override {
    constexpr std::int64_t kW = kWidth<P>;
    const std::int64_t size = static_cast<std::int64_t>(data_.cols) * kW;
    P whole[kW];
    for (std::int64_t at = first / kW * kW; at < last; at += kW) {
      const P* panel = panels_.data() + at / kW * size;
      const bool inside = first <= at && at + kW <= last;
      panel_dots(query.index, query.value, query.size, panel, inside ? out + at : whole);
      if (inside) continue;
      const std::int64_t from = std::max(first, at), to = std::min(last, at + kW);
      std::copy(whole + (from - at), whole + (to - at), out + from);
    }
  }

 private:
  const DataRows<P>& data_;
  std::vector<P> panels_;  // [panels][features][width]
};

template <class P>
class InvertedDots final : public Dots<P> {
 public:
  InvertedDots(const DataRows<P>& data, const std::int32_t* ids, std::int64_t n)
      : start_(static_cast<std::size_t>(data.cols) + 1),
        slot_(static_cast<std::size_t>(data.rows)),
        place_(static_cast<std::size_t>(n)) {
    for (std::int64_t p = 0; p < n; ++p) {
      const Row<P> row = data.row(ids[p]);
      for (std::int64_t k = 0; k < row.size; ++k)
        ++start_[static_cast<std::size_t>(row.index[k]) + 1];
      slot_[static_cast<std::size_t>(ids[p])] = static_cast<std::int32_t>(p);
    }
    for (std::size_t j = 1; j < start_.size(); ++j) start_[j] += start_[j - 1];
    row_.resize(static_cast<std::size_t>(start_.back()));
    value_.resize(row_.size());
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::int64_t p = 0; p < n; ++p) {
      const Row<P> row = data.row(ids[p]);
      for (std::int64_t k = 0; k < row.size; ++k) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row.index[k])]++);
        row_[at] = static_cast<std::int32_t>(p);
        value_[at] = row.value[k];
      }
    }
    arrange(ids, n);
  }

  void arrange(const std::int32_t* ids, std::int64_t n) override {
    for (std::int64_t p = 0; p < n; ++p) {
      place_[static_cast<std::size_t>(p)] = slot_[static_cast<std::size_t>(ids[p])];
    }
  }

  void fill(const Row<P>& query, std::int64_t first, std::int64_t last, P* out,
            P* scratch) const override {
    std::fill_n(scratch, place_.size(), P{0});
    for (std::int64_t k = 0; k < query.size; ++k) {
      const auto j = static_cast<std::size_t>(query.index[k]);
      const P v = query.value[k];
      for (std::int64_t at = start_[j]; at < start_[j + 1]; ++at) {
        scratch[row_[static_cast<std::size_t>(at)]] += v * value_[static_cast<std::size_t>(at)];
      }
    }
    for (std::int64_t p = first; p < last; ++p) {
      out[p] = scratch[place_[static_cast<std::size_t>(p)]];
    }
  }

 private:
  std::vector<std::int64_t> start_;  // [features + 1]
  std::vector<std::int32_t> row_;    // the rows that have a feature, in the first arrangement
  std::vector<P> value_;
  std::vector<std::int32_t> slot_;   // [rows of the data] position in the first arrangement
  std::vector<std::int32_t> place_;  // [positions] the same for the row that is there now
};

}  // namespace

template <class P>
DataRows<P>::DataRows(const AnyCsr& x) : rows(rows_of(x)), cols(cols_of(x)) {
  std::visit(
      [&](const auto& m) {
        start = m.start;
        index = m.index;
        value.resize(static_cast<std::size_t>(m.stored()));
        for (std::size_t k = 0; k < value.size(); ++k) {
          value[k] = static_cast<P>(value_at(m.value, static_cast<std::int64_t>(k)));
        }
      },
      x);
  norm.resize(static_cast<std::size_t>(rows));
  norms_of(start, value.data(), rows, norm.data());
}

template <class P>
double DataRows<P>::density() const {
  return static_cast<double>(value.size()) /
         (static_cast<double>(rows) * std::max<double>(1.0, cols));
}

template <class P>
std::unique_ptr<Dots<P>> make_dots(const DataRows<P>& data, const std::int32_t* ids,
                                   std::int64_t n) {
  if (data.density() < kDenseEnough) return std::make_unique<InvertedDots<P>>(data, ids, n);
  auto panels = std::make_unique<PanelDots<P>>(data);
  panels->arrange(ids, n);
  return panels;
}

template struct DataRows<float>;
template struct DataRows<double>;
template std::unique_ptr<Dots<float>> make_dots(const DataRows<float>&, const std::int32_t*,
                                                std::int64_t);
template std::unique_ptr<Dots<double>> make_dots(const DataRows<double>&, const std::int32_t*,
                                                 std::int64_t);

}  // namespace linnet
