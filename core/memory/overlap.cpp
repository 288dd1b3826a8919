#include "overlap.hpp"

#include <algorithm>

namespace linnet::memory {
namespace {

constexpr std::int32_t kMostFeatures = 8;  // with more, a walk down the trie sees fewer instances
constexpr std::int64_t kMostCounts = 1 << 18;

}  // namespace

bool OverlapIndex::serves(const Instances& memory, const Settings& settings) {
  if (memory.features > kMostFeatures || settings.combine != Combine::sum) return false;
  for (std::int32_t j = 0; j < memory.features; ++j) {
    if (memory.feature[j].delta != Delta::overlap) return false;
  }
  return (std::int64_t{memory.classes} << memory.features) <= kMostCounts;
}

OverlapIndex::OverlapIndex(const Instances& memory)
    : memory_(memory), first_(memory.features), member_(memory.features) {
  for (std::int32_t j = 0; j < memory.features; ++j) {
    const Feature& f = memory.feature[j];
    std::vector<std::int64_t>& first = first_[j];
    first.assign(static_cast<std::size_t>(f.levels) + 2, 0);
    for (std::int64_t u = 0; u < memory.size; ++u) {
      if (f.code[u] >= 0) ++first[f.code[u] + 2];
    }
    for (std::size_t v = 2; v < first.size(); ++v) first[v] += first[v - 1];
    member_[j].resize(static_cast<std::size_t>(memory.size));
    for (std::int64_t u = 0; u < memory.size; ++u) {
      if (f.code[u] >= 0) member_[j][first[f.code[u] + 1]++] = static_cast<std::int32_t>(u);
    }
  }
  const std::int32_t sets = std::int32_t{1} << memory.features;
  distance_.assign(static_cast<std::size_t>(sets), 0.0);
  for (std::int32_t set = 0; set < sets; ++set) {
    for (std::int32_t j = 0; j < memory.features; ++j) {
      if (!(set >> j & 1)) distance_[set] += memory.feature[j].weight;
    }
    distance_[set] = bounded(distance_[set]);
  }
  below_.assign((static_cast<std::size_t>(memory.feature[0].levels) + 1) * memory.classes, 0.0);
  tally_start_.push_back(0);
  std::vector<double> count(static_cast<std::size_t>(memory.classes), 0.0);
  for (std::int64_t u = 0; u < memory.size; ++u) {
    for (auto r = memory.start[u]; r < memory.start[u + 1]; ++r) {
      if (count[memory.label[r]]++ == 0.0) tally_label_.push_back(memory.label[r]);
      const std::int32_t v = memory.feature[0].code[u];
      if (v >= 0) ++below_[static_cast<std::size_t>(v) * memory.classes + memory.label[r]];
    }
    for (auto t = static_cast<std::size_t>(tally_start_.back()); t < tally_label_.size(); ++t) {
      tally_count_.push_back(count[tally_label_[t]]);
      count[tally_label_[t]] = 0.0;
    }
    tally_start_.push_back(static_cast<std::int64_t>(tally_label_.size()));
  }
}

OverlapIndex::Scratch OverlapIndex::scratch() const {
  Scratch s;
  s.agrees.assign(static_cast<std::size_t>(memory_.size), 0);
  s.touched.resize(static_cast<std::size_t>(memory_.size) + 1);  // one past is written, never read
  s.seen.assign(distance_.size(), 0);
  s.count.assign(distance_.size() * static_cast<std::size_t>(memory_.classes), 0.0);
  return s;
}

// Counts the classes of the instances that agree with the query somewhere, by where they agree.
// Those that agree in the first feature stand together; only the other features have lists, and
// what no list names differs in all of them.
void OverlapIndex::gather(const std::int32_t* code, Scratch& s) const {
  std::size_t touched = 0;
  for (std::int32_t j = 1; j < memory_.features; ++j) {
    if (code[j] < 0) continue;
    const auto bit = static_cast<std::uint16_t>(1u << j);
    const std::int32_t* member = member_[j].data();
    for (auto i = first_[j][code[j]]; i < first_[j][code[j] + 1]; ++i) {
      std::uint16_t& agrees = s.agrees[member[i]];
      s.touched[touched] = member[i];
      touched += agrees == 0;
      agrees = static_cast<std::uint16_t>(agrees | bit);
    }
  }
  const auto classes = static_cast<std::size_t>(memory_.classes);
  const std::int32_t* of_first = memory_.feature[0].code;
  const bool known = code[0] >= 0;
  const double* below = below_.data() + static_cast<std::size_t>(known ? code[0] : 0) * classes;
  for (std::size_t c = 0; c < classes; ++c) {
    s.count[c] = memory_.frequency[c] - (known ? below[c] : 0.0);
    s.count[classes + c] = known ? below[c] : 0.0;
  }
  s.sets.assign({0, 1});
  for (std::size_t i = 0; i < touched; ++i) {
    const std::int32_t u = s.touched[i];
    const bool first = known && of_first[u] == code[0];
    const auto set = static_cast<std::uint16_t>(s.agrees[u] | first);
    s.agrees[u] = 0;
    if (!s.seen[set]) {
      s.seen[set] = 1;
      s.sets.push_back(set);
    }
    double* count = s.count.data() + set * classes;
    double* rest = s.count.data() + first * classes;
    for (auto t = tally_start_[u]; t < tally_start_[u + 1]; ++t) {
      count[tally_label_[t]] += tally_count_[t];
      rest[tally_label_[t]] -= tally_count_[t];
    }
  }
  std::erase_if(s.sets, [&](std::uint16_t set) {
    const double* count = s.count.data() + set * classes;
    return std::all_of(count, count + classes, [](double c) { return c == 0.0; });
  });
}

void OverlapIndex::find(const std::int32_t* code, std::int64_t wanted, Scratch& s,
                        Neighbours& found) const {
  gather(code, s);
  std::stable_sort(s.sets.begin(), s.sets.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return distance_[a] < distance_[b]; });
  const auto classes = static_cast<std::size_t>(memory_.classes);
  double* into = nullptr;
  for (std::uint16_t set : s.sets) {
    const double d = distance_[set];
    if (found.distance.empty() || d - found.distance.back() >= kSame) {
      if (static_cast<std::int64_t>(found.distance.size()) == wanted) break;
      into = found.add(d, memory_.classes);
    }
    for (std::size_t c = 0; c < classes; ++c) into[c] += s.count[set * classes + c];
  }
  for (std::uint16_t set : s.sets) {
    s.seen[set] = 0;
    std::fill_n(s.count.begin() + static_cast<std::ptrdiff_t>(set * classes), classes, 0.0);
  }
}

}  // namespace linnet::memory
