#include "provisioner/payload/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

// In lower case.
Result<std::string> ParseDigest(const JsonNode& node) {
  const JsonNode digest = PROV_TRY(node.Get("sha256"));
  std::string out = AsciiLower(PROV_TRY(digest.Text()));
  if (out.size() != 64 || !FromHex(out)) return digest.Refuse(Code::kManifest, "is not a SHA-256 in hex");
  return out;
}

Result<PayloadOfNode> ParsePayload(const JsonNode& node) {
  return PayloadOfNode{PROV_TRY(node.Get("path", &JsonNode::Text)), PROV_TRY(ParseDigest(node))};
}

Result<ManifestEntry> ParseEntry(const JsonNode& node) {
  ManifestEntry entry;
  const JsonNode path = PROV_TRY(node.Get("path"));
  entry.path = PROV_TRY(path.Text());
  if (!IsSafeRelativePath(entry.path) || EqualsIgnoreAsciiCase(entry.path, kManifestName) ||
      EqualsIgnoreAsciiCase(entry.path, kSignaturePath)) {
    return path.Refuse(Code::kManifest, "is not the path of a file within a payload; nothing of it was used");
  }
  entry.sha256 = PROV_TRY(ParseDigest(node));
  const JsonNode bytes = PROV_TRY(node.Get("bytes"));
  const std::int64_t size = PROV_TRY(bytes.Integer());
  if (size < 0) return bytes.Refuse(Code::kManifest, "is not a size");
  entry.bytes = static_cast<std::uint64_t>(size);
  entry.secret = PROV_TRY(node.Find("secret", &JsonNode::Bool)).value_or(false);
  return entry;
}

std::string InPayload(std::string_view where, std::string_view path) { return fmt::format("{}: {}", where, path); }

}  // namespace

std::string ManifestJson(const std::vector<PayloadFile>& files, const ManifestHead& head) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", head.generation);
  if (!head.cluster.empty()) json.Member("for", head.cluster);
  if (!head.node.empty()) json.Member("node", head.node);
  if (!head.payload.path.empty()) {
    json.Key("payload").BeginObject().Member("path", head.payload.path);
    json.Member("sha256", head.payload.sha256).EndObject();
  }
  json.Key("files").BeginArray();
  for (const PayloadFile& file : files) {
    json.BeginObject().Member("path", file.path).Member("sha256", ToHex(Sha256(file.bytes)));
    json.Member("bytes", file.bytes.size()).Member("mode", fmt::format("{:04o}", file.Mode()));
    json.Member("secret", file.secret).Member("purpose", file.purpose).EndObject();
  }
  return json.EndArray().EndObject().Text();
}

void AddManifest(std::vector<PayloadFile>& files, const ManifestHead& head) {
  std::ranges::sort(files, {}, &PayloadFile::path);
  PayloadFile manifest{std::string(kManifestName), ManifestJson(files, head), false, "this list"};
  files.insert(std::ranges::upper_bound(files, manifest.path, {}, &PayloadFile::path), std::move(manifest));
}

Result<Manifest> ParseManifest(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  Manifest out;
  out.generation = PROV_TRY(root.Get("generation", &JsonNode::Integer));
  out.cluster = PROV_TRY(root.Find("for", &JsonNode::Text)).value_or("");
  out.node = PROV_TRY(root.Find("node", &JsonNode::Text)).value_or("");
  if (!out.node.empty()) out.payload = PROV_TRY(root.Find("payload", ParsePayload)).value_or(PayloadOfNode{});
  std::set<std::string> seen;  // in lower case: two names that differ in case are one file on Windows
  for (const JsonNode& node : PROV_TRY(root.Get("files", &JsonNode::Items))) {
    ManifestEntry entry = PROV_TRY(ParseEntry(node));
    if (!seen.insert(AsciiLower(entry.path)).second) {
      return node.Refuse(Code::kManifest, fmt::format("{} is listed twice", entry.path));
    }
    out.files.push_back(std::move(entry));
  }
  return out;
}

Result<void> CheckDigests(const PayloadBytes& files, const Manifest& manifest, std::string_view where) {
  for (const ManifestEntry& entry : manifest.files) {
    const auto file = files.find(entry.path);
    if (file == files.end()) {
      return Fail(Code::kManifest, "is missing; bake the payload again", InPayload(where, entry.path));
    }
    if (file->second.size() != entry.bytes || ToHex(Sha256(file->second)) != entry.sha256) {
      return Fail(
          Code::kManifest,
          "was changed after it was baked (its SHA-256 is not the manifest's): bake the payload again, and find "
          "out who changed it",
          InPayload(where, entry.path));
    }
  }
  return {};
}

}  // namespace prov::payload
