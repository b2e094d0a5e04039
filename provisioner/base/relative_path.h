// Relative file names that are valid on every system: in manifests, archives and images.
#pragma once

#include <string_view>

namespace prov {

// Whether `path` names one file beneath any folder, on Windows and on other systems: names are separated by '/' and not
// empty; no "." or ".."; printable ASCII without \ : * ? " < > |; no name ends in a dot or blank or is a device (CON,
// NUL.txt).
bool IsSafeRelativePath(std::string_view path);

}  // namespace prov
