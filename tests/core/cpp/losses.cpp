// Answers questions about the losses of core/losses/all.hpp, one a line:
//
//   margin                          -> the names of the margin losses; `joint` those of the joint
//   ones margin NAME                     -> the parts it has margin NAME PART numbers        ->
//   numbers joint NAME                      -> the parts it has joint NAME PART K gold numbers  ->
//   numbers
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "losses/all.hpp"

using namespace linnet;
using Numbers = std::vector<double>;

template <class L>
std::string margin_parts() {
  static_assert(MarginLoss<L>);
  std::string parts = "value derivative";
  if (HasCurvature<L>) parts += " curvature";
  if (HasConjugate<L>) parts += " conjugate most";
  if (HasDualStep<L>) parts += " dual_step";
  if (HasMemory<L>) parts += " dual_share";
  return parts;
}

template <class L>
Numbers ask_margin(const std::string& part, const Numbers& x) {
  if (part == "value") return {L::value(x[0])};
  if (part == "derivative") return {L::derivative(x[0])};
  if constexpr (HasCurvature<L>) {
    if (part == "curvature") return {L::curvature(x[0])};
  }
  if constexpr (HasConjugate<L>) {
    if (part == "conjugate") return {L::conjugate(x[0])};
    if (part == "most") return {L::kMost};
  }
  if constexpr (HasMemory<L>) {  // a, m, cost, q
    double memory = L::memory(x[0], x[2]);
    if (part == "dual_share") return {L::dual_share(x[0], x[1], x[2], memory)};
    if (part == "dual_step") {
      double a = x[0];
      // a step may leave the last of it to the next: the margin moves with the variable
      for (int round = 0; round < 3; ++round) {
        const double m = x[1] + x[3] * (a - x[0]);
        a = L::dual_step(a, m, x[2], x[3], memory);
      }
      return {a};
    }
  } else if constexpr (HasDualStep<L>) {
    if (part == "dual_step") return {L::dual_step(x[0], x[1], x[2], x[3])};
  }
  return {};
}

template <class L>
std::string joint_parts() {
  static_assert(JointLoss<L>);
  std::string parts = "value residual";
  if (HasJointCurvature<L>) parts += " curve diagonal";
  if (HasJointConjugate<L>) parts += " conjugate";
  if (HasJointDualStep<L>) parts += " dual_step share";
  if (HasRival<L>) parts += " rival";
  return parts;
}

template <class L>
Numbers ask_joint(const std::string& part, std::int32_t K, std::int32_t gold, const Numbers& x) {
  const L loss(JointTerms{K});
  Numbers out(x.begin(), x.begin() + K), scratch(static_cast<std::size_t>(3 * K));
  if (part == "value") return {loss.differentiate(x.data(), gold, out.data())};
  if (part == "residual") {
    loss.differentiate(out.data(), gold, out.data());
    return out;
  }
  if constexpr (HasJointCurvature<L>) {  // scores[K], v[K]
    Numbers point(out);
    loss.differentiate(x.data(), gold, out.data(), point.data());
    if (part == "diagonal") {
      loss.diagonal(1.0, point.data(), out.data());
      return out;
    }
    if (part == "curve") {
      out.assign(x.begin() + K, x.end());
      loss.curve(1.0, point.data(), out.data());
      return out;
    }
  }
  if constexpr (HasJointConjugate<L>) {
    if (part == "conjugate") return {loss.conjugate(x.data(), gold)};
  }
  if constexpr (HasRival<L>) {
    const Rival rival = loss.rival(x.data(), gold);
    if (part == "rival")
      return {static_cast<double>(rival.label), rival.violation, double(rival.acts)};
  }
  if constexpr (HasJointDualStep<L>) {  // scores[K], alpha[K], cost, q
    const double cost = x[static_cast<std::size_t>(2 * K)],
                 q = x[static_cast<std::size_t>(2 * K + 1)];
    Numbers alpha(x.begin() + K, x.begin() + 2 * K), memory(alpha);
    if (part == "share") return {loss.share(x.data(), alpha.data(), gold, cost, scratch.data())};
    if constexpr (HasJointMemory<L>) {
      for (std::int32_t k = 0; k < K; ++k) memory[k] = L::memory((k == gold) - alpha[k] / cost);
    }
    loss.dual_step(x.data(), q, cost, gold, memory.data(), alpha.data(), scratch.data());
    if (part == "dual_step") return alpha;
  }
  return {};
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string kind, name, part;
    words >> kind >> name >> part;
    std::int32_t K = 0, gold = 0;
    if (kind == "joint" && !part.empty()) words >> K >> gold;
    Numbers x;
    for (double number; words >> number;) x.push_back(number);
    const bool margin = kind == "margin";
    if (name.empty()) {
      std::puts((margin ? names_of(MarginLosses{}) : names_of(JointLosses{})).c_str());
    } else if (part.empty()) {
      const auto show = []<class L>(std::type_identity<L>) {
        if constexpr (MarginLoss<L>)
          return margin_parts<L>();
        else
          return joint_parts<L>();
      };
      std::puts(
          (margin ? with_loss(MarginLosses{}, name, show) : with_loss(JointLosses{}, name, show))
              .c_str());
    } else {
      const Numbers out =
          margin ? with_loss(MarginLosses{}, name,
                             [&]<class L>(std::type_identity<L>) { return ask_margin<L>(part, x); })
                 : with_loss(JointLosses{}, name, [&]<class L>(std::type_identity<L>) {
                     return ask_joint<L>(part, K, gold, x);
                   });
      for (const double number : out) std::printf("%.17g ", number);
      std::puts("");
    }
    std::fflush(stdout);
  }
}
