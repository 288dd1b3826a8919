#include "documents.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace linnet::text {

std::int64_t spell_documents(const Law& law, std::span<const std::int64_t> classes,
                             const std::int64_t* lengths, const double* chances,
                             const double* about, std::uint8_t* out) {
  const auto words = static_cast<std::int64_t>(law.cumulative.size());
  const auto parts = static_cast<std::int64_t>(law.guide.size());
  std::vector<std::uint8_t> spelling(law.spelling.begin(), law.spelling.end());
  spelling.resize(spelling.size() + kLongestSpelling);  // the last is copied in full length, too
  std::uint8_t* at = out;
  const auto put = [&](std::int64_t number) {
    std::memcpy(at, spelling.data() + law.offset[number], kLongestSpelling);
    at += law.offset[number + 1] - law.offset[number];
  };
  for (std::size_t document = 0; document < classes.size(); ++document) {
    const std::int64_t step = law.step[classes[document]];
    put(words + classes[document]);
    for (std::int64_t k = 0; k < lengths[document]; ++k, ++chances, ++about) {
      const auto part = static_cast<std::int64_t>(*chances * static_cast<double>(parts));
      std::int64_t rank = law.guide[std::min(part, parts - 1)];
      while (rank + 1 < words && law.cumulative[rank] <= *chances) ++rank;
      if (*about < law.signal) rank = (rank + step) % words;
      put(rank);
    }
    at[-1] = '\n';
  }
  return at - out;
}

}  // namespace linnet::text
