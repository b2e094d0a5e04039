// The files that `oc adm must-gather` and `oc adm inspect` write, in a folder or in a tar archive of it: an object or a
// List in each. Only those that may state settings are read. Facts: docs/openshift.md#collected-objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "provisioner/base/byte_reader.h"
#include "provisioner/base/result.h"

namespace prov::source {

// Bounds on what is read.
struct GatheredLimits {
  std::size_t entries = 1'000'000;
  std::uint64_t unpacked = 16ULL << 30U;  // bytes of an archive
  // An archive that unpacks to more than `plain` bytes and to more than `ratio` times its size is a bomb: logs are
  // packed to a tenth or a twentieth.
  std::uint64_t plain = 64ULL << 20U;
  std::uint64_t ratio = 200;
  std::size_t files = 10'000;              // that are read
  std::uint64_t file = 64ULL << 20U;       // bytes of one of them
  std::uint64_t together = 256ULL << 20U;  // bytes of all of them
};

// Whether such a folder holds objects that may state settings in this file: "…/cluster-scoped-resources/GROUP/
// RESOURCE.yaml" or "…/RESOURCE/NAME.yaml", and "namespaces/NAMESPACE/GROUP/…" in the same way. `path` is relative,
// with
// '/' between names.
bool IsGatheredFile(std::string_view path);

// Whether a folder is one of these, or holds one for each image of a must-gather: by the folders in it. Follows no
// link.
bool IsGatheredFolder(const std::string& folder);

// Whether the bytes begin as a tar archive, or as one within gzip.
bool IsTarArchive(std::string_view bytes);

// Takes a file with its path beneath the folder. An error ends the reading.
using TakeFile = std::function<Result<void>(std::string path, std::string bytes)>;

// Hands each of the files over, in the order of their paths. Errors: not-found, io, too-large, link (a link or a device
// in the place of what is read), those of `take`.
Result<void> ReadFolderFiles(const std::string& folder, const TakeFile& take, const GatheredLimits& limits = {});

// The same for an archive, tar or tar within gzip, in its order. Refuses any link or device in it (link), and a name
// that leads out of a folder (kind), because nobody can say what unpacking it would give. Errors: those, kind (no tar
// archive, or damaged), decompress, too-large, those of `from` and `take`.
Result<void> ReadArchivedFiles(ByteReader from, const std::string& where, const TakeFile& take,
                               const GatheredLimits& limits = {});

}  // namespace prov::source
