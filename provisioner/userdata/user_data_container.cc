#include "provisioner/userdata/user_data_container.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/finding.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/operations.h"
#include "provisioner/reconcile/options_json.h"

namespace prov::userdata {
namespace {

constexpr std::string_view kExtension = ".egress";
constexpr std::string_view kHashMark = "#sha256=";
constexpr std::size_t kSha256Digits = 64;
constexpr std::string_view kCertificate = "certificate";  // the kind of operations

// Removes the blanks between the tokens of JSON.
std::string Compact(std::string_view json) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!quoted && (c == ' ' || c == '\n')) continue;
    out += c;
    if (quoted && c == '\\') {
      out += json[++i];
    } else if (c == '"') {
      quoted = !quoted;
    }
  }
  return out;
}

// Writes only the choices that differ from the defaults.
void WriteChoices(JsonWriter& json, const reconcile::DesiredState& state) {
  payload::WriteScopeOfScript(json, state);
  const reconcile::DesiredOptions defaults;
  if (state.credentials != defaults.credentials) json.Member("credentials", reconcile::NameOf(state.credentials));
  if (!state.trusted.empty()) json.Strings("trusted", state.trusted);
  if (state.win_http_octets) json.Member("winHttpOctets", true);
  if (state.hns) reconcile::WritePodPolicies(json.Key("hns"), *state.hns);
}

// The stores of the bundle's certificates, one letter each, in the bundle's order.
std::string StoresOf(const reconcile::DesiredState& state) {
  std::string out;
  for (const reconcile::CertificateItem& item : state.certificates) {
    out += item.store == pki::Store::kRoot ? 'R' : 'C';
  }
  return out;
}

void WriteDownload(JsonWriter& json, std::string_view key, const std::optional<Download>& download) {
  if (!download) return;
  json.Member(key, download->url).Member(fmt::format("{}Sha256", key), download->sha256);
}

Result<void> ReadSourceInfo(const JsonNode& node, egress::SourceInfo& out) {
  const std::vector<JsonNode> items = PROV_TRY(node.Items());
  if (items.size() != 3) return node.Refuse(Code::kType, "is not kind, name and version");
  out = {PROV_TRY(items[0].Text()), PROV_TRY(items[1].Text()), PROV_TRY(items[2].Text())};
  return {};
}

Result<std::vector<pki::Certificate>> ReadCertificates(const JsonNode& operations, std::string_view where) {
  std::vector<pki::Certificate> out;
  for (const JsonNode& operation : PROV_TRY(operations.Items())) {
    if (PROV_TRY(operation.Get("kind", &JsonNode::Text)) != kCertificate) continue;
    const std::string der = PROV_TRY(operation.Get("value", &JsonNode::Bytes));
    out.push_back(PROV_TRY(pki::ParseCertificate(der, where)));
  }
  return out;
}

// Settings in scope were present in the source; their place there is not kept.
egress::SourceFile Stated(bool in_scope, bool left_out) {
  return {"user data", in_scope, "", 0, 0, left_out && !in_scope};
}

}  // namespace

Result<Download> ParseDownload(std::string_view text, std::string_view where) {
  const std::size_t mark = text.rfind(kHashMark);
  if (mark == std::string_view::npos) {
    return Fail(Code::kHashSpec,
                "has no digest: what comes over a network is run or trusted only if it is known; add "
                "#sha256= and the file's SHA-256, as sha256sum prints it",
                std::string(where));
  }
  Download out{std::string(text.substr(0, mark)), AsciiLower(text.substr(mark + kHashMark.size()))};
  if (out.sha256.size() != kSha256Digits || !FromHex(out.sha256)) {
    return Fail(Code::kHashSpec, "does not end in the 64 hexadecimal digits of a SHA-256", std::string(where));
  }
  const std::string lower = AsciiLower(out.url);
  const bool known = lower.starts_with("http://") || lower.starts_with("https://");
  const bool plain = std::ranges::all_of(out.url, [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\''; });
  if (!known || !plain || out.url.find('#') != std::string::npos || out.url.size() == lower.find("://") + 3) {
    return Fail(Code::kUsage,
                "takes an http or https URL of printable ASCII without blanks, quotes and fragment, then "
                "#sha256= and a digest",
                std::string(where));
  }
  const std::size_t host = out.url.find("://") + 3;
  if (out.url.substr(host, out.url.find('/', host) - host).find('@') != std::string::npos) {
    return Fail(Code::kUsage, "may hold no user and password: everybody who can read the user data would have them",
                std::string(where));
  }
  return out;
}

