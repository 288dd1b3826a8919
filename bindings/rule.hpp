// How an online learner answers one example, as Python holds it.
#pragma once

#include <memory>
#include <optional>

#include "common.hpp"
#include "solvers/rules.hpp"

namespace linnet::bindings {

// A rule with the array that its cost matrix lives in.
struct BoundRule {
  std::unique_ptr<Rule> rule;
  std::optional<Table<const double>> cost;
};

}  // namespace linnet::bindings
