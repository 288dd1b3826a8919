#include "kernels/subsequence.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace linnet {
namespace {

using Symbols = std::span<const std::int32_t>;

Symbols string_at(const Strings& strings, std::int64_t i) {
  return {strings.symbols + strings.start[i],
          static_cast<std::size_t>(strings.start[i + 1] - strings.start[i])};
}

// After the first a symbols of s, prefix[i][b] sums decay^(a + b - first places + 2) over the
// common subsequences of i symbols in s[:a] and t[:b]: their extent is counted to the end of both.
// One symbol of s updates all of them in O(length |t|); longer ones first, as they read the
// shorter.
double subsequences(Symbols s, Symbols t, const Subsequences& how, std::vector<double>& prefix) {
  const std::size_t width = t.size() + 1, levels = static_cast<std::size_t>(how.length);
  if (s.size() < levels || t.size() < levels) return 0.0;
  const double decay = how.decay, pair = decay * decay;
  prefix.assign(levels * width, 0.0);
  std::fill_n(prefix.begin(), width, 1.0);
  double total = 0.0;
  for (std::int32_t symbol : s) {
    const double* last = prefix.data() + (levels - 1) * width;
    for (std::size_t b = 0; b < t.size(); ++b) {
      if (t[b] == symbol) total += pair * last[b];
    }
    for (std::size_t i = levels - 1; i > 0; --i) {
      const double* shorter = prefix.data() + (i - 1) * width;
      double* own = prefix.data() + i * width;
      double ending = 0.0;  // those whose last symbol in s is this one
      for (std::size_t b = 0; b < t.size(); ++b) {
        ending = decay * ending + (t[b] == symbol ? pair * shorter[b] : 0.0);
        own[b + 1] = decay * own[b + 1] + ending;
      }
    }
  }
  return total;
}

std::vector<double> self_values(const Strings& strings, const Subsequences& how, ThreadPool& pool) {
  std::vector<double> values(static_cast<std::size_t>(strings.count));
  pool.run(strings.count, [&](std::int64_t i) {
    std::vector<double> prefix;
    const Symbols s = string_at(strings, i);
    values[static_cast<std::size_t>(i)] = subsequences(s, s, how, prefix);
  });
  return values;
}

}  // namespace

void subsequence_gram(const Strings& s, const Strings& t, const Subsequences& how, double* out,
                      ThreadPool& pool) {
  std::vector<double> own_s, own_t;
  if (how.normalize) {
    own_s = self_values(s, how, pool);
    own_t = self_values(t, how, pool);
  }
  pool.run(s.count, [&](std::int64_t i) {
    std::vector<double> prefix;
    for (std::int64_t j = 0; j < t.count; ++j) {
      double value = subsequences(string_at(s, i), string_at(t, j), how, prefix);
      if (how.normalize && value > 0.0) {
        value /= std::sqrt(own_s[static_cast<std::size_t>(i)] * own_t[static_cast<std::size_t>(j)]);
      }
      out[i * t.count + j] = value;
      pool.checkpoint();
    }
  });
}

}  // namespace linnet
