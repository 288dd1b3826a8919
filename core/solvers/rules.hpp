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
// One column has the two classes' score difference s and y = +1 for class 1; the perceptron and
// the hinge are then one rule, an update when y s falls to a margin, which the tie rule settles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../losses.hpp"
#include "../numeric.hpp"
#include "../structures/flat.hpp"
#include "objective.hpp"

namespace linnet {

enum class RuleName { perceptron, mira, hinge, squared_hinge, log, probability };
enum class Tie {
  nonpositive,  // update when y s <= margin
  sign,         // update when the sign of s is not y, sign(0) = +1; as nonpositive if margin > 0
  strict        // update when y s < margin
};
enum class Variant { pa, pa1, pa2 };

struct Rule {
  RuleName name = RuleName::perceptron;
  Form form = Form::columns;
  std::int32_t classes = 2;
  Tie tie = Tie::nonpositive;
  double margin = 0.0;  // of the perceptron
  Variant variant = Variant::pa1;
  double cap = 1.0;        // C of MIRA
  bool augmented = false;  // MIRA guesses with the cost added to the scores
  const double* cost =
      nullptr;  // [classes][classes], cost[gold][guess]; null = 1 for a wrong guess

  std::int32_t columns() const {  // of the weights
    if (form == Form::grouped) return 1;
    return form == Form::columns && classes == 2 ? 1 : classes;
  }
  std::int32_t width() const {  // scores of one example
    return form == Form::columns ? columns() : classes;
  }
  // Only mistakes are answered; the other rules take a step at every example.
  bool corrects() const { return name == RuleName::perceptron || name == RuleName::mira; }
  // The residual is zero but for guess and gold.
  bool pairs() const { return form != Form::columns && (corrects() || name == RuleName::hinge); }
  double cost_of(std::int32_t guess, std::int32_t gold) const {
    if (cost == nullptr) return guess == gold ? 0.0 : 1.0;
    return cost[gold * classes + guess];
  }
};

struct Verdict {
  double loss = 0.0;
  std::int32_t guess = 0;  // the label held against gold
  bool update = false;     // the residual is not zero
  bool error = false;      // the decision (SPEC C-04) on these scores is not gold
};

namespace rules {

// One column as a binary problem with y = +1 or -1. Writes the residual.
inline Verdict judge_column(const Rule& rule, double score, double y, double margin,
                            double* residual) {
  const double m = y * score;
  Verdict out;
  out.error = (score >= 0.0) != (y > 0.0);
  switch (rule.name) {
    case RuleName::perceptron:
    case RuleName::hinge:
      out.loss = std::max(0.0, margin - m);
      out.update = rule.tie == Tie::strict                        ? m < margin
                   : rule.tie == Tie::nonpositive || margin > 0.0 ? m <= margin
                                                                  : out.error;
      *residual = -y;
      break;
    case RuleName::mira:  // the joint map's two columns move apart: the difference moves twice
      out.loss = std::max(0.0, margin - m);
      out.update = out.loss > 0.0 && (rule.augmented || (score > 0.0) != (y > 0.0));
      *residual = -2.0 * y;
      break;
    default: {
      const Loss loss = rule.name == RuleName::squared_hinge ? Loss::squared_hinge
                        : rule.name == RuleName::log         ? Loss::log
                                                             : Loss::probability;
      out.loss = loss::value(loss, m);
      *residual = y * loss::derivative(loss, m);
      out.update = *residual != 0.0;
    }
  }
  if (!out.update) *residual = 0.0;
  return out;
}

inline Verdict judge_columns(const Rule& rule, const double* scores, std::int32_t gold,
                             double* residual) {
  const std::int32_t width = rule.width();
  if (width == 1) {
    const double margin =
        rule.name == RuleName::perceptron ? rule.margin : rule.cost_of(1 - gold, gold);
    Verdict out = judge_column(rule, *scores, gold == 1 ? 1.0 : -1.0, margin, residual);
    const bool positive = rule.name == RuleName::mira ? *scores > 0.0 : *scores >= 0.0;
    out.guess = positive ? 1 : 0;
    return out;
  }
  Verdict all;  // one-vs-rest
  const double margin = rule.name == RuleName::perceptron ? rule.margin : 1.0;
  for (std::int32_t c = 0; c < width; ++c) {
    const Verdict one = judge_column(rule, scores[c], c == gold ? 1.0 : -1.0, margin, residual + c);
    all.loss += one.loss;
    all.update |= one.update;
  }
  all.guess = flat::decode(scores, width);
  all.error = all.guess != gold;
  return all;
}

// The label with the largest score plus cost; on ties gold if `prefer_gold`, then the lowest.
inline std::int32_t decode_augmented(const Rule& rule, const double* scores, std::int32_t gold,
                                     bool prefer_gold) {
  std::int32_t best = prefer_gold ? gold : 0;
  double top = scores[best] + rule.cost_of(best, gold);
  for (std::int32_t k = 0; k < rule.classes; ++k) {
    const double score = scores[k] + rule.cost_of(k, gold);
    if (score > top) best = k, top = score;
  }
  return best;
}

inline std::int32_t best_other(const double* scores, std::int32_t classes, std::int32_t gold) {
  std::int32_t best = gold == 0 ? 1 : 0;
  for (std::int32_t k = best + 1; k < classes; ++k) {
    if (k != gold && scores[k] > scores[best]) best = k;
  }
  return best;
}

// All labels compete. Writes the residual unless the rule pairs guess with gold.
inline Verdict judge_joint(const Rule& rule, const double* scores, std::int32_t gold,
                           double* residual) {
  Verdict out;
  out.guess = flat::decode(scores, rule.classes);
  out.error = out.guess != gold;
  switch (rule.name) {
    case RuleName::perceptron:
      if (rule.margin > 0.0) out.guess = best_other(scores, rule.classes, gold);
      out.loss = std::max(0.0, rule.margin + scores[out.guess] - scores[gold]);
      out.update = rule.margin > 0.0 ? scores[gold] - scores[out.guess] <= rule.margin : out.error;
      break;
    case RuleName::mira:
      if (rule.augmented) out.guess = decode_augmented(rule, scores, gold, false);
      out.loss = scores[out.guess] - scores[gold] + rule.cost_of(out.guess, gold);
      out.update = out.guess != gold && out.loss > 0.0;
      break;
    case RuleName::hinge:
      out.guess = decode_augmented(rule, scores, gold, true);
      out.loss = scores[out.guess] - scores[gold] + rule.cost_of(out.guess, gold);
      out.update = out.guess != gold;
      break;
    default: {
      std::copy(scores, scores + rule.classes, residual);
      out.loss = softmax(residual, rule.classes) - scores[gold];
      double factor = 1.0;
      if (rule.name == RuleName::probability) {
        factor = residual[gold];
        out.loss = 1.0 - factor;
      }
      residual[gold] -= 1.0;
      for (std::int32_t k = 0; k < rule.classes; ++k) residual[k] *= factor;
      out.update = true;
    }
  }
  return out;
}

// scores[width], gold -> residual[width]
inline Verdict judge(const Rule& rule, const double* scores, std::int32_t gold, double* residual) {
  return rule.form == Form::columns ? judge_columns(rule, scores, gold, residual)
                                    : judge_joint(rule, scores, gold, residual);
}

// How far MIRA goes along f(x, gold) - f(x, guess), whose squared length is given and positive.
// The weight of an example multiplies its slack, so it multiplies C.
inline double mira_step(const Rule& rule, double loss, double squared_length, double weight) {
  switch (rule.variant) {
    case Variant::pa: return loss / squared_length;
    case Variant::pa1: return std::min(rule.cap * weight, loss / squared_length);
    case Variant::pa2: return loss / (squared_length + 0.5 / (rule.cap * weight));
  }
  return 0.0;
}

}  // namespace rules
}  // namespace linnet
