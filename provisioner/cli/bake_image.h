// `bake --format oci`: the program as the image of a container, without settings.
#pragma once

#include <cstdint>

#include "provisioner/cli/command.h"

namespace prov::cli {

inline constexpr std::string_view kImageFormat = "oci";

// `spec`: that of the command, whose other options say nothing about an image. Errors: usage; those of
// payload::LoadProgramFile, payload::MakeHostProcessImage and payload::WriteHostProcessImage.
Result<Outcome> BakeImage(const Arguments& arguments, const CommandSpec& spec, std::int64_t time_unix);

}  // namespace prov::cli
