// The log loss of several labels: ln sum_k e^s_k - s_gold (SPEC M-54, M-69).
//
// With p = softmax(s): residual p - 1[gold], second derivative diag(p) - p p^T, conjugate the
// negative entropy of 1[gold] - a. The dual variables of an example are alpha = cost (1[gold] - p);
// each remembers ln p, which says more of a p near 0 than alpha does (Yu, Huang and Lin 2011).
#pragma once

#include <algorithm>

#include "joint_loss.hpp"

namespace linnet {

class Softmax {
 public:
  static constexpr std::string_view kName = "log";
  static constexpr std::int32_t kScratch = 3;

  explicit Softmax(const JointTerms& terms) : classes_(terms.classes) {}

  double differentiate(const double* s, std::int32_t gold, double* residual) const {
    const double right = s[gold];
    copy_scores(s, classes_, residual);
    const double value = softmax(residual, classes_) - right;
    residual[gold] -= 1.0;
    return value;
  }

  double differentiate(const double* s, std::int32_t gold, double* residual, double* p) const {
    std::copy(s, s + classes_, p);
    const double value = softmax(p, classes_) - s[gold];
    std::copy(p, p + classes_, residual);
    residual[gold] -= 1.0;
    return value;
  }

  void curve(double cost, const double* p, double* v) const {
    double mean = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) mean += p[k] * v[k];
    for (std::int32_t k = 0; k < classes_; ++k) v[k] = cost * p[k] * (v[k] - mean);
  }

  void diagonal(double cost, const double* p, double* out) const {
    for (std::int32_t k = 0; k < classes_; ++k) out[k] = cost * p[k] * (1 - p[k]);
  }

  double conjugate(const double* a, std::int32_t gold) const {
    double sum = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) {
      sum += x_log_x(std::max(0.0, (k == gold ? 1.0 : 0.0) - a[k]));
    }
    return sum;
  }

  static double memory(double p) { return std::log(std::clamp(p, 1e-12, 1.0)); }

  // cost KL(p || softmax(s)), p = 1[gold] - alpha / cost
  double share(const double* s, const double* alpha, std::int32_t gold, double cost,
               double* z) const {
    if (cost == 0.0) return 0.0;
    std::copy(s, s + classes_, z);
    double sum = softmax(z, classes_);
    for (std::int32_t k = 0; k < classes_; ++k) {
      const double p = std::max(0.0, (k == gold ? 1.0 : 0.0) - alpha[k] / cost);
      sum += x_log_x(p) - p * s[k];
    }
    return cost * sum;
  }

  // p = softmax(z) with z + q_cost p = t, t = scores + q_cost p_old: the minimum of the strongly
  // convex |z - t|^2 / 2 + q_cost logsumexp(z). Newton; the Hessian is diagonal plus rank one.
  void dual_step(const double* s, double q, double cost, std::int32_t gold, double* z,
                 double* alpha, double* scratch) const {
    const double q_cost = q * cost;
    double *t = scratch, *p = t + classes_, *step = p + classes_;
    for (std::int32_t k = 0; k < classes_; ++k) {
      t[k] = s[k] + q_cost * ((k == gold ? 1.0 : 0.0) - alpha[k] / cost);
    }
    double value = energy(z, t, q_cost, p);
    for (int round = 0; round < 30; ++round) {
      if (!newton_direction(z, t, q_cost, p, step)) break;
      double length = 1.0, next = 0.0;
      for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
        // the first trial goes all the way, each later one half of the way back
        for (std::int32_t k = 0; k < classes_; ++k) {
          z[k] -= (halving == 0 ? 1.0 : -length) * step[k];
        }
        next = energy(z, t, q_cost, p);
        if (next <= value + 1e-12 * std::abs(value)) break;
      }
      value = next;
    }
    for (std::int32_t k = 0; k < classes_; ++k) alpha[k] = cost * ((k == gold ? 1.0 : 0.0) - p[k]);
  }

 private:
  // Leaves softmax(z) in p.
  double energy(const double* z, const double* t, double q_cost, double* p) const {
    std::copy(z, z + classes_, p);
    double sum = q_cost * softmax(p, classes_);
    for (std::int32_t k = 0; k < classes_; ++k) sum += 0.5 * (z[k] - t[k]) * (z[k] - t[k]);
    return sum;
  }

  // False at the minimum.
  bool newton_direction(const double* z, const double* t, double q_cost, const double* p,
                        double* step) const {
    double top = 0.0, p_inverse_g = 0.0, p_inverse_p = 0.0;
    for (std::int32_t k = 0; k < classes_; ++k) {
      const double g = z[k] - t[k] + q_cost * p[k];
      top = std::max(top, std::abs(g));
      p_inverse_g += p[k] * g / (1.0 + q_cost * p[k]);
      p_inverse_p += p[k] * p[k] / (1.0 + q_cost * p[k]);
    }
    if (top <= 1e-9) return false;
    const double shift = q_cost * p_inverse_g / (1.0 - q_cost * p_inverse_p);
    for (std::int32_t k = 0; k < classes_; ++k) {
      const double g = z[k] - t[k] + q_cost * p[k];
      step[k] = (g + shift * p[k]) / (1.0 + q_cost * p[k]);
    }
    return true;
  }

  std::int32_t classes_;
};

}  // namespace linnet
