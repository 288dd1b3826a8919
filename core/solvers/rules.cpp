// The rules of online learning (rules.hpp): what of an example becomes its residual.
//
// Given the scores of one example and its gold label. Returned: the loss, the label held against
// gold, whether and how the weights are to change. A loss of core/losses becomes a rule here, by
// columns or jointly; MIRA's rule is beside them.
#include "rules.hpp"

#include <algorithm>
#include <type_traits>

#include "../losses/all.hpp"
#include "../structures/flat.hpp"

namespace linnet {
namespace {

// One column as a binary problem with y = +1 or -1, by the derivative of a loss.
template <MarginLoss L>
struct LossColumn {
  static constexpr bool kCorrects = Corrects<L>;
  static constexpr bool kMira = false;

  static double margin(const RuleOptions& rule, double cost) {
    return Corrects<L> ? rule.margin : cost;
  }

  static Verdict judge(const RuleOptions& rule, double score, double y, double margin,
                       double* residual) {
    const double m = y * score;
    Verdict out;
    out.error = (score >= 0.0) != (y > 0.0);
    if constexpr (HasKink<L>) {
      out.loss = L::value(m, margin);
      out.update = rule.tie == Tie::strict                        ? m < margin
                   : rule.tie == Tie::nonpositive || margin > 0.0 ? m <= margin
                                                                  : out.error;
      *residual = -y;
    } else {
      out.loss = value_and_derivative<L>(m, *residual);
      *residual *= y;
      out.update = *residual != 0.0;
    }
    return out;
  }
};

// MIRA's: the joint map's two columns move apart, so their difference moves twice.
struct MiraColumn {
  static constexpr bool kCorrects = true;
  static constexpr bool kMira = true;

  static double margin(const RuleOptions&, double cost) { return cost; }

  static Verdict judge(const RuleOptions& rule, double score, double y, double margin,
                       double* residual) {
    Verdict out;
    out.error = (score >= 0.0) != (y > 0.0);
    out.loss = Hinge::value(y * score, margin);
    out.update = out.loss > 0.0 && (rule.augmented || (score > 0.0) != (y > 0.0));
    *residual = -2.0 * y;
    return out;
  }
};

// MIRA's step, for rules that have it.
template <bool kMira>
class SteppingRule : public Rule {
 public:
  using Rule::Rule;

  bool needs_length() const override { return kMira; }
  double step(double rate, double cost, double loss, double squared_length) const override {
    if constexpr (!kMira) return rate * cost;
    if (squared_length == 0.0) return 0.0;  // SPEC A-62
    return rate * mira_step(options_.variant, options_.cap, loss, squared_length, cost);
  }
};

template <class Column>
class ColumnsRule final : public SteppingRule<Column::kMira> {
 public:
  using SteppingRule<Column::kMira>::SteppingRule;

  bool corrects() const override { return Column::kCorrects; }
  bool pairs() const override { return false; }

  Verdict judge(const double* scores, std::int32_t gold, double* residual) const override {
    const std::int32_t width = this->width();
    return width == 1 ? judge_two(*scores, gold, residual)
                      : judge_each(scores, width, gold, residual);
  }

 private:
  using Rule::options_;

  Verdict judge_two(double score, std::int32_t gold, double* residual) const {
    const double cost = options_.terms().cost_of(1 - gold, gold);
    Verdict out = judge_column(score, gold == 1, Column::margin(options_, cost), residual);
    out.guess = (Column::kMira ? score > 0.0 : score >= 0.0) ? 1 : 0;
    return out;
  }

  Verdict judge_each(const double* scores, std::int32_t width, std::int32_t gold,
                     double* residual) const {
    Verdict all;  // one-vs-rest
    const double margin = Column::margin(options_, 1.0);
    for (std::int32_t c = 0; c < width; ++c) {
      const Verdict one = judge_column(scores[c], c == gold, margin, residual + c);
      all.loss += one.loss;
      all.update |= one.update;
    }
    all.guess = flat::decode(scores, width);
    all.error = all.guess != gold;
    return all;
  }

  Verdict judge_column(double score, bool positive, double margin, double* residual) const {
    const Verdict out = Column::judge(options_, score, positive ? 1.0 : -1.0, margin, residual);
    if (!out.update) *residual = 0.0;
    return out;
  }
};

// All labels compete, by the derivative of a loss.
template <JointLoss L>
class JointRule final : public SteppingRule<false> {
 public:
  explicit JointRule(const RuleOptions& options) : SteppingRule(options), loss_(options.terms()) {}

  bool corrects() const override { return Corrects<L>; }
  bool pairs() const override { return HasRival<L>; }

  Verdict judge(const double* scores, std::int32_t gold, double* residual) const override {
    Verdict out;
    out.guess = flat::decode(scores, classes());
    out.error = out.guess != gold;
    if constexpr (HasRival<L>) {
      const Rival rival = loss_.rival(scores, gold);
      out.guess = rival.label;
      out.loss = rival.violation;
      out.update = rival.acts;
    } else {
      out.loss = loss_.differentiate(scores, gold, residual);
      out.update = true;
    }
    return out;
  }

 private:
  const L loss_;
};

// MIRA's: the guess, cost-augmented or not, against gold.
class JointMira final : public SteppingRule<true> {
 public:
  using SteppingRule::SteppingRule;

  bool corrects() const override { return true; }
  bool pairs() const override { return true; }

  Verdict judge(const double* scores, std::int32_t gold, double*) const override {
    const JointTerms terms = options_.terms();
    Verdict out;
    out.guess = flat::decode(scores, classes());
    out.error = out.guess != gold;
    if (options_.augmented) out.guess = decode_augmented(scores, gold, terms);
    out.loss = scores[out.guess] - scores[gold] + terms.cost_of(out.guess, gold);
    out.update = out.guess != gold && out.loss > 0.0;
    return out;
  }

 private:
  // The label with the largest score plus cost, the lowest on ties.
  std::int32_t decode_augmented(const double* scores, std::int32_t gold,
                                const JointTerms& terms) const {
    std::int32_t best = 0;
    double top = scores[0] + terms.cost_of(0, gold);
    for (std::int32_t k = 1; k < classes(); ++k) {
      const double score = scores[k] + terms.cost_of(k, gold);
      if (score > top) best = k, top = score;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Rule> make_rule(std::string_view name, const RuleOptions& options) {
  const bool joint = options.form != Form::columns;
  if (name == "mira") {
    if (joint) return std::make_unique<JointMira>(options);
    return std::make_unique<ColumnsRule<MiraColumn>>(options);
  }
  if (joint) {
    return with_loss(JointLosses{}, name,
                     [&]<class L>(std::type_identity<L>) -> std::unique_ptr<Rule> {
                       return std::make_unique<JointRule<L>>(options);
                     });
  }
  return with_loss(MarginLosses{}, name,
                   [&]<class L>(std::type_identity<L>) -> std::unique_ptr<Rule> {
                     return std::make_unique<ColumnsRule<LossColumn<L>>>(options);
                   });
}

double mira_step(Variant variant, double cap, double loss, double squared_length, double weight) {
  switch (variant) {
    case Variant::pa: return loss / squared_length;
    case Variant::pa1: return std::min(cap * weight, loss / squared_length);
    case Variant::pa2: return loss / (squared_length + 0.5 / (cap * weight));
  }
  return 0.0;
}

}  // namespace linnet
