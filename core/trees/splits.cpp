#include "splits.hpp"

#include <algorithm>
#include <cmath>

namespace linnet::trees {
namespace {

double x_log_x(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

}  // namespace

Splitter::Splitter(const Rows& rows, const Limits& limits)
    : rows_(rows),
      limits_(limits),
      counts_(static_cast<std::size_t>(rows.classes)),
      part_(static_cast<std::size_t>(rows.classes)),
      grouped_(static_cast<std::size_t>(rows.count)) {
  std::int32_t most = 0;
  for (std::int32_t j = 0; j < rows.attributes; ++j) most = std::max(most, rows.values[j]);
  slot_.assign(static_cast<std::size_t>(most) + 1, -1);  // the last is for missing values
}

bool Splitter::begin(std::span<const std::int32_t> rows) {
  std::fill(counts_.begin(), counts_.end(), 0.0);
  for (const std::int32_t i : rows) counts_[rows_.gold[i]] += rows_.weight[i];
  total_ = entropy_terms_ = 0.0;
  int present = 0;
  for (const double count : counts_) {
    total_ += count;
    entropy_terms_ += x_log_x(count);
    present += count > 0.0;
  }
  return present > 1;
}

Split Splitter::best(std::int32_t feature, std::span<const std::int32_t> rows) {
  return rows_.ordered[feature] ? ordered(feature, rows) : symbolic(feature, rows);
}

// Puts the rows by value into grouped_, values in order of first appearance; returns how many
// values there are. start_ says where each begins.
std::int32_t Splitter::gather(std::int32_t feature, std::span<const std::int32_t> rows) {
  const std::int32_t* code = rows_.codes + feature * rows_.count;
  const std::size_t missing = slot_.size() - 1;
  const auto place = [&](std::int32_t i) {
    return code[i] < 0 ? missing : static_cast<std::size_t>(code[i]);
  };
  seen_.clear();
  start_.assign(1, 0);
  for (const std::int32_t i : rows) {
    std::int32_t& slot = slot_[place(i)];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(seen_.size());
      seen_.push_back(code[i] < 0 ? kMissing : code[i]);
      start_.push_back(0);
    }
    ++start_[static_cast<std::size_t>(slot) + 1];
  }
  for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
  if (seen_.size() > 1) {
    for (const std::int32_t i : rows) grouped_[start_[slot_[place(i)]]++] = i;
    for (std::size_t v = start_.size() - 1; v > 0; --v) start_[v] = start_[v - 1];
    start_[0] = 0;
  }
  for (const std::int32_t value : seen_) {
    slot_[value < 0 ? missing : static_cast<std::size_t>(value)] = -1;
  }
  return static_cast<std::int32_t>(seen_.size());
}

// The sum over classes of c log c for the rows grouped_[first .. last), and their weight.
double Splitter::group_terms(std::int64_t first, std::int64_t last, double& total) {
  total = 0.0;
  for (std::int64_t at = first; at < last; ++at) {
    const std::int32_t i = grouped_[at];
    part_[rows_.gold[i]] += rows_.weight[i];
    total += rows_.weight[i];
  }
  double terms = 0.0;
  for (std::int64_t at = first; at < last; ++at) {
    double& count = part_[rows_.gold[grouped_[at]]];
    terms += x_log_x(count);
    count = 0.0;  // counted once, and clean for the next group
  }
  return terms;
}

double Splitter::ratio_or_gain(double gain, double branch_terms) const {
  if (!limits_.ratio) return gain;
  const double information = (x_log_x(total_) - branch_terms) / total_;
  return information > 0.0 ? gain / information : 0.0;
}

Split Splitter::symbolic(std::int32_t feature, std::span<const std::int32_t> rows) {
  const std::int32_t values = gather(feature, rows);
  Split found;
  if (values < 2) return found;
  double within = 0.0, branches = 0.0;
  int large = 0;
  for (std::int32_t v = 0; v < values; ++v) {
    double weight;
    within += group_terms(start_[v], start_[v + 1], weight);
    branches += x_log_x(weight);
    large += weight >= limits_.min_leaf;
  }
  if (large < 2) return found;
  found.gain = (x_log_x(total_) - entropy_terms_ - branches + within) / total_;
  found.score = ratio_or_gain(found.gain, branches);
  found.feature = feature;
  return found;
}

Split Splitter::ordered(std::int32_t feature, std::span<const std::int32_t> rows) {
  const std::int32_t* code = rows_.codes + feature * rows_.count;
  std::copy(rows.begin(), rows.end(), grouped_.begin());
  const auto end = grouped_.begin() + static_cast<std::ptrdiff_t>(rows.size());
  const auto known = std::partition(grouped_.begin(), end, [&](auto i) { return code[i] < 0; });
  std::sort(known, end,
            [&](auto a, auto b) { return std::pair(code[a], a) < std::pair(code[b], b); });
  const std::int64_t first = known - grouped_.begin();
  const auto last = static_cast<std::int64_t>(rows.size());
  double missing;
  const double missing_terms = group_terms(0, first, missing);
  start_.assign({first, last});

  Split found;
  found.feature = feature;
  sweep(code, found, missing_terms, missing);
  if (found.high >= 0) return found;
  const double rest = total_ - missing;  // one value: it can only be told from missing ones
  if (first == 0 || first == last || std::min(missing, rest) < limits_.min_leaf) return Split{};
  double weight;
  const double within = missing_terms + group_terms(first, last, weight);
  const double branches = x_log_x(missing) + x_log_x(rest);
  found.gain = (x_log_x(total_) - entropy_terms_ - branches + within) / total_;
  found.score = ratio_or_gain(found.gain, branches);
  return found;
}

// Tries every cut of the known rows, in grouped_ by ascending code, and keeps the one of largest
// gain. part_ holds the classes to the left of the cut.
void Splitter::sweep(const std::int32_t* code, Split& found, double missing_terms, double missing) {
  const std::int64_t first = start_[0], last = start_[1];
  std::vector<double> right(part_.size());
  double left_weight = 0.0, right_weight = 0.0, left_terms = 0.0, right_terms = 0.0;
  for (std::int64_t at = first; at < last; ++at) {
    right[rows_.gold[grouped_[at]]] += rows_.weight[grouped_[at]];
    right_weight += rows_.weight[grouped_[at]];
  }
  for (const double count : right) right_terms += x_log_x(count);
  const double before = x_log_x(total_) - entropy_terms_ + missing_terms - x_log_x(missing);
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t at = first; at + 1 < last; ++at) {
    const std::int32_t i = grouped_[at], k = rows_.gold[i];
    const double weight = rows_.weight[i];
    left_terms += x_log_x(part_[k] + weight) - x_log_x(part_[k]);
    right_terms += x_log_x(std::max(right[k] - weight, 0.0)) - x_log_x(right[k]);
    part_[k] += weight;
    right[k] = std::max(right[k] - weight, 0.0);
    left_weight += weight;
    right_weight -= weight;
    if (code[i] == code[grouped_[at + 1]]) continue;
    const int large = (left_weight >= limits_.min_leaf) + (right_weight >= limits_.min_leaf) +
                      (missing > 0.0 && missing >= limits_.min_leaf);
    if (large < 2) continue;
    const double branches = x_log_x(left_weight) + x_log_x(right_weight);
    const double gain = (before - branches + left_terms + right_terms) / total_;
    if (gain <= best + kTie) continue;
    best = gain;
    found.gain = gain;
    found.low = code[i];
    found.high = code[grouped_[at + 1]];
    found.score = ratio_or_gain(gain, branches + x_log_x(missing));
  }
  std::fill(part_.begin(), part_.end(), 0.0);
}

std::int32_t Splitter::branch_of(const Split& split, std::int32_t row) const {
  const std::int32_t code = rows_.codes[split.feature * rows_.count + row];
  if (code < 0) return kMissing;
  if (!rows_.ordered[split.feature]) return code;
  return split.high >= 0 && code >= split.high ? 1 : 0;
}

std::vector<std::pair<std::int32_t, std::int32_t>> Splitter::divide(const Split& split,
                                                                    std::span<std::int32_t> rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
    return branch_of(split, a) < branch_of(split, b);
  });
  std::vector<std::pair<std::int32_t, std::int32_t>> parts;
  for (const std::int32_t i : rows) {
    const std::int32_t branch = branch_of(split, i);
    if (parts.empty() || parts.back().first != branch) parts.emplace_back(branch, 0);
    ++parts.back().second;
  }
  return parts;
}

}  // namespace linnet::trees
