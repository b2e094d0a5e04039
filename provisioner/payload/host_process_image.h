// The image of a HostProcess container with provisioner.exe, as the files of an OCI image archive. Facts:
// docs/formats/oci-image.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/payload/oci_archive.h"
#include "provisioner/payload/program_file.h"

namespace prov::payload {

struct HostProcessImage : OciImage {
  std::vector<ImageFile> layer;  // files of the container: paths below its root, in order
  std::string architecture;      // as images name it: amd64, arm64 or 386
};

// Makes the image. The same arguments give the same bytes. The image holds no settings, because whoever can pull it can
// read it. Errors: those of images::MakeArchiveIn, of images::WriteHive.
Result<HostProcessImage> MakeHostProcessImage(const ProgramFile& program, std::int64_t time_unix,
                                              const std::map<std::string, std::string>& annotations = {});

// The program's path for a container's command. The runtime expands the node's folder of the container's files in it.
std::string ProgramInContainer();

}  // namespace prov::payload
