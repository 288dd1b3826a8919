// Which features a corpus has: counted by fingerprint on each lane, then sorted by name and merged.
#include <algorithm>
#include <stdexcept>

#include "../numeric.hpp"
#include "token_features.hpp"

namespace linnet::text {
namespace {

using Feature = TokenReader::Feature;

// The different features that one lane has seen.
class Census {
 public:
  Census(const Templates& templates, const Tokens& tokens)
      : reader_(templates, tokens), templates_(templates), stride_(templates.widest()) {}

  void read(std::int64_t block) {
    reader_.read(block, [&](std::int64_t token, const std::vector<Feature>& features) {
      add(token, features);
    });
  }

  struct Counted {
    std::uint64_t print;
    std::int64_t count;
    std::int64_t last;  // the token that had it last: a token counts once
    std::uint32_t source;
  };
  const std::vector<Counted>& counted() const { return counted_; }
  const std::uint32_t* values(std::size_t id) const { return values_.data() + id * stride_; }
  const TokenReader& reader() const { return reader_; }
  bool collided() const { return collided_; }

 private:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  struct Slot {
    std::uint64_t print = 0;
    std::uint32_t id = kEmpty;
  };

  void add(std::int64_t token, const std::vector<Feature>& features) {
    if (2 * (counted_.size() + features.size()) > slots_.size()) grow(features.size());
    for (const Feature& f : features) LINNET_PREFETCH(&slots_[place_of(f.print)]);
    found_.resize(features.size());
    for (std::size_t k = 0; k < features.size(); ++k) {
      found_[k] = find(features[k].print);
      const std::uint32_t id = slots_[found_[k]].id;
      if (id == kEmpty) continue;
      LINNET_PREFETCH(&counted_[id]);
      LINNET_PREFETCH(values(id));
    }
    for (std::size_t k = 0; k < features.size(); ++k) count(token, features[k], found_[k]);
  }

  void count(std::int64_t token, const Feature& feature, std::size_t at) {
    // A feature of the same token may have taken the place in the meantime.
    if (slots_[at].print != feature.print) at = find(feature.print);
    if (slots_[at].id == kEmpty) {
      if (counted_.size() >= INT32_MAX) throw std::length_error("more than 2^31 features");
      slots_[at] = {feature.print, static_cast<std::uint32_t>(counted_.size())};
      counted_.push_back({feature.print, 1, token, feature.source});
      const std::size_t parts = templates_.ready()[feature.source].parts.size();
      for (std::size_t p = 0; p < stride_; ++p) {
        values_.push_back(p < parts ? reader_.value(feature, token, p) : 0);
      }
      return;
    }
    Counted& known = counted_[slots_[at].id];
    if (!same(feature, token, known, values(slots_[at].id))) {
      collided_ = true;
    } else if (known.last != token) {
      known.last = token;
      ++known.count;
    }
  }

  // Whether a feature has the name that its fingerprint stands for: by its values, or spelled.
  bool same(const Feature& feature, std::int64_t token, const Counted& known,
            const std::uint32_t* values) {
    const std::size_t parts = templates_.ready()[feature.source].parts.size();
    bool equal = feature.source == known.source;
    for (std::size_t p = 0; equal && p < parts; ++p) {
      equal = reader_.value(feature, token, p) == values[p];
    }
    if (equal) return true;
    std::vector<std::uint32_t> own(parts);
    for (std::size_t p = 0; p < parts; ++p) own[p] = reader_.value(feature, token, p);
    std::string a, b;
    reader_.spell(feature.source, own.data(), a);
    reader_.spell(known.source, values, b);
    return a == b;
  }

  std::size_t place_of(std::uint64_t print) const { return print & (slots_.size() - 1); }
  std::size_t find(std::uint64_t print) const {
    std::size_t at = place_of(print);
    while (slots_[at].id != kEmpty && slots_[at].print != print)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow(std::size_t more) {
    std::size_t size = slots_.size();
    while (2 * (counted_.size() + more) > size) size *= 2;
    slots_.assign(size, Slot());
    for (std::uint32_t id = 0; id < counted_.size(); ++id) {
      slots_[find(counted_[id].print)] = {counted_[id].print, id};
    }
  }

  TokenReader reader_;
  const Templates& templates_;
  std::size_t stride_;
  std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
  std::vector<Counted> counted_;
  std::vector<std::uint32_t> values_;  // [counted][stride]
  std::vector<std::size_t> found_;
  bool collided_ = false;
};

// A feature to sort: the eight bytes behind what its group shares decide most comparisons.
struct Named {
  std::uint64_t head;
  std::string_view name;
  std::uint64_t print;
  std::int64_t count;

