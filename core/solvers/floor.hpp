// A value that no weights lie below, from all points a batch solver has visited.
//
//   F(w) = sum_j l2_j w_j^2 / 2 + losses(w),   losses(w) >= c_k + r_k . w
//
// Given: at every visited point w_k the losses' gradient r_k and c_k = losses(w_k) - r_k . w_k, for
// the losses are convex and lie above each of their tangents. So they lie above every average of
// tangents, and with r and c the averages under shares p that sum to 1
//
//   F(w) >= c . p - p' G p / 2,   G_kl = sum_j r_kj r_lj / l2_j    for every w.
//
// The last tangent alone gives the duality gap |gradient|^2 / (2 l2) of batch.hpp. That is mostly
// steep directions, in which the gradients of successive points disagree, and an average has
// little of what they disagree about. Kept are the last few tangents and one average, which holds
// what was best before: the shares that raise the bound most make the next average. The bound never
// falls. With one tangent besides the average the shares have a closed form (the same step smooths
// the residuals of conjugate gradients; Schonauer 1987, Weiss 1994); several take fewer passes and
// a vector each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../vectors.hpp"
#include "objective.hpp"

namespace linnet {

class Floor {
 public:
  explicit Floor(int tangents) : kept_(static_cast<std::size_t>(tangents) + 1) {}

  // Given F and its gradient at w; every weight must have a quadratic penalty. Returns the bound.
  double at(const Objective& f, const double* w, const double* gradient, double objective,
            Vectors& vectors);

 private:
  struct Tangent {
    std::vector<double> slope;  // r, empty before it is first used
    double offset = 0.0;        // c
  };

  void multiply(const Objective& f, const double* w, const double* gradient, std::size_t newest,
                Vectors& vectors);
  std::vector<double> best_shares() const;
  double bound(const std::vector<double>& shares) const;
  void average(const std::vector<double>& shares, Vectors& vectors);

  std::size_t used() const { return products_.size(); }

  std::vector<Tangent> kept_;                  // the average comes first, the others form a ring
  std::vector<std::vector<double>> products_;  // G of those in use
  std::size_t next_ = 0;                       // where the next tangent goes
};

}  // namespace linnet
