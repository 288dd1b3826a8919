#include "common.hpp"

namespace linnet::bindings {

void bind_online(nb::module_&) {}

}  // namespace linnet::bindings
