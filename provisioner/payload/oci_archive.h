// An image with one layer, as the files of an OCI image archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::payload {

struct ImageFile {
  std::string path;
  std::string bytes;
};

struct OciImage {
  std::vector<ImageFile> files;  // files of the archive, in order
  std::string digest;            // "sha256:HEX" of the manifest, as registries name it
};

struct OciLayer {
  std::string_view media_type;
  std::string bytes;
  std::string tar_digest;  // "sha256:HEX" of the layer before compression
};

struct OciDescription {
  std::string_view os;
  std::string architecture;  // as images name it: amd64, arm64 or 386
  std::string version;       // of the program; the image's name in the archive
  std::string entrypoint;
  std::string user{};                                // "": the runtime's default
  std::map<std::string, std::string> annotations{};  // besides title, version and licence
};

// The same arguments give the same bytes.
OciImage MakeOciImage(const OciDescription& description, OciLayer layer, std::int64_t time_unix);

// Writes all of it to `path`, or nothing. Errors: those of images::MakeArchive.
Result<void> WriteOciImage(const std::vector<ImageFile>& files, const std::string& path, std::int64_t time_unix);

std::string DigestOf(std::string_view bytes);  // "sha256:HEX"

}  // namespace prov::payload
