// How a long computation talks to its caller: a poll that may stop it, a record per iteration.
#pragma once

#include <cstdint>

namespace linnet {

struct Iteration {
  std::int64_t number = 0;
  double objective = 0.0;      // 1/2 |w|^2 + sum of cost * loss
  double gap = 0.0;            // certified bound on objective - optimum
  double gradient_norm = 0.0;  // largest absolute component; 0 where the solver has no gradient
  double step = 0.0;           // step length taken; 0 where the solver has none
};

class Progress {
 public:
  virtual ~Progress() = default;
  // Called often, from the calling thread only. Throws to stop the computation.
  virtual void poll() = 0;
  // Called once per recorded iteration. Returns false to stop and keep the current weights.
  virtual bool record(const Iteration&) = 0;
};

}  // namespace linnet
