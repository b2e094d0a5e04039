#include "provisioner/pull/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::pull {
namespace {

constexpr std::string_view kSha256 = "sha256:", kSha512 = "sha512:";

Result<Descriptor> ReadDescriptor(const JsonNode& node) {
  Descriptor out;
  out.digest = PROV_TRY(node.Get("digest", &JsonNode::Text));
  if (!IsDigest(out.digest)) return node.Refuse(Code::kInvalidConfig, "has a malformed digest");
  out.media_type = PROV_TRY(node.Find("mediaType", &JsonNode::Text)).value_or("");
  out.size = PROV_TRY(node.Find("size", &JsonNode::Integer)).value_or(0);
  if (const auto urls = PROV_TRY(node.Find("urls"))) out.urls = PROV_TRY(urls->Texts());
  if (const auto platform = PROV_TRY(node.Find("platform"))) {
    const auto text = [&](std::string_view name) -> Result<std::string> {
      return PROV_TRY(platform->Find(name, &JsonNode::Text)).value_or("");
    };
    out.os = PROV_TRY(text("os"));
    out.architecture = PROV_TRY(text("architecture"));
    out.variant = PROV_TRY(text("variant"));
    out.os_version = PROV_TRY(text("os.version"));
  }
  return out;
}

Result<std::vector<Descriptor>> ReadDescriptors(const JsonNode& list) {
  std::vector<Descriptor> out;
  for (const JsonNode& one : PROV_TRY(list.Items())) out.push_back(PROV_TRY(ReadDescriptor(one)));
  return out;
}

// The build of "10.0.20348.2113"; 0: the text has none.
unsigned BuildOf(std::string_view version) {
  const auto parts = Split(version, '.');
  unsigned out = 0;
  if (parts.size() > 2) std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), out);
  return out;
}

}  // namespace

bool IsDigest(std::string_view text) {
  const bool is_256 = text.starts_with(kSha256);
  if (!is_256 && !text.starts_with(kSha512)) return false;
  const std::string_view hex = text.substr(kSha256.size());
  return hex.size() == (is_256 ? 64U : 128U) && hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool HasDigest(std::string_view bytes, std::string_view digest) {
  const bool is_256 = digest.starts_with(kSha256);
  return digest.substr(kSha256.size()) == ToHex(is_256 ? Sha256(bytes) : Sha512(bytes));
}

bool IsIndexType(std::string_view media_type) {
  return media_type == "application/vnd.docker.distribution.manifest.list.v2+json" ||
         media_type == "application/vnd.oci.image.index.v1+json";
}

bool IsManifestType(std::string_view media_type) {
  return media_type == "application/vnd.docker.distribution.manifest.v2+json" ||
         media_type == "application/vnd.oci.image.manifest.v1+json";
}

Result<Manifest> ParseManifest(std::string_view text, std::string_view media_type, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(text, where));
  Manifest out;
  const std::string own = PROV_TRY(root.Find("mediaType", &JsonNode::Text)).value_or("");
  const bool has_index = PROV_TRY(root.Find("manifests")) || IsIndexType(own);
  const bool has_manifest = PROV_TRY(root.Find("layers")) || PROV_TRY(root.Find("config")) || IsManifestType(own);
  if (IsManifestType(media_type) && has_index)
    return root.Refuse(Code::kInvalidConfig, "is an index, and the registry calls it a manifest");
  if (IsIndexType(media_type) && has_manifest)
    return root.Refuse(Code::kInvalidConfig, "is a manifest, and the registry calls it an index");
  if (const auto entries = PROV_TRY(root.Find("manifests"))) {
    out.index = true;
    out.entries = PROV_TRY(ReadDescriptors(*entries));
    return out;
  }
  const auto config = PROV_TRY(root.Find("config"));
  const auto layers = PROV_TRY(root.Find("layers"));
  if (!config || !layers) return root.Refuse(Code::kInvalidConfig, "is neither an index nor a manifest of an image");
  out.config = PROV_TRY(ReadDescriptor(*config));
  out.layers = PROV_TRY(ReadDescriptors(*layers));
  return out;
}

Result<Platform> ParsePlatform(std::string_view text, const std::string& where) {
  const auto parts = Split(text, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
    return Fail(Code::kUsage, fmt::format("takes OS/ARCHITECTURE, such as windows/amd64, not \"{}\"", Shorten(text)),
                where);
  return Platform{std::string(parts[0]), std::string(parts[1]), ""};
}

std::vector<Descriptor> EntriesFor(const Manifest& index, const Platform& platform) {
  constexpr unsigned kServer2022 = 20348, kServer2025 = 26100;
  const unsigned build = BuildOf(platform.os_version);
  const unsigned oldest = build > kServer2025 ? kServer2025 : build >= kServer2022 ? kServer2022 : build;
  std::vector<Descriptor> out, last;
  for (const Descriptor& one : index.entries) {
    if (one.os.empty() && one.architecture.empty()) {
      last.push_back(one);
    } else if (one.os == platform.os && one.architecture == platform.architecture) {
      const unsigned own = BuildOf(one.os_version);
      if (build == 0 || own == 0 || (own >= oldest && own <= build)) out.push_back(one);
    }
  }
  out.insert(out.end(), last.begin(), last.end());
  return out;
}

std::string DescribeEntry(const Descriptor& entry) {
  return fmt::format("{}/{}{}{}", Shorten(entry.os), Shorten(entry.architecture), entry.os_version.empty() ? "" : " ",
                     Shorten(entry.os_version));
}

std::string DescribeEntries(const Manifest& index) {
  constexpr std::size_t kMostShown = 10;
  std::vector<std::string> out;
  std::size_t found = 0;
  for (const Descriptor& one : index.entries) {
    if (one.os.empty() || one.os == "unknown") continue;  // attestations
    if (++found > kMostShown) continue;
    out.push_back(DescribeEntry(one));
  }
  if (out.empty()) return "nothing";
  return fmt::format("{}{}", fmt::join(out, ", "),
                     found > kMostShown ? fmt::format(" and {} more", found - kMostShown) : "");
}

}  // namespace prov::pull
