// The names of attributes as Python holds them, with the arrays that the table looks at.
#pragma once

#include "common.hpp"
#include "foreign/attributes.hpp"
#include "foreign/crfsuite_file.hpp"

namespace linnet::bindings {

struct AttributesHandle {
  Array<const std::uint8_t> bytes;
  Array<const std::int64_t> offset;
  foreign::AttributeTable table;
};

// A CRFsuite file with its bytes.
struct CrfsuiteHandle {
  Array<const std::uint8_t> bytes;
  foreign::CrfsuiteFile file;
};

void bind_crfsuite(nb::module_& m);

// Wapiti's patterns and chains, and taggers from left to right.
void bind_taggers(nb::module_& m);

}  // namespace linnet::bindings
