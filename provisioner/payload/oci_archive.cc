#include "provisioner/payload/oci_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "images/archive/archive.h"
#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

constexpr std::string_view kIndexType = "application/vnd.oci.image.index.v1+json";
constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfigType = "application/vnd.oci.image.config.v1+json";

struct Blob {
  std::string_view type;
  std::string bytes;

  std::string Path() const { return "blobs/sha256/" + ToHex(Sha256(bytes)); }
};

void WriteDescriptor(JsonWriter& json, const Blob& blob) {
  json.Member("mediaType", blob.type).Member("digest", DigestOf(blob.bytes)).Member("size", blob.bytes.size());
}

// The same as labels, which engines show, and as annotations, which registries show.
std::map<std::string, std::string> Annotations(const OciDescription& description) {
  std::map<std::string, std::string> out = description.annotations;
  out.emplace("org.opencontainers.image.title", "provisioner");
  out.emplace("org.opencontainers.image.version", description.version);
  out.emplace("org.opencontainers.image.licenses", "Apache-2.0");
  return out;
}

void WriteAnnotations(JsonWriter& json, std::string_view key, const OciDescription& description) {
  json.Key(key).BeginObject();
  for (const auto& [name, value] : Annotations(description)) json.Member(name, value);
  json.EndObject();
}

// Has no os.version: with it, only nodes of the same Windows build would accept the image.
std::string ConfigJson(const OciDescription& description, const std::string& tar_digest, std::int64_t time_unix) {
  JsonWriter json;
  json.BeginObject().Member("created", FormatUtc(time_unix)).Member("architecture", description.architecture);
  json.Member("os", description.os).Key("config").BeginObject();
  if (!description.user.empty()) json.Member("User", description.user);
  json.Key("Entrypoint").BeginArray().String(description.entrypoint).EndArray();
  WriteAnnotations(json, "Labels", description);
  json.EndObject().Key("rootfs").BeginObject().Member("type", "layers");
  json.Key("diff_ids").BeginArray().String(tar_digest).EndArray().EndObject();
  json.Key("history").BeginArray().BeginObject().Member("created", FormatUtc(time_unix));
  json.Member("created_by", fmt::format("provisioner {}", description.version)).EndObject().EndArray();
  return json.EndObject().Text();
}

std::string ManifestJson(const OciDescription& description, const Blob& config, const Blob& layer) {
  JsonWriter json;
  json.BeginObject().Member("schemaVersion", 2).Member("mediaType", kManifestType);
  json.Key("config").BeginObject();
  WriteDescriptor(json, config);
  json.EndObject().Key("layers").BeginArray().BeginObject();
  WriteDescriptor(json, layer);
  json.EndObject().EndArray();
  WriteAnnotations(json, "annotations", description);
  return json.EndObject().Text();
}

std::string IndexJson(const OciDescription& description, const Blob& manifest) {
  JsonWriter json;
  json.BeginObject().Member("schemaVersion", 2).Member("mediaType", kIndexType);
  json.Key("manifests").BeginArray().BeginObject();
  WriteDescriptor(json, manifest);
  json.Key("platform").BeginObject().Member("architecture", description.architecture);
  json.Member("os", description.os).EndObject().Key("annotations").BeginObject();
  json.Member("org.opencontainers.image.ref.name", description.version).EndObject();
  return json.EndObject().EndArray().EndObject().Text();
}

}  // namespace

std::string DigestOf(std::string_view bytes) { return "sha256:" + ToHex(Sha256(bytes)); }

OciImage MakeOciImage(const OciDescription& description, OciLayer given, std::int64_t time_unix) {
  Blob layer{given.media_type, std::move(given.bytes)};
  Blob config{kConfigType, ConfigJson(description, given.tar_digest, time_unix)};
  Blob manifest{kManifestType, ManifestJson(description, config, layer)};
  const std::string index = IndexJson(description, manifest);
  OciImage out;
  out.digest = DigestOf(manifest.bytes);
  out.files.reserve(5);
  for (Blob* blob : {&layer, &config, &manifest}) {
    std::string path = blob->Path();
    out.files.push_back({std::move(path), std::move(blob->bytes)});
  }
  std::ranges::sort(out.files, {}, &ImageFile::path);
  out.files.push_back({"index.json", index});
  out.files.push_back({"oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}\n"});
  return out;
}

Result<void> WriteOciImage(const std::vector<ImageFile>& files, const std::string& path, std::int64_t time_unix) {
  const auto sink = PROV_TRY(images::MakeArchive(
      path, {.format = images::ArchiveFormat::kTar, .time_unix = time_unix, .first_entries = {"blobs/"}}));
  for (const ImageFile& file : files) PROV_TRY(sink->Add(file.path, file.bytes, 0644));
  return sink->Finish();
}

}  // namespace prov::payload
