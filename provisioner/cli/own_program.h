// The program that runs, as bytes: for the image of Linux that contains it.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/result.h"

namespace prov::cli {

// Errors: those of ReadFile(); usage on Windows, whose program is not that of an image of Linux.
Result<std::string> ReadOwnProgram(std::uint64_t most_bytes);

}  // namespace prov::cli
