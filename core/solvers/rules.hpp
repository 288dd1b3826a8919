// What an online learner makes of one example: its scores in, a residual out (SPEC C-14).
//
//   residual = d loss / d scores,      W <- W - step * x residual^T
//
//   perceptron      1[guess] - 1[gold]           step: the rate                       M-29..M-37
//   mira            1[guess] - 1[gold]           step: min(C, loss / |f - f'|^2)      M-47, M-49
//   hinge           1[augmented guess] - 1[gold] step: the rate                       M-75, M-86
//   squared_hinge   derivative of the loss       step: the rate                       M-83
//   log             P - 1[gold]                  step: the rate                       M-62, M-63
//   probability     P(gold) (P - 1[gold])        step: the rate                       M-64
//
// Any loss of core/losses is a rule by its name; MIRA, whose step is its own, is one more. One
// column has the two classes' score difference s and y = +1 for class 1; losses with a kink
// (perceptron, hinge) then update when y s falls to a margin, which the tie rule settles.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "../losses/joint_loss.hpp"
#include "../views.hpp"

namespace linnet {

enum class Tie {
  nonpositive,  // update when y s <= margin
  sign,         // update when the sign of s is not y, sign(0) = +1; as nonpositive if margin > 0
  strict        // update when y s < margin
};
enum class Variant { pa, pa1, pa2 };

struct RuleOptions {
  Form form = Form::columns;
  std::int32_t classes = 2;
  Tie tie = Tie::nonpositive;
  double margin = 0.0;  // of the perceptron
  Variant variant = Variant::pa1;
  double cap = 1.0;              // C of MIRA
  bool augmented = false;        // MIRA guesses with the cost added to the scores
  const double* cost = nullptr;  // [classes][classes], cost[gold][guess]; null = 1 where wrong

  JointTerms terms() const { return {classes, cost, margin}; }
};

struct Verdict {
  double loss = 0.0;
  std::int32_t guess = 0;  // the label held against gold
  bool update = false;     // the residual is not zero
  bool error = false;      // the decision (SPEC C-04) on these scores is not gold
};

class Rule {
 public:
  explicit Rule(const RuleOptions& options) : options_(options) {}
  virtual ~Rule() = default;

  Form form() const { return options_.form; }
  std::int32_t classes() const { return options_.classes; }
  std::int32_t columns() const {  // of the weights
    if (form() == Form::grouped) return 1;
    return form() == Form::columns && classes() == 2 ? 1 : classes();
  }
  std::int32_t width() const {  // scores of one example
    return form() == Form::columns ? columns() : classes();
  }

  // scores[width], gold -> residual[width]; a rule that pairs writes none.
  virtual Verdict judge(const double* scores, std::int32_t gold, double* residual) const = 0;

  // Only mistakes are answered; the other rules take a step at every example.
  virtual bool corrects() const = 0;
  // The residual is zero but for guess and gold.
  virtual bool pairs() const = 0;
  // The step depends on the length of f(x, gold) - f(x, guess).
  virtual bool needs_length() const { return false; }
  virtual double step(double rate, double cost, double /*loss*/, double /*squared_length*/) const {
    return rate * cost;
  }

 protected:
  const RuleOptions options_;
};

std::unique_ptr<Rule> make_rule(std::string_view name, const RuleOptions& options);

// How far MIRA goes along f(x, gold) - f(x, guess), whose squared length is given and positive.
// The weight of an example multiplies its slack, so it multiplies C.
double mira_step(Variant variant, double cap, double loss, double squared_length, double weight);

}  // namespace linnet
