// `bake --format oci`: packs the program as a container image, without settings.
#pragma once

#include <cstdint>

#include "provisioner/cli/command.h"

namespace prov::cli {

inline constexpr std::string_view kOciFormat = "oci";

OptionGroup OciOptionSpecs();

// `spec`: the command's option table; its other options do not apply to an image. Errors: usage; those of
// payload::LoadProgramFile, payload::MakeHostProcessImage, payload::MakeControllerImage and payload::WriteOciImage.
Result<Outcome> BakeOci(const Arguments& arguments, const CommandSpec& spec, std::int64_t time_unix);

}  // namespace prov::cli
