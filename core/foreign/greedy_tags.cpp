#include "greedy_tags.hpp"

#include <algorithm>

namespace linnet::foreign {

std::int32_t KeyedRows::find(std::int32_t owner, std::int32_t wanted) const {
  const std::int32_t* const last = key + start[owner + 1];
  const std::int32_t* const at = std::lower_bound(key + start[owner], last, wanted);
  return at != last && *at == wanted ? row[at - key] : -1;
}

void GreedyTagger::add(std::int32_t row, std::vector<double>& scores) const {
  if (row < 0) return;
  for (std::int64_t k = start[row]; k < start[row + 1]; ++k) scores[label[k]] += weight[k];
}

double GreedyTagger::run(const std::int32_t* words, const std::int32_t* contexts, std::int64_t n,
                         std::vector<double>& scores, std::int32_t* out) const {
  double total = 0.0;
  std::int32_t before = tags, two_before = tags + 1;
  for (std::int64_t t = 0; t < n; ++t) {
    const GreedyWord& spelled = word[words[t]];
    std::int32_t tag = spelled.sure;
    if (tag < 0) {
      const std::int32_t* const at = contexts + t + 2;
      const GreedyContext& left = context[at[-1]];
      const GreedyContext& right = context[at[1]];
      scores.assign(static_cast<std::size_t>(tags), 0.0);
      for (const std::int32_t row :
           {bias, spelled.suffix, spelled.initial, last[before], one_before[two_before],
            both.find(before, two_before), context[*at].here, tag_and_word.find(*at, before),
            left.before, left.before_suffix, context[at[-2]].two_before, right.after,
            right.after_suffix, context[at[2]].two_after}) {
        add(row, scores);
      }
      tag = 0;  // of equal scores the last
      for (std::int32_t k = 1; k < tags; ++k) tag = scores[k] >= scores[tag] ? k : tag;
      total += scores[tag];
    }
    out[t] = tag;
    two_before = before;
    before = tag;
  }
  return total;
}

}  // namespace linnet::foreign
