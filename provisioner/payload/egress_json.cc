#include "provisioner/payload/egress_json.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/options_json.h"
#include "provisioner/registries/mirrors_json.h"

namespace prov::payload {
namespace {

// Leaves the object open.
JsonWriter& BeginFile(JsonWriter& json, std::string_view key, const egress::SourceFile& file, bool in_scope) {
  json.Key(key).BeginObject().Member("path", file.path).Member("present", file.present && in_scope);
  if (file.left_out || (file.present && !in_scope)) json.Member("leftOut", true);
  return json.Member("sha256", file.sha256)
      .Member("bytes", file.bytes)
      .Member("mode", fmt::format("{:04o}", file.mode));
}

// The URL as the source has it, with its credentials only if some item of the state holds them, too.
std::string StoredUrl(const Secret& url, egress::ProxyVariable variable, bool with_credentials) {
  Findings ignored;
  const auto parsed = egress::ParseProxyUrl(url, variable, {}, ignored);
  if (!parsed) return url.Reveal();
  return (with_credentials ? parsed->Text() : parsed->WithoutCredentials()).Reveal();
}

void WriteCertificates(JsonWriter& json, const std::vector<reconcile::CertificateItem>& items) {
  json.Key("certificates").BeginArray();
  for (const reconcile::CertificateItem& item : items) {
    const pki::Certificate& c = item.certificate;
    json.BeginObject().Member("store", pki::NameOf(item.store)).Member("sha1", c.sha1).Member("sha256", c.sha256);
    json.Member("subject", c.subject).Member("notAfter", c.not_after).Member("file", CertificatePath(item)).EndObject();
  }
  json.EndArray();
}

constexpr std::string_view kEgress = "egress.json";

Result<unsigned> ReadMode(const JsonNode& node) {
  const std::string text = PROV_TRY(node.Text());
  unsigned mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || text.size() > 5) return node.Refuse(Code::kType, "is not a file mode in octal");
    mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  return mode;
}

Result<egress::SourceFile> ReadSourceFile(const JsonNode& node) {
  egress::SourceFile file;
  file.path = PROV_TRY(node.Get("path", &JsonNode::Text));
  file.present = PROV_TRY(node.Get("present", &JsonNode::Bool));
  file.left_out = PROV_TRY(node.Find("leftOut", &JsonNode::Bool)).value_or(false);
  file.sha256 = PROV_TRY(node.Get("sha256", &JsonNode::Text));
  const JsonNode bytes = PROV_TRY(node.Get("bytes"));
  const std::int64_t size = PROV_TRY(bytes.Integer());
  if (size < 0) return bytes.Refuse(Code::kType, "is not a size");
  file.bytes = static_cast<std::size_t>(size);
  file.mode = PROV_TRY(node.Get("mode", ReadMode));
  return file;
}

Result<void> ReadSourceInfo(const JsonNode& node, egress::SourceInfo& out) {
  out.kind = PROV_TRY(node.Get("kind", &JsonNode::Text));
  out.name = PROV_TRY(node.Get("name", &JsonNode::Text));
  out.ignition_version = PROV_TRY(node.Get("ignitionVersion", &JsonNode::Text));
  return {};
}

Result<pki::Certificate> ReadCertificate(const JsonNode& node, const PayloadBytes& files) {
  const JsonNode file = PROV_TRY(node.Get("file"));
  const std::string path = PROV_TRY(file.Text());
  const auto bytes = files.find(path);
  if (bytes == files.end()) return file.Refuse(Code::kManifest, "is not in the payload; bake it again");
  pki::Certificate certificate = PROV_TRY(pki::ParseCertificate(bytes->second, path));
  const JsonNode digest = PROV_TRY(node.Get("sha256"));
  if (PROV_TRY(digest.Text()) != certificate.sha256) {
    return digest.Refuse(Code::kManifest, fmt::format("is not that of {}; bake the payload again", path));
  }
  return certificate;
}

}  // namespace

std::optional<std::string> ProxyValue(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                                      std::string_view variable) {
  if (!state.scope.TakesProxy()) return std::nullopt;
  if (variable == "NO_PROXY") return config.no_proxy;
  const bool https = variable == egress::NameOf(egress::ProxyVariable::kHttps);
  const std::optional<Secret>& url = https ? config.https_proxy : config.http_proxy;
  if (!url) return std::nullopt;
  return StoredUrl(*url, https ? egress::ProxyVariable::kHttps : egress::ProxyVariable::kHttp, state.holds_credentials);
}

void WriteProxy(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state) {
  json.Key("proxy").BeginObject();
  for (const std::string_view name : egress::kProxyVariables) {
    if (const auto value = ProxyValue(config, state, name)) json.Member(name, *value);
  }
  json.EndObject();
}

