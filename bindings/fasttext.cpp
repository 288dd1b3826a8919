#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "common.hpp"
#include "foreign/fasttext_dictionary.hpp"
#include "foreign/fasttext_rows.hpp"
#include "foreign/fasttext_scores.hpp"
#include "text_views.hpp"

namespace linnet::bindings {
namespace {

using foreign::FastTextInput;
using foreign::FastTextLoss;
using foreign::FastTextRows;
using foreign::FastTextScores;
using Bytes = Array<const std::uint8_t>;
using Floats = Array<const float>;

constexpr std::int64_t kTexts = 32;  // of a block of work

// A dictionary with the arrays that it looks at.
struct RowsHandle {
  Bytes bytes;
  Array<const std::int64_t> offset;
  FastTextRows rows;
};

void make_rows(RowsHandle* self, Bytes bytes, Array<const std::int64_t> offset, std::int32_t words,
               std::int32_t minn, std::int32_t maxn, std::int32_t word_ngrams, std::int32_t bucket,
               std::optional<Array<const std::int32_t>> kept) {
  require_names(bytes, offset);
  const std::int64_t entries = length_of(offset) - 1;
  require(entries <= INT32_MAX / 4 && words >= 0 && words <= entries, "words is out of range");
  require(minn >= 0 && maxn <= 1000 && word_ngrams <= 1000 && bucket >= 0, "n-grams out of range");
  require(bucket > 0 || (maxn <= 0 && word_ngrams <= 1), "there are no buckets for n-grams");
  require(std::int64_t{words} + bucket <= INT32_MAX, "more rows than have numbers of 32 bits");
  if (kept) require_numbers(*kept, bucket, "kept");
  const foreign::RowSettings settings{words, minn, maxn, word_ngrams, bucket, kept.has_value()};
  const std::int32_t n_kept = kept ? static_cast<std::int32_t>(length_of(*kept)) : 0;
  new (self) RowsHandle{bytes, offset,
                        FastTextRows(reinterpret_cast<const char*>(bytes.data()), offset.data(),
                                     static_cast<std::int32_t>(entries), settings,
                                     kept ? kept->data() : nullptr, n_kept)};
}

// The matrices with the arrays that they look at.
struct MatricesHandle {
  std::vector<nb::object> kept;
  std::int64_t rows;
  FastTextScores scores;
  std::shared_ptr<const foreign::FastTextProducts> products{};

  // What is kept of a short cut while it is used: another call may be making it at the same time.
  std::shared_ptr<const foreign::FastTextProducts> short_cut(const TextViews& texts) {
    if (!products) products = scores.products(texts.bytes, rows);
    return products;
  }
};

FastTextInput quantised(const Table<const std::uint8_t>& code,
                        const std::optional<Bytes>& norm_code, const Floats& centroid,
                        const std::optional<Floats>& norm, std::int32_t dim, std::int32_t width) {
  const auto parts = static_cast<std::int64_t>(code.shape(1));
  require(width >= 1 && parts >= 1 && (parts - 1) * width < dim && parts * width >= dim,
          "the parts do not make a row");
  require_length(centroid, std::int64_t{256} * dim, "centroid");
  require(norm_code.has_value() == norm.has_value(), "norms need codes and values");
  require_length(norm_code, static_cast<std::int64_t>(code.shape(0)), "norm_code");
  require_length(norm, 256, "norm");
  FastTextInput input{dim};
  input.code = code.data();
  input.norm_code = norm_code ? norm_code->data() : nullptr;
  input.centroid = centroid.data();
  input.norm = norm ? norm->data() : nullptr;
  input.parts = static_cast<std::int32_t>(parts);
  input.width = width;
  input.last = dim - (input.parts - 1) * width;
  return input;
}

FastTextScores scores_of(const FastTextInput& input, int loss, const Table<const float>& output,
                         const std::optional<Floats>& scale,
                         const Array<const std::int64_t>& counts) {
  const auto labels = static_cast<std::int64_t>(output.shape(0));
  require(loss >= 1 && loss <= 4, "unknown loss");
  require(labels >= 1 && labels <= INT32_MAX / 4, "output has no labels");
  require_shape(output, labels, input.dim, "output");
  require_length(scale, labels, "scale");
  require_length(counts, labels, "counts");
  require_below(counts.data(), labels, 0, std::int64_t{1000000000000000}, "counts");
  return FastTextScores(input, static_cast<FastTextLoss>(loss), output.data(),
                        scale ? scale->data() : nullptr, counts.data(),
                        static_cast<std::int32_t>(labels));
}

void make_dense(MatricesHandle* self, Table<const float> input, int loss, Table<const float> output,
                std::optional<Floats> scale, Array<const std::int64_t> counts) {
  require(input.shape(1) >= 1 && input.shape(1) <= INT32_MAX / 4, "input has no columns");
  FastTextInput dense{static_cast<std::int32_t>(input.shape(1))};
  dense.dense = input.data();
  FastTextScores scores = scores_of(dense, loss, output, scale, counts);
  new (self) MatricesHandle{{nb::cast(input), nb::cast(output), nb::cast(scale), nb::cast(counts)},
                            static_cast<std::int64_t>(input.shape(0)),
                            std::move(scores)};
}

void make_quantised(MatricesHandle* self, Table<const std::uint8_t> code,
                    std::optional<Bytes> norm_code, Floats centroid, std::optional<Floats> norm,
                    std::int32_t width, int loss, Table<const float> output,
                    std::optional<Floats> scale, Array<const std::int64_t> counts) {
  require(output.shape(1) >= 1 && output.shape(1) <= INT32_MAX / 4, "output has no columns");
  const FastTextInput input =
      quantised(code, norm_code, centroid, norm, static_cast<std::int32_t>(output.shape(1)), width);
  FastTextScores scores = scores_of(input, loss, output, scale, counts);
  new (self) MatricesHandle{{nb::cast(code), nb::cast(norm_code), nb::cast(centroid),
                             nb::cast(norm), nb::cast(output), nb::cast(scale), nb::cast(counts)},
                            static_cast<std::int64_t>(code.shape(0)),
                            std::move(scores)};
}

// What threads keep from one block of texts to the next.
class Desks {
 public:
  using Desk = std::unique_ptr<FastTextRows::Scratch>;

