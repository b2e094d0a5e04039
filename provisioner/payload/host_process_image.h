// The image of a HostProcess container with provisioner.exe, as the files of an OCI image archive. Facts:
// docs/formats/oci-image.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "images/archive/file_sink.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/program_file.h"

namespace prov::payload {

struct ImageFile {
  std::string path;
  std::string bytes;
};

struct HostProcessImage {
  std::vector<ImageFile> files;  // files of the archive, in order
  std::vector<ImageFile> layer;  // files of the container: paths below its root, in order
  std::string digest;            // "sha256:HEX" of the manifest, as registries name it
  std::string architecture;      // as images name it: amd64, arm64 or 386
};

// Makes the image. The same program and time give the same bytes. The image holds no settings, because whoever can pull
// it can read it. Errors: those of images::MakeArchiveIn, of images::WriteHive.
Result<HostProcessImage> MakeHostProcessImage(const ProgramFile& program, std::int64_t time_unix);

// The program's path for a container's command. The runtime expands the node's folder of the container's files in it.
std::string ProgramInContainer();

// Writes all of it to `path`, or nothing. Errors: those of images::MakeArchive.
Result<void> WriteHostProcessImage(const HostProcessImage& image, const std::string& path, std::int64_t time_unix);

}  // namespace prov::payload
