// The long lists of text models: Wapiti's texts behind their lengths and weights behind their
// numbers, and LIBLINEAR's weights. Only what these programs write is read here; where anything
// else stands, the caller looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace linnet::foreign {

// Copies `count` texts LENGTH:BYTES,\n that begin at data[at] to out, text i to out[offset[i] ..
// offset[i + 1]); out has room for as many bytes as data has from there on. Returns where they end,
// -1 if they are written otherwise.
std::int64_t read_netstrings(std::string_view data, std::int64_t at, std::int64_t count, char* out,
                             std::int64_t* offset);

// Reads `count` lines INDEX=VALUE that fill the data; false if they are written otherwise.
bool read_weights(std::string_view data, std::int64_t count, std::int64_t* place, double* value);

// Reads the `count` numbers with white space between them that fill the data; false if there is
// anything else, or a number that is not at hand here or not finite.
bool read_numbers(std::string_view data, std::int64_t count, double* value);

// The number that is all of a text, as %a and %e print it, if it can be had without rounding twice.
std::optional<double> exact_number(std::string_view text);

}  // namespace linnet::foreign
