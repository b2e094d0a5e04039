#include "provisioner/publish/trust_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/publish/go_pem.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/request_uri.h"
#include "provisioner/publish/yaml_writer.h"

namespace prov::publish {
namespace {

constexpr std::size_t kMostPem = std::size_t{16} << 20U;
constexpr std::size_t kMostCertificates = 20'000;

// Whether the text is an object: JSON, or YAML, which has these keys at the start of a line and an indented bundle.
bool IsObject(std::string_view bytes) {
  if (TrimBlanks(bytes).starts_with('{')) return true;
  if (bytes.starts_with("-----BEGIN ") || bytes.find("\n-----BEGIN ") != std::string_view::npos) return false;
  for (const std::string_view key : {"apiVersion:", "kind:", "data:"}) {
    if (bytes.starts_with(key) || bytes.find(fmt::format("\n{}", key)) != std::string_view::npos) return true;
  }
  return false;
}

using Certificates = std::expected<std::vector<pki::Certificate>, std::string>;

Certificates ReadCertificates(std::string_view text) {
  std::vector<pki::Certificate> out;
  GoPemReader reader(text);
  while (const auto block = reader.Next()) {
    if (block->type != "CERTIFICATE" || block->has_headers) continue;
    auto certificate = pki::ParseCertificate(block->bytes, {});
    if (!certificate) return std::unexpected(std::move(certificate).error().message);
    if (out.size() == kMostCertificates)
      return std::unexpected(fmt::format("more than {} certificates", kMostCertificates));
    out.push_back(*std::move(certificate));
  }
  if (out.empty()) return std::unexpected("could not read any certificates");
  return out;
}

constexpr std::string_view kPemBegin = "-----BEGIN ";
constexpr std::string_view kKey = "PRIVATE KEY-----";
constexpr std::size_t kLongestLabel = 80;  // including the dashes before it

// The start of a private key's BEGIN marker; npos if there is none.
std::size_t FindKey(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kKey, from); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    const std::size_t start = at - std::min(at - from, kLongestLabel);
    const std::string_view before = text.substr(start, at - start);
    const std::size_t begin = before.rfind(kPemBegin);
    if (begin != std::string_view::npos && before.find('\n', begin) == std::string_view::npos) return start + begin;
  }
  return std::string_view::npos;
}

}  // namespace

Result<BundleSource> ReadBundleSource(std::string bytes, const std::string& where) {
  BundleSource out;
  out.where = where;
  if (!IsObject(bytes)) {
    if (bytes.size() > kMostPem)
      return Fail(Code::kTooLarge, fmt::format("has {} bytes, more than {}", bytes.size(), kMostPem), where);
    out.text = std::move(bytes);
    return out;
  }
  const Object object = PROV_TRY(ReadObject(std::move(bytes), where, "ConfigMap", ""));
  const source::ObjectView view = ViewOf(object);
  out.is_config_map = true;
  if (const auto metadata = PROV_TRY(view.Object("metadata"))) {
    out.name = PROV_TRY(metadata->TextOr("name", ""));
    out.name_space = PROV_TRY(metadata->TextOr("namespace", ""));
  }
  const auto data = PROV_TRY(view.Object("data"));
  if (!data) return out;
  out.where = data->At(kBundleKey);
  if (const auto text = PROV_TRY(data->Text(kBundleKey))) out.text = std::string(*text);
  return out;
}

Certificates CheckBundle(const BundleSource& source, std::string_view name) {
  const std::string config_map = GoQuote(ShownUri(name));
  if (!source.text) return std::unexpected(fmt::format("ConfigMap {} is missing \"{}\"", config_map, kBundleKey));
  if (source.text->empty())
    return std::unexpected(fmt::format("data key \"{}\" is empty from ConfigMap {}", kBundleKey, config_map));
  auto certificates = ReadCertificates(*source.text);
  if (certificates) return certificates;
  return std::unexpected(
      fmt::format("failed parsing certificate data from ConfigMap {}: {}", config_map, certificates.error()));
}

Result<std::string> WithoutPrivateKeys(std::string_view text, std::string_view where, Findings& findings) {
  std::string out;
  std::size_t kept = 0;
  std::size_t keys = 0;
  for (std::size_t begin = FindKey(text, 0); begin != std::string_view::npos; begin = FindKey(text, kept)) {
    const std::size_t label = begin + kPemBegin.size();
    const std::string_view name = text.substr(label, text.find("-----", label) - label);
    const std::string marker = fmt::format("-----END {}-----", name);
    const std::size_t end = text.find(marker, label);
    if (end == std::string_view::npos) {
      return Fail(Code::kCert, "a private key is in the bundle and its block has no end; remove it and replace the key",
                  std::string(where));
    }
    out += text.substr(kept, begin - kept);
    kept = end + marker.size();
    if (text.substr(kept).starts_with("\r\n")) ++kept;
    if (text.substr(kept).starts_with('\n')) ++kept;
    ++keys;
  }
  out += text.substr(kept);
  if (out.find("PRIVATE KEY--") != std::string::npos) {
    return Fail(Code::kCert, "a damaged private key is in the bundle; remove it and replace the key",
                std::string(where));
  }
  if (keys > 0) {
    AddWarning(findings, "private-key",
               fmt::format("{} private key(s) in the bundle were left out; whoever reads the bundle has them: remove "
                           "them there and replace them",
                           keys),
               std::string(where));
  }
  return out;
}

std::string MergeBundles(const std::optional<std::string>& user, const std::optional<std::string>& system) {
  if (!user) return system.value_or("");
  if (!system) return *user;
  return fmt::format("{}\n{}", *user, *system);
}

std::string RenderTrustConfigMap(std::string_view bundle) {
  rapidjson::Document object(rapidjson::kObjectType);
  auto& memory = object.GetAllocator();
  JsonValue metadata(rapidjson::kObjectType);
  SetMember(metadata, "name", JsonReference(kMergedBundle), memory);
  SetMember(metadata, "namespace", JsonReference(kManagedNamespace), memory);
  JsonValue data(rapidjson::kObjectType);
  SetMember(data, kBundleKey, JsonReference(bundle), memory);
  object.AddMember("apiVersion", "v1", memory).AddMember("kind", "ConfigMap", memory);
  object.AddMember("metadata", metadata, memory).AddMember("data", data, memory);
  return WriteYaml(object);
}

}  // namespace prov::publish