std::string MakeContainer(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                          const ContainerOptions& options) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("userData", true).Member("generation", options.generation);
  json.Key("source").BeginArray().String(config.source.kind).String(config.source.name);
  json.String(config.source.ignition_version).EndArray();
  WriteChoices(json, state);
  payload::WriteRegistries(json, config, state);
  payload::WriteProxy(json, config, state);
  json.Key("services").BeginArray();
  for (const reconcile::ServiceEnvironment& service : state.services) json.String(service.service);
  json.EndArray();
  if (options.bundle) json.Member("stores", StoresOf(state));
  WriteDownload(json, "exe", options.exe);
  WriteDownload(json, "bundle", options.bundle);
  if (options.later) json.Member("later", true);
  payload::WriteOperations(json, config, state, {.equal_as_null = true, .certificates = !options.bundle});
  return Compact(json.EndObject().Text());
}

std::pair<std::size_t, std::size_t> CertificatesIn(std::string_view container) {
  const std::string mark = fmt::format(R"({{"kind":"{}")", kCertificate);
  const std::size_t first = container.find(mark);
  if (first == std::string_view::npos) return {0, 0};
  return {first, container.find('}', container.rfind(mark)) + 1};
}

bool IsContainerName(std::string_view path) { return path.ends_with(kExtension); }

Result<payload::EgressDocument> ReadContainer(std::string_view bytes, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(bytes, where));
  PROV_TRY(root.Get("userData", &JsonNode::Bool));
  payload::EgressDocument out;
  out.generation = PROV_TRY(root.Get("generation", &JsonNode::Integer));
  PROV_TRY(ReadSourceInfo(PROV_TRY(root.Get("source")), out.config.source));
  out.options = PROV_TRY(reconcile::ReadOptions(root));
  PROV_TRY(payload::ReadProxy(PROV_TRY(root.Get("proxy")), out.config));
  PROV_TRY(payload::ReadRegistries(root, out.config));
  reconcile::Scope& scope = out.options.scope;
  const reconcile::Scope left_out =
      PROV_TRY(root.Find("leftOut", reconcile::ReadScope)).value_or(reconcile::Scope::None());
  out.config.proxy_file = Stated(scope.TakesProxy(), left_out.TakesProxy());
  out.config.certificates = PROV_TRY(ReadCertificates(PROV_TRY(root.Get("operations")), where));
  const std::string stores = PROV_TRY(root.Find("stores", &JsonNode::Text)).value_or("");
  const bool elsewhere = !stores.empty() && out.config.certificates.empty();
  // The scope is what the script takes back; certificates that are only added are not in it.
  out.config.not_read.trust = elsewhere || (!scope.certificates && !out.config.certificates.empty());
  scope.certificates = scope.certificates || out.config.not_read.trust;
  out.config.trust_file = Stated(scope.certificates && !elsewhere, left_out.certificates);
  if (elsewhere) {
    out.config.not_read.trust_place = fmt::format("{}: $.bundle", where);
    AddWarning(out.config.findings, "not-read",
               fmt::format("the {} certificate(s) of this user data are at a URL, which only its script fetches, so "
                           "they are not read, and none is removed; the source that was baked has them",
                           stores.size()),
               out.config.not_read.trust_place);
  }
  return out;
}

}  // namespace prov::userdata