  bool operator<(const Named& other) const {
    return head != other.head ? head < other.head : name < other.name;
  }
};

std::uint64_t head_of(std::string_view rest) {
  std::uint64_t head = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    head = head << 8 | (k < rest.size() ? static_cast<unsigned char>(rest[k]) : 0U);
  }
  return head;
}

using Groups = std::vector<std::vector<Named>>;

// Spells the features of a lane, group by group.
Groups name_features(const Census& census, const Templates& templates, std::string& bytes) {
  std::vector<std::size_t> end, size(templates.groups(), 0);
  end.reserve(census.counted().size());
  for (std::size_t id = 0; id < census.counted().size(); ++id) {
    const std::uint32_t t = census.counted()[id].source;
    census.reader().spell(t, census.values(id), bytes);
    end.push_back(bytes.size());
    ++size[templates.ready()[t].group];
  }
  Groups groups(size.size());
  for (std::size_t g = 0; g < size.size(); ++g) groups[g].reserve(size[g]);
  std::size_t begin = 0;
  for (std::size_t id = 0; id < end.size(); ++id) {
    const Census::Counted& counted = census.counted()[id];
    const Templates::Ready& ready = templates.ready()[counted.source];
    const std::string_view name(bytes.data() + begin, end[id] - begin);
    groups[ready.group].push_back(
        {head_of(name.substr(ready.common)), name, counted.print, counted.count});
    begin = end[id];
  }
  return groups;
}

// Sorts a group, adds up what has one name, and drops what is rare.
void merge(std::vector<Named>& group, std::int64_t min_count) {
  std::sort(group.begin(), group.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < group.size();) {
    Named named = group[k];
    for (++k; k < group.size() && group[k].name == named.name; ++k) named.count += group[k].count;
    if (named.count >= min_count) group[kept++] = named;
  }
  group.resize(kept);
}

}  // namespace

TokenCounts::TokenCounts(const Tokens& tokens, const Templates& templates, std::int64_t min_count,
                         ThreadPool& pool) {
  const std::int64_t blocks = token_blocks(tokens);
  const std::int64_t lanes = lane_count(blocks, pool);
  std::vector<Census> seen(static_cast<std::size_t>(lanes), Census(templates, tokens));
  in_lanes(pool, blocks, lanes,
           [&](std::int64_t lane, std::int64_t block) { seen[lane].read(block); });
  names_.resize(seen.size());
  std::vector<Groups> parts(seen.size());
  pool.run(lanes, [&](std::int64_t lane) {
    parts[lane] = name_features(seen[lane], templates, names_[lane]);
  });
  for (const Census& census : seen) collided_ |= census.collided();
  std::vector<Census>().swap(seen);
  Groups& all = parts.front();
  pool.run(static_cast<std::int64_t>(all.size()), [&](std::int64_t g) {
    for (std::size_t lane = 1; lane < parts.size(); ++lane) {
      all[g].insert(all[g].end(), parts[lane][g].begin(), parts[lane][g].end());
      parts[lane][g] = {};
    }
    merge(all[g], min_count);
  });
  for (std::vector<Named>& group : all) {
    for (const Named& named : group) {
      kept_.push_back({named.name, named.print, named.count});
      spelled_ += static_cast<std::int64_t>(named.name.size());
    }
    group = {};
  }
  if (kept_.size() >= INT32_MAX) throw std::length_error("more than 2^31 features");
}

void TokenCounts::write(char* bytes, std::int64_t* offset, std::uint64_t* print,
                        std::int64_t* count) const {
  offset[0] = 0;
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    bytes = std::copy(kept_[j].name.begin(), kept_[j].name.end(), bytes);
    offset[j + 1] = offset[j] + static_cast<std::int64_t>(kept_[j].name.size());
    print[j] = kept_[j].print;
    count[j] = kept_[j].count;
  }
}

}  // namespace linnet::text
