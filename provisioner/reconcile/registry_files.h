// The hosts.toml files of a node's containerd, with their CAs: the word `registries` of a scope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/mirrors.h"

namespace prov::reconcile {

// A file that is ours as a whole.
struct FileItem {
  std::string path;  // full, with backslashes
  std::string bytes;

  bool operator==(const FileItem&) const = default;
};

// What a source says of image registries. A file of ours that rests on the other half is not removed for lack of a
// statement.
enum class StatedOfRegistries { kAll, kMirrors, kCas };

// A full path of Windows in its one form: "C:/a//b/../c" is "C:\a\c". Errors: usage (a relative path, a share, a
// device, a stream, a short name such as PROGRA~1, or a name that is not of printable ASCII or that Windows does not
// take), with the path as `where`.
Result<std::string> FullWindowsPath(std::string_view path);

// FullWindowsPath for containerd's config_path, which also may not be below C:\k, the Windows operator's folder, nor a
// whole drive. Errors: usage, with --registry-folder as `where`.
Result<std::string> CheckRegistryFolder(std::string_view path);
// Whether a path in its one form is C:\k or below it.
bool IsOperatorsPath(std::string_view path);

// The files below `folder`, in the order in which they are written. The findings of
// registries::MakeHostsFiles are added. Errors: registries (the mirrors or a CA could not be read), size-limit (a file
// is larger than what a machine's record takes).
Result<std::vector<FileItem>> MakeRegistryFiles(const std::string& folder, const registries::Mirrors& mirrors,
                                                const registries::NodeTrust& trust, Findings& findings);

}  // namespace prov::reconcile
