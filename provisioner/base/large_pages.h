// Memory for large buffers.
#pragma once

#include <string>

namespace prov {

// Asks for large pages beneath a buffer that was reserved and is about to be filled: faults of 4 KiB each would take
// longer than the work on a large document. A hint only: where it is not taken, nothing is lost.
void UseLargePages(const std::string& buffer);

}  // namespace prov
