#include "features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "../numeric.hpp"

namespace linnet::text {
namespace {

// The bucket of a fingerprint: by its high bits, the sign by the lowest.
LINNET_INLINE Bucket bucket_of(std::uint64_t print, std::uint32_t n) {
  return {static_cast<std::int32_t>(place(print, n)), (print & 1U) != 0};
}

}  // namespace

void Tally::reset(std::size_t expected) {
  counted_.clear();
  const int bits = std::max(4, static_cast<int>(std::bit_width(2 * expected)));
  shift_ = 64 - bits;
  slots_.assign(std::size_t{1} << bits, Slot{});
}

LINNET_INLINE void Tally::add(std::uint64_t key, float amount) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (key * 0x9e3779b97f4a7c15U) >> shift_;
  for (;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.place == 0) break;
    if (slot.low != static_cast<std::uint32_t>(key)) continue;
    Counted& counted = counted_[slot.place - 1];
    if (counted.key != key) continue;
    counted.count += amount;
    return;
  }
  counted_.push_back({key, amount});
  slots_[at] = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(counted_.size())};
}

void BucketTally::reset(std::size_t expected) {
  constexpr std::size_t kRoom = 4;  // places for each bucket
  mask_ = std::bit_ceil(std::max<std::size_t>(16, kRoom * expected)) - 1;
  slots_.assign(mask_ + 1, 0);
  counted_.resize(expected + 1);
  counted_[0] = kNobody;
  used_ = 0;
}

LINNET_INLINE void BucketTally::add(std::int32_t column, std::int64_t amount) {
  const auto bucket = static_cast<std::uint32_t>(column);
  const std::size_t at = bucket & mask_;
  const std::uint32_t there = slots_[at];
  const std::uint64_t known = counted_[there];  // kNobody where nothing is
  const std::uint32_t same = static_cast<std::uint32_t>(known) == bucket;
  if ((same | (there == 0)) == 0) [[unlikely]]
    return add_behind(at, bucket, amount);
  used_ += 1 - same;
  const std::uint32_t place = there | (used_ & (same - 1));  // `there` is 0 where it is new
  counted_[place] = (known & kCount) + (static_cast<std::uint64_t>(amount) << 32) + bucket;
  slots_[at] = place;
}

void BucketTally::add_behind(std::size_t at, std::uint32_t bucket, std::int64_t amount) {
  const std::uint64_t more = static_cast<std::uint64_t>(amount) << 32;
  for (at = (at + 1) & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
    std::uint64_t& known = counted_[slots_[at]];
    if (static_cast<std::uint32_t>(known) != bucket) continue;
    known += more;
    return;
  }
  counted_[++used_] = more + bucket;
  slots_[at] = used_;
}

void BucketTally::take(std::vector<Entry>& out) const {
  out.resize(used_);
  for (std::uint32_t k = 0; k < used_; ++k) {
    const std::uint64_t one = counted_[k + 1];
    out[k] = {static_cast<std::int32_t>(one),
              static_cast<float>(static_cast<std::int32_t>(one >> 32))};
  }
}

// The buckets of a text's n-grams into entries_.
void Reader::count_buckets() {
  const std::uint32_t n = columns_.buckets;
  hashed_.clear();
  if (columns_.by_print) {
    const float* const needed = needed_;
    const std::int64_t width = width_;
    analyzer_.each_print(prints_);
    hashed_.resize(prints_.size());
    for (std::size_t k = 0; k < prints_.size(); ++k) {
      hashed_[k] = bucket_of(prints_[k], n);
      if (needed) LINNET_PREFETCH(needed + hashed_[k].column * width);
    }
  } else {
    analyzer_.join();
    analyzer_.each_gram(
        [&](const Gram& gram) { hashed_.push_back(bucket(analyzer_.spelling(gram), n)); });
  }
  buckets_.reset(hashed_.size());
  if (columns_.signs) {
    for (const Bucket& b : hashed_) buckets_.add(b.column, b.negative ? -1 : 1);
  } else {
    for (const Bucket& b : hashed_) buckets_.add(b.column, 1);
  }
  buckets_.take(entries_);
}

// n-grams are counted by their fingerprints, so that each different one is looked up once; and all
// are known before the first is, so that the table's memory can be asked for ahead of its use.
const std::vector<Entry>& Reader::read(std::string_view text) {
  constexpr std::size_t kAhead = 16;
  analyzer_.read(text);
  keys_.clear();
  entries_.clear();
  if (columns_.buckets > 0) {
    count_buckets();
    return entries_;
  }
  analyzer_.each_gram([&](const Gram& gram) { keys_.push_back(gram.print); });
  tally_.reset(keys_.size());
  for (const std::uint64_t key : keys_) tally_.add(key, 1.0F);
  const auto& counted = tally_.counted();
  const std::size_t n = counted.size();
  float unknown = 0.0F;
  candidates_.resize(n);
  for (std::size_t k = 0; k < std::min(kAhead, n); ++k) columns_.table.prefetch(counted[k].key);
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) columns_.table.prefetch(counted[k + kAhead].key);
    candidates_[k] = columns_.table.candidate(counted[k].key);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t column = columns_.table.confirm(counted[k].key, candidates_[k]);
    if (column >= 0) {
      entries_.push_back({column, counted[k].count});
    } else {
      unknown += counted[k].count;
    }
  }
  if (columns_.unknown >= 0 && unknown > 0.0F) entries_.push_back({columns_.unknown, unknown});
  return entries_;
}

// Least significant byte first, so many bytes as the columns have; for short lists, comparisons.
const std::vector<Entry>& Reader::read_sorted(std::string_view text, std::int32_t width) {
  constexpr std::size_t kFew = 48;
  read(text);
  if (entries_.size() < kFew) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return entries_;
  }
  spare_.resize(entries_.size());
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(width)));
  for (int shift = 0; shift < bits; shift += 8) {
    std::array<std::uint32_t, 256> place{};
    const auto digit = [&](const Entry& e) {
      return static_cast<std::uint32_t>(e.column) >> shift & 255U;
    };
    for (const Entry& entry : entries_) ++place[digit(entry)];
    std::uint32_t total = 0;
    for (std::uint32_t& p : place) total += std::exchange(p, total);
    for (const Entry& entry : entries_) spare_[place[digit(entry)]++] = entry;
    entries_.swap(spare_);
  }
  return entries_;
}

void Reader::trace(std::string_view text, std::vector<Trace>& out) {
  analyzer_.read(text, true);
  const auto& tokens = analyzer_.tokens();
  analyzer_.each_gram([&](const Gram& gram) {
    std::int32_t column = -1;
    if (columns_.buckets > 0) {
      const Bucket b = columns_.by_print ? bucket_of(gram.print, columns_.buckets)
                                         : bucket(analyzer_.spelling(gram), columns_.buckets);
      column = columns_.signs && b.negative ? ~b.column : b.column;
    } else {
      column = columns_.table.find(gram.print);
      if (column < 0) column = columns_.unknown;
      if (column < 0) return;
    }
    out.push_back({column, analyzer_.raw_begin(tokens[gram.picks[0]]),
                   analyzer_.raw_end(tokens[gram.picks[gram.n - 1]])});
  });
}

}  // namespace linnet::text
