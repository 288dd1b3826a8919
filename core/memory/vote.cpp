#include "vote.hpp"

#include <algorithm>
#include <cmath>

namespace linnet::memory {
namespace {

// The weight of a vote at distance d, when the nearest is at `near` and the last asked at `far`.
double weight(double d, double near, double far, const Settings& settings) {
  switch (settings.vote) {
    case Vote::inverse_linear:
      return far == near || std::isinf(far) ? 1.0 : (far - d) / (far - near);
    case Vote::inverse_distance: return 1.0 / (d + kSame);
    case Vote::decay: {
      const double w = std::exp(-settings.alpha * bounded(std::pow(d, settings.beta)));
      return w == 0.0 ? kSame : w;  // far neighbours still have a say
    }
    default: return 1.0;
  }
}

// votes[c] = sum over the first `asked` groups. When fewer distances exist than k asks for, the
// last of them is infinitely far.
void add_votes(const Neighbours& found, std::int64_t asked, std::int32_t classes,
               const Settings& settings, double* votes) {
  const auto groups = static_cast<std::int64_t>(found.distance.size());
  const std::int64_t used = std::min(asked, groups);
  const bool short_of = groups < asked && !settings.count_examples;
  const double near = found.distance[0];
  const double far = short_of ? std::numeric_limits<double>::infinity() : found.distance[used - 1];
  std::fill(votes, votes + classes, 0.0);
  for (std::int64_t g = 0; g < used; ++g) {
    const double w = g == 0 && settings.vote == Vote::inverse_linear
                         ? 1.0
                         : weight(found.distance[g], near, far, settings);
    const double* count = found.count.data() + g * classes;
    for (std::int32_t c = 0; c < classes; ++c) {
      if (count[c] != 0.0) votes[c] += count[c] * w;
    }
  }
}

}  // namespace

double* Neighbours::add(double d, std::int32_t classes) {
  distance.push_back(d);
  count.resize(count.size() + static_cast<std::size_t>(classes), 0.0);
  return count.data() + count.size() - static_cast<std::size_t>(classes);
}

Election elect(const double* votes, const Instances& memory) {
  Election best{-1, false};
  double most = 0.0;
  for (std::int32_t c = 0; c < memory.classes; ++c) {
    if (votes[c] == 0.0) continue;  // nobody speaks for it
    if (best.winner < 0 || votes[c] > most) {
      best = {c, false};
      most = votes[c];
    } else if (std::abs(votes[c] - most) < kSame) {
      best.tied = true;
      if (memory.frequency[c] > memory.frequency[best.winner]) best.winner = c;
    }
  }
  return best.winner < 0 ? Election{0, false} : best;
}

Election poll(const Neighbours& found, std::int64_t k, const Instances& memory,
              const Settings& settings, double* votes) {
  add_votes(found, k, memory.classes, settings, votes);
  return elect(votes, memory);
}

}  // namespace linnet::memory
