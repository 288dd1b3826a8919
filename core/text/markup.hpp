// HTML out of a text: what is left is what a reader sees, as far as that needs no parser.
//
// A tag or comment becomes one space: '<', then a letter or one of / ! ?, up to the next '>' (a
// comment: up to "-->"). A '<' that no '>' closes before the next '<' stays. The entities amp lt gt
// quot apos nbsp and numbers (&#39; &#x27;) become the characters they name; others stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::text {

// Position of the first '<' or '&' at or behind i; text.size() if there is none.
std::size_t find_markup(std::string_view text, std::size_t i);

// Replaces `out`; origin as in normalise.hpp. Bytes that are not UTF-8 are copied as they are.
void strip_markup(std::string_view raw, std::string& out, std::vector<std::uint32_t>* origin);

}  // namespace linnet::text
