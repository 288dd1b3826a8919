#include "common.hpp"
#include "trees/grow.hpp"

namespace linnet::bindings {
void bind_trees(nb::module_& m) {
  m.def(
      "grow_tree",
      [](Table<const std::int32_t> codes, Array<const std::int32_t> values,
         Array<const std::uint8_t> ordered, Array<const std::int32_t> gold,
         Array<const double> weight, std::int32_t classes, bool ratio, double min_leaf,
         std::int32_t max_depth, Table<std::int32_t> nodes, Array<double> gain,
         Array<std::int32_t> leaf) {
        const auto count = static_cast<std::int64_t>(codes.shape(1));
        const auto room = static_cast<std::int64_t>(nodes.shape(1));
        require_labels(gold, count, classes, "gold");
        require_length(weight, count, "weight");
        require_length(leaf, count, "leaf");
        require_length(values, length_of(codes), "values");
        require_length(ordered, length_of(codes), "ordered");
        require_shape(nodes, 6, room, "nodes");
        require(count >= 1 && room >= 2 * count && room <= INT32_MAX, "nodes has too little room");
        require_length(gain, room, "gain");
        for (std::int64_t a = 0; a < length_of(codes); ++a) {
          require_below(codes.data() + a * count, count, INT32_MIN, values.data()[a], "codes");
        }
        const trees::Rows rows{count,         static_cast<std::int32_t>(codes.shape(0)),
                               classes,       codes.data(),
                               values.data(), ordered.data(),
                               gold.data(),   weight.data()};
        std::int32_t* at = nodes.data();
        const trees::Nodes out{
            at,          at + room,  at + 2 * room, at + 3 * room, at + 4 * room, at + 5 * room,
            gain.data(), leaf.data()};
        PythonProgress progress{nb::none()};
        nb::gil_scoped_release release;
        return trees::grow(rows, {ratio, min_leaf, max_depth}, out, progress);
      },
      nb::arg("codes").noconvert(), nb::arg("values").noconvert(), nb::arg("ordered").noconvert(),
      nb::arg("gold").noconvert(), nb::arg("weight").noconvert(), nb::arg("classes"),
      nb::arg("ratio"), nb::arg("min_leaf"), nb::arg("max_depth"), nb::arg("nodes").noconvert(),
      nb::arg("gain").noconvert(), nb::arg("leaf").noconvert(),
      "Grow a decision tree; fills the rows parent, branch, feature, low, high, depth of `nodes`, "
      "`gain`, and the node each row ends in, and returns the number of nodes.");
}

}  // namespace linnet::bindings
