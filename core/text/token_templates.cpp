#include "token_templates.hpp"

#include <algorithm>
#include <stdexcept>

namespace linnet::text {
namespace {

// The literal text that all names of a template begin with.
const std::string& head(const Template& t) {
  return t.parts.empty() ? t.behind : t.parts.front().before;
}

bool possible(const Atom& atom) {
  switch (atom.transform) {
    case Transform::prefix:
    case Transform::suffix: return atom.low >= 1;
    case Transform::ngrams:
      return atom.low >= 1 && atom.high >= atom.low && atom.high <= kLongestGram;
    case Transform::flag: return atom.low >= 0 && atom.low < kFlagCount;
    default: return true;
  }
}

}  // namespace

Templates::Templates(std::vector<Template> templates, std::int32_t columns, Gazetteers gazetteers,
                     std::uint64_t seed)
    : templates_(std::move(templates)),
      columns_(columns),
      gazetteers_(std::move(gazetteers)),
      hash_(seed) {
  if (gazetteers_.names.size() > kGazetteers || gazetteers_.longest < 0 ||
      gazetteers_.longest > kPhrase) {
    throw std::invalid_argument("too many gazetteers, or too long a phrase");
  }
  std::stable_sort(templates_.begin(), templates_.end(),
                   [](const Template& a, const Template& b) { return head(a) < head(b); });
  for (const Template& t : templates_) {
    check(t);
    ready_.push_back(prepare(t));
    widest_ = std::max(widest_, t.parts.size());
  }
  group();
}

void Templates::check(const Template& t) const {
  for (const Part& part : t.parts) {
    if (part.atom.column < 0 || part.atom.column >= columns_) {
      throw std::invalid_argument("a template asks for a column that there is not");
    }
    if (part.offset < -kReach || part.offset > kReach) {
      throw std::invalid_argument("a template looks too far away");
    }
    if (!possible(part.atom)) throw std::invalid_argument("a template has impossible lengths");
    if (several(part.atom.transform) && t.parts.size() > 1) {
      throw std::invalid_argument("a part of several values must be the only one of its template");
    }
  }
}

std::uint32_t Templates::number(const Atom& atom) {
  const auto found = std::find(atoms_.begin(), atoms_.end(), atom);
  const auto at = static_cast<std::uint32_t>(found - atoms_.begin());
  if (found == atoms_.end()) atoms_.push_back(atom);
  return at;
}

std::uint32_t Templates::identity(std::int32_t column) const {
  const Atom atom{column, Transform::identity, 0, 0};
  return static_cast<std::uint32_t>(std::find(atoms_.begin(), atoms_.end(), atom) - atoms_.begin());
}

Templates::Ready Templates::prepare(const Template& t) {
  Ready ready{{}, hash_(t.behind), t.markers, false, t.where, 0, 0, 0, 0};
  for (const Part& part : t.parts) {
    ready.parts.push_back({hash_(part.before), number(part.atom), part.offset});
    ready.several |= several(part.atom.transform);
    ready.least = std::min(ready.least, part.offset);
    ready.most = std::max(ready.most, part.offset);
    std::int32_t far = std::abs(part.offset);
    if (part.atom.transform == Transform::gazetteer) {
      number({part.atom.column, Transform::identity, 0, 0});
      far += std::max(gazetteers_.longest - 1, 0);
    }
    reach_ = std::max(reach_, far);
  }
  return ready;
}

// Names of two templates are in the order of their heads, unless one head begins with the other.
void Templates::group() {
  const std::string* root = nullptr;
  std::uint32_t group = 0;
  for (std::size_t t = 0; t < templates_.size(); ++t) {
    const std::string& own = head(templates_[t]);
    if (root && !own.starts_with(*root)) ++group;
    if (!root || !own.starts_with(*root)) root = &own;
    ready_[t].group = group;
    ready_[t].common = static_cast<std::uint32_t>(root->size());
  }
}

}  // namespace linnet::text
