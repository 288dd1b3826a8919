// The different n-grams of one text, by their fingerprints, and how often each occurs.
//
// What is exploited: a third of the n-grams of a text were in it before, and the few hundred
// different ones fit the nearest cache. Whoever counts first looks up each of them once in a table
// that fits no cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "../numeric.hpp"

namespace linnet::text {

class Distinct {
 public:
  struct Gram {
    std::uint64_t print;
    std::uint64_t count;
  };

  // Calls meet(print) for every n-gram as it comes, so that what will be needed for it can be asked
  // for; returns the different ones in the order of their first occurrence. A fingerprint of 0 is
  // left out: nobody's table has it.
  template <class Meet>
  std::span<const Gram> of(std::span<const std::uint64_t> prints, Meet meet);

 private:
  std::vector<Gram> grams_;           // from 1; number 0 stands for nobody
  std::vector<std::uint32_t> slots_;  // number of an n-gram, 0 where nothing is
};

// One that is new and one that is known are handled by the same instructions, without a branch that
// nobody could foresee: the table is kept so empty that hardly any place is taken by another.
template <class Meet>
std::span<const Distinct::Gram> Distinct::of(std::span<const std::uint64_t> prints, Meet meet) {
  constexpr std::size_t kRoom = 4;  // places for each
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(16, kRoom * prints.size()));
  const int shift = 64 - std::countr_zero(places);
  slots_.assign(places, 0);
  grams_.resize(std::max(grams_.size(), prints.size() + 1));
  std::uint32_t* const slots = slots_.data();
  Gram* const grams = grams_.data();
  grams[0] = {0, 0};
  std::uint32_t used = 0;
  for (const std::uint64_t print : prints) {
    meet(print);
    std::size_t at = print >> shift;
    std::uint32_t there = slots[at];
    Gram known = grams[there];
    // Somebody else is there: a minimum, since compilers make branches of a conjunction.
    while (std::min(known.count, known.print ^ print) != 0) [[unlikely]] {
      at = (at + 1) & (places - 1);
      there = slots[at];
      known = grams[there];
    }
    const std::uint32_t fresh = known.print != print;
    used += fresh;
    const std::uint32_t number = there | (used & (0U - fresh));  // `there` is 0 where it is new
    grams[number] = {print, known.count + 1};
    slots[at] = number;
  }
  return std::span(grams_).subspan(1, used);
}

}  // namespace linnet::text