std::string CertificatePath(const reconcile::CertificateItem& item) {
  return "trust/" + std::string(pki::NameOf(item.store)) + "/" + reconcile::Thumbprint(item.certificate) + ".cer";
}

std::string EgressJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                       std::int64_t generation) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", generation);
  json.Key("source").BeginObject().Member("kind", config.source.kind).Member("name", config.source.name);
  json.Member("ignitionVersion", config.source.ignition_version).EndObject();
  json.Strings("scope", state.scope.Names());
  json.Member("credentials", reconcile::NameOf(state.credentials));
  if (!state.trusted.empty()) json.Strings("trusted", state.trusted);
  json.Member("winHttpOctets", state.win_http_octets);
  egress::SourceFile proxy_file = config.proxy_file;
  proxy_file.present = egress::StatesProxy(config);
  BeginFile(json, "proxyFile", proxy_file, state.scope.TakesProxy()).EndObject();
  WriteProxy(json, config, state);
  BeginFile(json, "trustFile", config.trust_file, state.scope.certificates);
  if (state.only_adds_certificates) json.Member("complete", false);
  json.EndObject();
  json.Key("services").BeginArray();
  for (const reconcile::ServiceEnvironment& service : state.services) json.String(service.service);
  json.EndArray();
  WriteRegistries(json, config, state);
  if (state.hns) reconcile::WritePodPolicies(json.Key("hns"), *state.hns);
  WriteCertificates(json, state.certificates);
  return json.EndObject().Text();
}

void WriteRegistries(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state) {
  const bool all = state.stated_of_registries == reconcile::StatedOfRegistries::kAll;
  const bool left_out = (state.left_out.registries && all) || config.mirrors.left_out;
  if (!state.registry_folder && !left_out) return;
  json.Key("registries").BeginObject();
  if (state.registry_folder) json.Member("folder", *state.registry_folder);
  if (!state.registry_folder) json.Member("leftOut", true);
  // What could not be read is no statement, also when it is read again from here.
  if (state.scope.registries && state.registry_folder && !state.files_fault)
    registries::WriteMirrors(json.Key("mirrors"), reconcile::StoredMirrors(config, state));
  json.EndObject();
}

Result<void> ReadRegistries(const JsonNode& root, egress::EgressConfig& out) {
  const auto node = PROV_TRY(root.Find("registries"));
  if (!node) return {};
  if (auto mirrors = PROV_TRY(node->Find("mirrors", registries::ReadMirrors))) out.mirrors = *std::move(mirrors);
  out.mirrors.left_out = PROV_TRY(node->Find("leftOut", &JsonNode::Bool)).value_or(false);
  return {};
}

Result<void> ReadProxy(const JsonNode& node, egress::EgressConfig& out) {
  for (const auto& [name, value] : PROV_TRY(node.Members())) {
    std::string text = PROV_TRY(value.Text());
    if (name == "HTTP_PROXY") {
      out.http_proxy = Secret(std::move(text));
    } else if (name == "HTTPS_PROXY") {
      out.https_proxy = Secret(std::move(text));
    } else if (name == "NO_PROXY") {
      out.no_proxy = std::move(text);
    } else {
      return value.Refuse(Code::kType, "is none of HTTP_PROXY, HTTPS_PROXY, NO_PROXY");
    }
  }
  return {};
}

Result<EgressDocument> ReadEgressJson(const PayloadBytes& files, std::string_view where) {
  const auto text = files.find(kEgress);
  if (text == files.end())
    return Fail(Code::kManifest, "the payload has no egress.json; bake it again", std::string(where));
  const JsonNode root = PROV_TRY(ParseSchemaOne(text->second, fmt::format("{}: {}", where, kEgress)));
  EgressDocument out;
  out.generation = PROV_TRY(root.Get("generation", &JsonNode::Integer));
  PROV_TRY(ReadSourceInfo(PROV_TRY(root.Get("source")), out.config.source));
  for (const char* const needed : {"credentials", "winHttpOctets", "services"}) PROV_TRY(root.Get(needed));
  out.options = PROV_TRY(reconcile::ReadOptions(root));
  out.config.proxy_file = PROV_TRY(root.Get("proxyFile", ReadSourceFile));
  PROV_TRY(ReadProxy(PROV_TRY(root.Get("proxy")), out.config));
  PROV_TRY(ReadRegistries(root, out.config));
  const JsonNode trust = PROV_TRY(root.Get("trustFile"));
  out.config.trust_file = PROV_TRY(ReadSourceFile(trust));
  out.config.not_read.trust = !PROV_TRY(trust.Find("complete", &JsonNode::Bool)).value_or(true);
  for (const JsonNode& node : PROV_TRY(root.Get("certificates", &JsonNode::Items))) {
    out.config.certificates.push_back(PROV_TRY(ReadCertificate(node, files)));
  }
  return out;
}

}  // namespace prov::payload