  Desk take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<FastTextRows::Scratch>();
    Desk desk = std::move(free_.back());
    free_.pop_back();
    return desk;
  }
  void leave(Desk desk) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(desk));
  }

 private:
  std::mutex mutex_;
  std::vector<Desk> free_;
};

// body(row, rows, scratch) for every text, on several threads.
template <class Body>
void each_text(const RowsHandle& rows, const TextViews& texts, int threads, Body&& body,
               const foreign::FastTextProducts* products = nullptr) {
  Desks desks;
  with_pool(texts.threads(threads), [&](ThreadPool& pool) {
    pool.ranges(std::ssize(texts.views), kTexts, [&](std::int64_t first, std::int64_t last) {
      Desks::Desk found = desks.take();
      FastTextScores::Scratch scratch;
      scratch.products = products;
      FastTextScores::Ranked ranked;
      for (std::int64_t t = first; t < last; ++t) {
        rows.rows.find(texts.views[t], *found);
        body(t, found->rows, scratch, ranked);
      }
      desks.leave(std::move(found));
    });
  });
}

void require_rows(const RowsHandle& rows, std::int64_t n) {
  require(rows.rows.n_rows() == n, "the matrix has another number of rows than the dictionary");
}

}  // namespace

void bind_fasttext(nb::module_& m) {
  nb::class_<RowsHandle>(m, "FastTextRows", "A fastText dictionary: from texts to rows.")
      .def("__init__", &make_rows, nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(),
           nb::arg("words"), nb::arg("minn"), nb::arg("maxn"), nb::arg("word_ngrams"),
           nb::arg("bucket"), nb::arg("kept").noconvert().none())
      .def_prop_ro("n_rows", [](const RowsHandle& self) { return self.rows.n_rows(); })
      .def(
          "trace",
          [](const RowsHandle& self, const TextViews& texts, std::size_t row) {
            require(row < texts.views.size(), "there is no such text");
            std::vector<std::tuple<std::int32_t, std::int64_t, std::int64_t>> traced;
            for (const auto& [at, begin, end] : self.rows.trace(texts.views[row])) {
              traced.emplace_back(at, begin, end);
            }
            return traced;
          },
          nb::arg("texts"), nb::arg("row"), "(row, first byte, end) of all that a text has.");

  nb::class_<MatricesHandle>(m, "FastTextMatrices", "The two matrices of a fastText model.")
      .def("__init__", &make_dense, nb::arg("input").noconvert(), nb::arg("loss"),
           nb::arg("output").noconvert(), nb::arg("scale").noconvert().none(),
           nb::arg("counts").noconvert())
      .def("__init__", &make_quantised, nb::arg("code").noconvert(),
           nb::arg("norm_code").noconvert().none(), nb::arg("centroid").noconvert(),
           nb::arg("norm").noconvert().none(), nb::arg("width"), nb::arg("loss"),
           nb::arg("output").noconvert(), nb::arg("scale").noconvert().none(),
           nb::arg("counts").noconvert());

  m.def(
      "fasttext_dictionary_end",
      [](Bytes data, std::int64_t at, std::int64_t size) {
        require(at >= 0 && at <= length_of(data) && size >= 0, "at is outside the data");
        return foreign::dictionary_end(data.data(), length_of(data), at, size);
      },
      nb::arg("data").noconvert(), nb::arg("at"), nb::arg("size"),
      "Where a dictionary of so many entries ends; -1 if the data end before.");

  m.def(
      "fasttext_dictionary",
      [](Bytes data, std::int64_t at, Array<std::uint8_t> names, Array<std::int64_t> offset,
         Array<std::int64_t> count, Array<std::uint8_t> type) {
        const std::int64_t size = length_of(type);
        require(at >= 0 && at <= length_of(data), "at is outside the data");
        const std::int64_t end = foreign::dictionary_end(data.data(), length_of(data), at, size);
        require(end >= 0, "the data end within the dictionary");
        require_length(names, end - at - 10 * size, "names");
        require_length(offset, size + 1, "offset");
        require_length(count, size, "count");
        foreign::read_dictionary(data.data(), at, size, names.data(), offset.data(), count.data(),
                                 type.data());
      },
      nb::arg("data").noconvert(), nb::arg("at"), nb::arg("names").noconvert(),
      nb::arg("offset").noconvert(), nb::arg("count").noconvert(), nb::arg("type").noconvert(),
      "Copy the entries of a dictionary.");

  m.def(
      "fasttext_top",
      [](const RowsHandle& rows, MatricesHandle& matrices, const TextViews& texts, float threshold,
         Table<std::int32_t> label, Table<float> p, Array<std::int64_t> count, int threads) {
        const auto n = std::ssize(texts.views);
        const auto k = static_cast<std::int64_t>(label.shape(1));
        require_rows(rows, matrices.rows);
        require(k >= 1, "k must be 1 or more");
        require_shape(label, n, k, "label");
        require_shape(p, n, k, "p");
        require_length(count, n, "count");
        const auto products = matrices.short_cut(texts);
        each_text(
            rows, texts, threads,
            [&](std::int64_t t, const auto& found, auto& s, auto& best) {
              matrices.scores.best(found, k, threshold, s, best);
              count.data()[t] = std::ssize(best);
              for (std::size_t i = 0; i < best.size(); ++i) {
                label.data()[t * k + i] = best[i].second;
                p.data()[t * k + i] = std::exp(best[i].first);
              }
            },
            products.get());
      },
      nb::arg("rows"), nb::arg("matrices"), nb::arg("texts"), nb::arg("threshold"),
      nb::arg("label").noconvert(), nb::arg("p").noconvert(), nb::arg("count").noconvert(),
      nb::arg("threads"), "The best labels of texts, as many as count says, best first.");

  m.def(
      "fasttext_all",
      [](const RowsHandle& rows, MatricesHandle& matrices, const TextViews& texts, Table<float> p,
         int threads) {
        const auto n = std::ssize(texts.views);
        const std::int64_t labels = matrices.scores.labels();
        require_rows(rows, matrices.rows);
        require_shape(p, n, labels, "p");
        const auto products = matrices.short_cut(texts);
        const auto body = [&](std::int64_t t, const auto& found, auto& s, auto&) {
          float* const out = p.data() + t * labels;
          if (!matrices.scores.all(found, s, out)) {
            std::fill(out, out + labels, 1.0F / static_cast<float>(labels));
          }
        };
        each_text(rows, texts, threads, body, products.get());
      },
      nb::arg("rows"), nb::arg("matrices"), nb::arg("texts"), nb::arg("p").noconvert(),
      nb::arg("threads"), "p[text, label] for every label; uniform for a text without rows.");

  m.def(
      "fasttext_hidden",
      [](const RowsHandle& rows, const MatricesHandle& matrices, const TextViews& texts,
         Table<float> out, int threads) {
        const std::int64_t dim = matrices.scores.dim();
        require_rows(rows, matrices.rows);
        require_shape(out, std::ssize(texts.views), dim, "out");
        each_text(rows, texts, threads, [&](std::int64_t t, const auto& found, auto& s, auto&) {
          matrices.scores.hidden(found, s.hidden);
          std::copy(s.hidden.begin(), s.hidden.end(), out.data() + t * dim);
        });
      },
      nb::arg("rows"), nb::arg("matrices"), nb::arg("texts"), nb::arg("out").noconvert(),
      nb::arg("threads"), "out[text] = the mean of the input rows of a text.");

  m.def(
      "fasttext_scores",
      [](const RowsHandle& rows, const TextViews& texts, Table<const float> weights,
         Table<double> out, Array<std::uint8_t> known, int threads) {
        const auto columns = static_cast<std::int64_t>(weights.shape(1));
        require_rows(rows, static_cast<std::int64_t>(weights.shape(0)));
        require_shape(out, std::ssize(texts.views), columns, "out");
        require_length(known, std::ssize(texts.views), "known");
        each_text(rows, texts, threads, [&](std::int64_t t, const auto& found, auto&, auto&) {
          known.data()[t] = found.empty() ? 0 : 1;
          foreign::mean_weights(found, weights.data(), columns, out.data() + t * columns);
        });
      },
      nb::arg("rows"), nb::arg("texts"), nb::arg("weights").noconvert(), nb::arg("out").noconvert(),
      nb::arg("known").noconvert(), nb::arg("threads"),
      "out[text] = the mean of the weights of a text's rows; known = 0 where there are none.");
}

}  // namespace linnet::bindings
