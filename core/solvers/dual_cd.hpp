// Dual coordinate descent (SPEC M-69, M-84; Hsieh et al. 2008, Yu et al. 2011, Keerthi et al.
// 2008).
//
//   primal   P(W) = 1/2 |W|^2 + sum_i cost_i loss(x_i W, gold_i)
//   dual     D(A) = -1/2 |X^T A|^2 - sum_i cost_i loss*(-A_i / cost_i),      W = X^T A
//
// One example at a time, the dual variables of that example are set to their optimum given the
// rest, and W = X^T A is kept in step: two sweeps over the non-zeros of x_i. P - D bounds the
// distance from the optimum and is what the solver stops by.
//
// An example whose share of the gap has become negligible sleeps for some epochs, longer each time
// it is found so again (the role of shrinking). All wake before the gap is certified too large.
//
// Weights of one column that are too many for a core's cache are kept in single precision until the
// first certificate: half the bytes to fetch for each stored value. W = X^T A is then made anew in
// double precision, and nothing rounded is certified or returned. Only for losses that bend, where
// an error of the scores costs its square. Until then, rows that are little alike are taken in
// batches, too: the scores of all of them before the first makes its step.
//
// The bias b is a weight like the others, of a feature that every row has; but it couples all rows
// so strongly that the descent would need several times the epochs. It follows X^T A slowly
// (bias_pace.hpp), and what it lags behind, 1/2 (b - x_bias^T A)^2, is part of the gap.
//
// With a large cost the descent crawls. How long it would go on is foretold from its pace: when the
// gap falls by the factor r an epoch, log(gap / allowed) / log(1 / r) epochs are left. Once that is
// more than `patience`, the losses whose dual is a quadratic solve the variables inside their
// bounds all at once after each epoch (dual_face.hpp); the others stop, for Newton to go on.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "../large_pages.hpp"
#include "../parallel.hpp"
#include "../views.hpp"

namespace linnet {

struct DualOptions {
  std::string_view loss = "hinge";  // one with a dual step
  // Each column a binary problem: two classes, or one-vs-rest with all classes in shared sweeps. Or
  // jointly, all labels competing: alpha[i][k] is then the coefficient of x_i in column k.
  bool joint = false;
  double tolerance = 1e-4;  // stop when the gap is at most this share of the objective
  std::int64_t max_epochs = 1000;
  double patience = 30.0;  // epochs that coordinate descent alone may be foretold to need
  std::uint64_t seed = 0;
  bool visible = false;  // the weights are to be those of every record, not of the last one only
  const double* margins = nullptr;  // joint hinge: [K][K] cost of guessing k for gold y; null = 0/1
};

// What a descent leaves for the next one over the same rows, which begins with the same dual
// variables for another cost: the weights that go with them, and the scores that its last
// certificate took. To make them anew takes two passes over the rows, as long as two sweeps.
class DualMemory {
 public:
  // Nobody else's until it is unlocked.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(busy_, std::try_to_lock); }

  // Copies the weights that go with alpha, if they are known; `weights` are 0 but for the bias.
  // Until leave() nothing is known.
  bool begin(const Examples& examples, bool joint, const double* alpha, std::int64_t rows,
             double* weights, std::int64_t size);
  double* scores() { return scores_.data(); }  // [rows][columns], those of what begin() knew
  void leave(const double* alpha, const double* weights);

 private:
  std::mutex busy_;
  bool left_ = false, joint_ = false;
  std::int32_t classes_ = 0;
  double bias_ = 0.0;
  std::vector<std::int32_t> gold_;
  std::vector<double> alpha_, scores_;
  LargeVector<double> weights_;
};

// Given: alpha[rows][columns], the starting point (0, or the result for another C), within the
// bounds of the loss; weights[J + 1][columns], all 0 but for the bias, which begins where it is, or
// where it aims if that is 0. Returned: alpha, and weights = X^T (y alpha) or, for the joint
// losses, X^T alpha; the bias as near to that as the gap says. With a memory, that of these rows.
void dual_coordinate_descent(const AnyCsr& x, const Examples& examples, const DualOptions& options,
                             double* alpha, double* weights, ThreadPool& pool,
                             DualMemory* memory = nullptr);

}  // namespace linnet
