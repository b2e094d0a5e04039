#include "provisioner/base/file.h"
#include "provisioner/cli/own_program.h"

namespace prov::cli {

Result<std::string> ReadOwnProgram(std::uint64_t most_bytes) { return ReadFile("/proc/self/exe", most_bytes); }

}  // namespace prov::cli
