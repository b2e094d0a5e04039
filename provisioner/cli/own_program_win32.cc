#include "provisioner/cli/own_program.h"

namespace prov::cli {

Result<std::string> ReadOwnProgram(std::uint64_t /*most_bytes*/) {
  return Fail(Code::kUsage, "linux: this image is made on Linux, of the program that runs", "--os");
}

}  // namespace prov::cli
