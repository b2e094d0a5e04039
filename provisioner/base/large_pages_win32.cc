#include "provisioner/base/large_pages.h"

namespace prov {

// Windows gives large pages only to accounts with a special privilege.
void UseLargePages(const std::string& /*buffer*/) {}

}  // namespace prov
