// The losses there are. A new one is an include and a place in a list.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "hinge.hpp"
#include "joint_hinge.hpp"
#include "joint_perceptron.hpp"
#include "joint_probability.hpp"
#include "joint_squared_hinge.hpp"
#include "log.hpp"
#include "perceptron.hpp"
#include "probability.hpp"
#include "softmax.hpp"
#include "squared.hpp"
#include "squared_hinge.hpp"

namespace linnet {

template <class... Losses>
struct LossList {};

using MarginLosses = LossList<  //
    Perceptron,                 //
    Hinge,                      //
    SquaredHinge,               //
    Log,                        //
    Probability,                //
    Squared>;

using JointLosses = LossList<  //
    JointPerceptron,           //
    JointHinge,                //
    JointSquaredHinge,         //
    Softmax,                   //
    JointProbability>;

template <class... Losses>
std::string names_of(LossList<Losses...>) {
  std::string names;
  ((names += (names.empty() ? "" : ", ") + std::string(Losses::kName)), ...);
  return names;
}

// Calls f with std::type_identity of the loss of this name; all calls return the same type.
template <class First, class... Rest, class F, class... All>
auto with_loss(LossList<First, Rest...>, std::string_view name, F&& f, LossList<All...> all)
    -> decltype(f(std::type_identity<First>{})) {
  if (name == First::kName) return f(std::type_identity<First>{});
  if constexpr (sizeof...(Rest) > 0) {
    return with_loss(LossList<Rest...>{}, name, f, all);
  } else {
    throw std::invalid_argument("the loss must be one of " + names_of(all) + ", not " +
                                std::string(name));
  }
}

template <class... Losses, class F>
auto with_loss(LossList<Losses...> all, std::string_view name, F&& f) {
  return with_loss(all, name, f, all);
}

}  // namespace linnet
