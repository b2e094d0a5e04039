// Names of files as they travel between systems: in manifests, archives and images.
#pragma once

#include <string_view>

namespace prov {

// Whether `path` names one file beneath any folder, on Windows and elsewhere alike: '/' between non-empty names, no "."
// or
// "..", printable ASCII without \ : * ? " < > |, no name that ends in a dot or blank, none that is a device (CON,
// NUL.txt).
bool IsSafeRelativePath(std::string_view path);

}  // namespace prov
