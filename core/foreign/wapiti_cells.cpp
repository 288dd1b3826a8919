#include "wapiti_cells.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../text/fingerprint.hpp"

namespace linnet::foreign {
namespace {

// What stands before and behind a sentence, by the numbers 0 to 9.
constexpr std::array<std::string_view, 10> kOutside{"_x-1", "_x-2", "_x-3", "_x-4", "_x-#",
                                                    "_x+1", "_x+2", "_x+3", "_x+4", "_x+#"};
constexpr std::int32_t kUnknown = -2;  // not looked up yet; -1 has no number
constexpr std::int32_t kRemembered = 1 << 16;
constexpr std::size_t kSeveral = 1 << 12, kMost = 3;  // entries, and cells of one
constexpr int kBits = 21;                             // of the number of a cell
constexpr std::int32_t kNumbers = 1 << kBits;

}  // namespace

WapitiCells::WapitiCells(std::size_t columns) : columns_(columns), slot_(1024) {
  for (const std::string_view text : kOutside) intern(text);
}

void WapitiCells::add(std::string_view cell) { cell_.push_back(intern(cell)); }

void WapitiCells::end_sentence() {
  sentence_.push_back(std::ssize(cell_) / static_cast<std::int64_t>(columns_));
}

std::int32_t WapitiCells::intern(std::string_view text) {
  const std::uint64_t hash = text::fingerprint(text, 0);
  std::size_t at = hash & (slot_.size() - 1);
  for (; slot_[at].number >= 0; at = (at + 1) & (slot_.size() - 1)) {
    if (slot_[at].hash == hash && this->text(slot_[at].number) == text) return slot_[at].number;
  }
  const std::size_t number = offset_.size() - 1;
  if (number >= INT32_MAX / 2) throw std::invalid_argument("there are too many different cells");
  bytes_.append(text);
  offset_.push_back(bytes_.size());
  slot_[at] = {hash, static_cast<std::int32_t>(number)};
  if (2 * offset_.size() > slot_.size()) grow();
  return static_cast<std::int32_t>(number);
}

void WapitiCells::grow() {
  std::vector<Slot> before(2 * slot_.size());
  before.swap(slot_);
  for (const Slot& slot : before) {
    if (slot.number < 0) continue;
    std::size_t at = slot.hash & (slot_.size() - 1);
    while (slot_[at].number >= 0) at = (at + 1) & (slot_.size() - 1);
    slot_[at] = slot;
  }
}

std::int32_t WapitiCells::outside(std::int64_t at, std::int64_t size) {
  if (at < 0) return static_cast<std::int32_t>(std::min<std::int64_t>(-at - 1, 4));
  return static_cast<std::int32_t>(5 + std::min<std::int64_t>(at - size, 4));
}

std::int32_t WapitiCells::number(std::int64_t sentence, std::int64_t at, std::size_t column) const {
  const std::int64_t first = sentence_[static_cast<std::size_t>(sentence)];
  const std::int64_t size = sentence_[static_cast<std::size_t>(sentence) + 1] - first;
  if (at < 0 || at >= size) return outside(at, size);
  return cells_of(sentence)[static_cast<std::size_t>(at) * columns_ + column];
}

WapitiObserver::WapitiObserver(const std::vector<WapitiPattern>& patterns,
                               const AttributeTable& names, const WapitiCells& cells)
    : patterns_(patterns), names_(names), cells_(cells), memory_(patterns.size()) {
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const std::size_t commands = patterns[k].commands();
    if (commands <= 1) memory_[k].one.assign(kOutside.size(), kUnknown);
    if (commands == 1 && !patterns[k].command(0).absolute) {
      memory_[k].offset = patterns[k].command(0).offset;
      memory_[k].column = static_cast<std::int64_t>(patterns[k].command(0).column);
    }
    if (commands > 1 && commands <= kMost) memory_[k].several.resize(kSeveral);
  }
}

std::int32_t WapitiObserver::look_up(const WapitiPattern& pattern, std::int64_t sentence,
                                     std::int64_t token) {
  pattern.write(cells_, sentence, token, observation_);
  return names_.find(observation_);
}

std::int32_t WapitiObserver::by_one(Memory& memory, const WapitiPattern& pattern, std::int32_t cell,
                                    std::int64_t sentence, std::int64_t token) {
  if (cell >= kRemembered) return look_up(pattern, sentence, token);
  auto& one = memory.one;
  const auto at = static_cast<std::size_t>(cell);
  if (at >= one.size()) one.resize(std::max(at + 1, 2 * one.size()), kUnknown);
  if (one[at] == kUnknown) one[at] = look_up(pattern, sentence, token);
  return one[at];
}

std::int32_t WapitiObserver::by_several(Memory& memory, const WapitiPattern& pattern,
                                        std::int64_t sentence, std::int64_t token) {
  if (pattern.commands() > kMost) return look_up(pattern, sentence, token);
  std::uint64_t cells = 0;
  for (std::size_t c = 0; c < pattern.commands(); ++c) {
    const std::int32_t cell = pattern.cell(c, cells_, sentence, token);
    if (cell >= kNumbers) return look_up(pattern, sentence, token);
    cells = cells << kBits | static_cast<std::uint64_t>(cell);
  }
  Several& several = memory.several[(cells * 0x9E3779B97F4A7C15U) >> 52];
  if (several.cells != cells) several = {cells, look_up(pattern, sentence, token)};
  return several.number;
}

void WapitiObserver::observe(std::int64_t sentence, std::int64_t token,
                             std::vector<std::int32_t>& out) {
  const auto s = static_cast<std::size_t>(sentence);
  const std::int64_t size = cells_.sentence()[s + 1] - cells_.sentence()[s];
  const auto width = static_cast<std::int64_t>(cells_.columns());
  const std::int32_t* const cells = cells_.cells_of(sentence);
  for (std::size_t k = 0; k < patterns_.size(); ++k) {
    const WapitiPattern& pattern = patterns_[k];
    Memory& memory = memory_[k];
    std::int32_t number;
    if (memory.column >= 0) {  // nearly all are such: the cell is at hand
      const std::int64_t at = token + memory.offset;
      const bool inside = at >= 0 && at < size;
      const std::int32_t cell =
          inside ? cells[at * width + memory.column] : WapitiCells::outside(at, size);
      const auto place = static_cast<std::size_t>(cell);
      number = place < memory.one.size() ? memory.one[place] : kUnknown;
      if (number == kUnknown) number = by_one(memory, pattern, cell, sentence, token);
    } else if (pattern.commands() <= 1) {
      const bool none = pattern.commands() == 0;
      const std::int32_t cell = none ? 0 : pattern.cell(0, cells_, sentence, token);
      number = by_one(memory, pattern, cell, sentence, token);
    } else {
      number = by_several(memory, pattern, sentence, token);
    }
    if (number >= 0) out.push_back(number);
  }
}

}  // namespace linnet::foreign
