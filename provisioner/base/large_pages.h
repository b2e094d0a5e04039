// Memory for large buffers.
#pragma once

#include <string>

namespace prov {

// Requests large pages for a buffer that was reserved and is about to be filled: page faults of 4 KiB would take longer
// than the work on a large document. Only a hint.
void UseLargePages(const std::string& buffer);

}  // namespace prov
