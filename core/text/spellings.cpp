#include "spellings.hpp"

#include <algorithm>

#include "fingerprint.hpp"

namespace linnet::text {
namespace {

// What is exploited: how many steps of four bytes a spelling takes cannot be foreseen, but most
// take four at most. So all take four, those too many without effect, and many spellings take
// theirs in the lanes of one register.
constexpr std::size_t kSteps = 4, kLanes = 64;

struct Batch {
  std::uint32_t state[kLanes];          // before the last steps: 0 but for long spellings
  std::uint32_t size[kLanes];           // of the whole spelling
  std::uint32_t steps[kLanes];          // that count
  std::uint32_t block[kSteps][kLanes];  // four bytes each
  std::uint32_t tail[kLanes];           // the bytes behind them, and others
};

void fill(Batch& batch, std::size_t lane, const char* p, std::uint32_t size) {
  std::uint32_t state = 0, left = size;
  for (; left >= 4 * (kSteps + 1); p += 4, left -= 4) {
    state = murmur3_step(state, load<std::uint32_t>(p));
  }
  batch.state[lane] = state;
  batch.size[lane] = size;
  batch.steps[lane] = left / 4;
  for (std::size_t k = 0; k < kSteps; ++k) batch.block[k][lane] = load<std::uint32_t>(p + 4 * k);
  batch.tail[lane] = load<std::uint32_t>(p + left / 4 * 4);
}

LINNET_CLONES
void finish(const Batch& batch, std::uint32_t* out) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t h = batch.state[lane];
    for (std::size_t k = 0; k < kSteps; ++k) {
      const std::uint32_t next = murmur3_step(h, batch.block[k][lane]);
      h = k < batch.steps[lane] ? next : h;
    }
    const std::uint32_t within = (1U << 8 * (batch.size[lane] % 4)) - 1;
    out[lane] = murmur3_end(h, batch.tail[lane] & within, batch.size[lane]);
  }
}

}  // namespace

void murmur3(const char* text, std::span<const Span> spans, std::uint32_t* out) {
  Batch batch{};
  std::uint32_t hashes[kLanes];
  for (std::size_t first = 0; first < spans.size(); first += kLanes) {
    const std::size_t n = std::min(kLanes, spans.size() - first);
    for (std::size_t lane = 0; lane < n; ++lane) {
      const Span span = spans[first + lane];
      fill(batch, lane, text + span.begin, span.size);
    }
    finish(batch, hashes);
    std::copy_n(hashes, n, out + first);
  }
}

}  // namespace linnet::text
