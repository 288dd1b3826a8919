// Which text is the first of its kind.
#pragma once

#include <cstdint>

#include "../parallel.hpp"
#include "blocks.hpp"

namespace linnet::text {

// original[row] = the number of the first text that has the same bytes: row itself, if there is
// none before it.
void find_originals(Texts texts, std::int64_t* original, ThreadPool& pool);

}  // namespace linnet::text
