// Whether a file is an archive that this program made. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "images/archive/archive.h"

namespace prov::images {

// How much of a file tells.
inline constexpr std::size_t kTellingBytes = std::size_t{17} * 2048;

// In the volume descriptor of a drive.
inline constexpr const char* kIsoApplication = "PROVISIONER";

// `head`: the first kTellingBytes of the file, or all of it. What it is by its first entry, a drive by who made it.
bool BeginsAsOurs(std::string_view head, const ArchiveOptions& options);

}  // namespace prov::images
