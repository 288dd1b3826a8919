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
        if (gold.size() != codes.shape(1) || weight.size() != gold.size() ||
            leaf.size() != gold.size() || values.size() != codes.shape(0) ||
            ordered.size() != codes.shape(0) || nodes.shape(0) != 6 || room < 2 * count ||
            static_cast<std::int64_t>(gain.size()) != room) {
          throw nb::value_error("the arrays of a tree do not fit each other");
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
