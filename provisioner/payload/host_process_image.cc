#include "provisioner/payload/host_process_image.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "images/archive/archive.h"
#include "images/registry/hive_writer.h"

namespace prov::payload {
namespace {

constexpr std::string_view kProgram = "provisioner.exe";

// The architecture as images name it, which differs from answer files.
std::string ArchitectureOf(const ProgramFile& program) {
  return program.architecture == "x86" ? "386" : program.architecture;
}

// The files of a Windows base layer: its folder Files is the root of a container's files. Windows looks for the five
// hives when it unpacks the layer, and Server 2025 reads them.
Result<std::vector<ImageFile>> LayerFiles(const ProgramFile& program) {
  constexpr std::array<std::string_view, 5> kHives = {"DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"};
  std::vector<ImageFile> out;
  for (const std::string_view name : kHives) {
    images::HiveOptions options;
    options.file_name = name;
    out.push_back({fmt::format("Windows/System32/config/{}", name), PROV_TRY(images::WriteHive({}, options))});
  }
  out.push_back({std::string(kProgram), program.bytes});
  return out;
}

Result<std::string> LayerBytes(const std::vector<ImageFile>& files, images::ArchiveFormat format,
                               std::int64_t time_unix) {
  std::string out;
  const auto sink = PROV_TRY(images::MakeArchiveIn(out, {.format = format, .time_unix = time_unix}));
  for (const ImageFile& file : files) PROV_TRY(sink->Add("Files/" + file.path, file.bytes, 0755));
  PROV_TRY(sink->Finish());
  return out;
}

}  // namespace

std::string ProgramInContainer() { return fmt::format(R"(%CONTAINER_SANDBOX_MOUNT_POINT%\{})", kProgram); }

Result<HostProcessImage> MakeHostProcessImage(const ProgramFile& program, std::int64_t time_unix,
                                              const std::map<std::string, std::string>& annotations) {
  HostProcessImage out;
  out.architecture = ArchitectureOf(program);
  out.layer = PROV_TRY(LayerFiles(program));
  std::string tar_digest = DigestOf(PROV_TRY(LayerBytes(out.layer, images::ArchiveFormat::kTar, time_unix)));
  static_cast<OciImage&>(out) =
      MakeOciImage({.os = "windows",
                    .architecture = out.architecture,
                    .version = program.version,
                    .entrypoint = ProgramInContainer(),
                    .annotations = annotations},
                   {.media_type = "application/vnd.oci.image.layer.v1.tar+gzip",
                    .bytes = PROV_TRY(LayerBytes(out.layer, images::ArchiveFormat::kTgz, time_unix)),
                    .tar_digest = std::move(tar_digest)},
                   time_unix);
  return out;
}

}  // namespace prov::payload
