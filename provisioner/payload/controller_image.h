// The image of the controller, as the files of an OCI image archive: a small Linux system with this program in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/payload/oci_archive.h"

namespace prov::payload {

// Where the system has the program, and who it runs as: a number, so that a cluster sees that it is not root's.
inline constexpr std::string_view kControllerProgram = "/usr/bin/provisioner";
inline constexpr std::string_view kControllerUser = "65532:65532";
#if defined(__aarch64__)
inline constexpr std::string_view kControllerArchitecture = "arm64";
#else
inline constexpr std::string_view kControllerArchitecture = "amd64";
#endif

// The contents of a regular file in a tar archive (POSIX or GNU); `path` is relative, and the archive may have "./"
// before it. The view lasts as long as `tar`. Errors, with `where`: not-found; kind (not a tar, or truncated).
Result<std::string_view> FileInTar(std::string_view tar, std::string_view path, const std::string& where);

// `tree`: a tar of the system's files, which becomes the layer as it is. `program`: the bytes of this program, with
// which the one in the tree has to be equal, since the image is named after it. Errors: those of FileInTar; kind.
Result<OciImage> MakeControllerImage(std::string tree, std::string_view program, const std::string& version,
                                     const std::map<std::string, std::string>& annotations, const std::string& where,
                                     std::int64_t time_unix);

}  // namespace prov::payload
