#include "provisioner/base/file.h"
#include "provisioner/base/path_security.h"

namespace prov {

std::string AccountForAdministrators() { return {}; }

Result<std::string> ReadTrustedFile(const std::string& path, std::uint64_t limit) { return ReadFile(path, limit); }

}  // namespace prov
