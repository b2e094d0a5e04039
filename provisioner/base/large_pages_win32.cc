#include "provisioner/base/large_pages.h"

namespace prov {

// Windows gives large pages only to those who hold a privilege of their own.
void UseLargePages(const std::string& /*buffer*/) {}

}  // namespace prov
