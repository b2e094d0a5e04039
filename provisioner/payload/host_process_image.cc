#include "provisioner/payload/host_process_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "images/archive/archive.h"
#include "images/registry/hive_writer.h"
#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

constexpr std::string_view kIndexType = "application/vnd.oci.image.index.v1+json";
constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfigType = "application/vnd.oci.image.config.v1+json";
constexpr std::string_view kLayerType = "application/vnd.oci.image.layer.v1.tar+gzip";

constexpr std::string_view kProgram = "provisioner.exe";

struct Blob {
  std::string_view type;
  std::string bytes;

  std::string Hex() const { return ToHex(Sha256(bytes)); }
  std::string Digest() const { return "sha256:" + Hex(); }
};

void WriteDescriptor(JsonWriter& json, const Blob& blob) {
  json.Member("mediaType", blob.type).Member("digest", blob.Digest()).Member("size", blob.bytes.size());
}

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

// Has no os.version: with it, only nodes of the same Windows build would accept the image.
std::string ConfigJson(const ProgramFile& program, const std::string& diff_id, std::int64_t time_unix) {
  JsonWriter json;
  json.BeginObject().Member("created", FormatUtc(time_unix)).Member("architecture", ArchitectureOf(program));
  json.Member("os", "windows").Key("config").BeginObject();
  json.Key("Entrypoint").BeginArray().String(ProgramInContainer()).EndArray();
  json.Key("Labels").BeginObject().Member("org.opencontainers.image.title", "provisioner");
  json.Member("org.opencontainers.image.version", program.version).EndObject().EndObject();
  json.Key("rootfs").BeginObject().Member("type", "layers");
  json.Key("diff_ids").BeginArray().String(diff_id).EndArray().EndObject();
  json.Key("history").BeginArray().BeginObject().Member("created", FormatUtc(time_unix));
  json.Member("created_by", fmt::format("provisioner {}", program.version)).EndObject().EndArray();
  return json.EndObject().Text();
}

std::string ManifestJson(const Blob& config, const Blob& layer) {
  JsonWriter json;
  json.BeginObject().Member("schemaVersion", 2).Member("mediaType", kManifestType);
  json.Key("config").BeginObject();
  WriteDescriptor(json, config);
  json.EndObject().Key("layers").BeginArray().BeginObject();
  WriteDescriptor(json, layer);
  return json.EndObject().EndArray().EndObject().Text();
}

std::string IndexJson(const Blob& manifest, const ProgramFile& program) {
  JsonWriter json;
  json.BeginObject().Member("schemaVersion", 2).Member("mediaType", kIndexType);
  json.Key("manifests").BeginArray().BeginObject();
  WriteDescriptor(json, manifest);
  json.Key("platform").BeginObject().Member("architecture", ArchitectureOf(program)).Member("os", "windows");
  json.EndObject().Key("annotations").BeginObject();
  json.Member("org.opencontainers.image.ref.name", program.version).EndObject();
  return json.EndObject().EndArray().EndObject().Text();
}

}  // namespace

std::string ProgramInContainer() { return fmt::format(R"(%CONTAINER_SANDBOX_MOUNT_POINT%\{})", kProgram); }

Result<HostProcessImage> MakeHostProcessImage(const ProgramFile& program, std::int64_t time_unix) {
  HostProcessImage out;
  out.architecture = ArchitectureOf(program);
  out.layer = PROV_TRY(LayerFiles(program));
  const std::string diff_id =
      "sha256:" + ToHex(Sha256(PROV_TRY(LayerBytes(out.layer, images::ArchiveFormat::kTar, time_unix))));
  const Blob layer{kLayerType, PROV_TRY(LayerBytes(out.layer, images::ArchiveFormat::kTgz, time_unix))};
  const Blob config{kConfigType, ConfigJson(program, diff_id, time_unix)};
  const Blob manifest{kManifestType, ManifestJson(config, layer)};
  out.digest = manifest.Digest();
  for (const Blob* blob : {&layer, &config, &manifest})
    out.files.push_back({"blobs/sha256/" + blob->Hex(), blob->bytes});
  std::ranges::sort(out.files, {}, &ImageFile::path);
  out.files.push_back({"index.json", IndexJson(manifest, program)});
  out.files.push_back({"oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}\n"});
  return out;
}

Result<void> WriteHostProcessImage(const HostProcessImage& image, const std::string& path, std::int64_t time_unix) {
  const auto sink = PROV_TRY(images::MakeArchive(
      path, {.format = images::ArchiveFormat::kTar, .time_unix = time_unix, .first_entries = {"blobs/"}}));
  for (const ImageFile& file : image.files) PROV_TRY(sink->Add(file.path, file.bytes, 0644));
  return sink->Finish();
}

}  // namespace prov::payload
