#include "images/archive/archive.h"

namespace prov::images {

Result<std::unique_ptr<FileSink>> MakeArchive(const std::string& path, const ArchiveOptions& /*options*/) {
  return Fail(Code::kTarget,
              "archives and drives are written on Linux only: bake there, or take --format dir and pack the folder "
              "with another program",
              path);
}

Result<std::unique_ptr<FileSink>> MakeArchiveIn(std::string& /*memory*/, const ArchiveOptions& /*options*/) {
  return Fail(Code::kTarget, "archives are written on Linux only: bake there", "an archive in memory");
}

Result<std::unique_ptr<FileSink>> MakeFolder(const std::string& path, std::int64_t /*time_unix*/,
                                             const MayReplace& /*may_replace*/) {
  return Fail(Code::kTarget,
              "payloads of several nodes are written on Linux only: bake there, or bake for one node at a time", path);
}

Result<std::unique_ptr<ArchiveFolder>> MakeArchiveFolder(const std::string& path, const ArchiveOptions& /*options*/) {
  return Fail(Code::kTarget, "drives are written on Linux only: bake there", path);
}

}  // namespace prov::images
