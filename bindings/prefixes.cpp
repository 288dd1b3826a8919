#include "structures/prefixes.hpp"

#include "common.hpp"

namespace linnet::bindings {

void bind_prefixes(nb::module_& m) {
  using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
  m.def(
      "decode_prefixes",
      [](Table<const double> state, Array<const std::int64_t> sentence, Cube after,
         bool is_probability, std::int64_t width, Array<std::int32_t> labels, Array<double> scores,
         int threads) {
        const auto L = static_cast<std::int64_t>(after.shape(2));
        require(L >= 1 && L < INT32_MAX, "after has no labels");
        require(static_cast<std::int64_t>(after.shape(1)) == L + 1, "after has no start symbol");
        require_shape(state, length_of(state), L, "state");
        require_offsets(sentence, length_of(state), "sentence");
        require(width >= 1, "width must be 1 or more");
        require_length(labels, length_of(state), "labels");
        require_length(scores, length_of(sentence) - 1, "scores");
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        ThreadPool pool(threads, progress);
        const chain::History history{static_cast<std::int32_t>(L), length_of(after), after.data(),
                                     is_probability};
        chain::decode_prefixes(state.data(), sentence.data(),
                               static_cast<std::int64_t>(sentence.size()) - 1, history, width,
                               labels.data(), scores.data(), pool);
      },
      nb::arg("state").noconvert(), nb::arg("sentence").noconvert(), nb::arg("after").noconvert(),
      nb::arg("is_probability"), nb::arg("width"), nb::arg("labels").noconvert(),
      nb::arg("scores").noconvert(), nb::arg("threads"),
      "Labels by beam search where a score depends on the labels before: after[k, i] is added "
      "when\n"
      "label i, or the start symbol, stands k + 1 tokens before.");
}

}  // namespace linnet::bindings
