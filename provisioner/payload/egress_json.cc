#include "provisioner/payload/egress_json.h"

#include <fmt/format.h>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::payload {

void WriteVariables(JsonWriter& json, const std::vector<reconcile::EnvironmentVariable>& variables) {
  json.BeginObject();
  for (const reconcile::EnvironmentVariable& variable : variables) json.Member(variable.name, variable.value.Reveal());
  json.EndObject();
}

namespace {

void WriteServices(JsonWriter& json, const std::vector<reconcile::ServiceEnvironment>& services) {
  json.Key("services").BeginArray();
  for (const reconcile::ServiceEnvironment& service : services) {
    json.BeginObject().Member("name", service.service).Key("environment");
    WriteVariables(json, service.variables);
    json.EndObject();
  }
  json.EndArray();
}

void WriteWinHttp(JsonWriter& json, const std::optional<egress::WinHttpProxy>& proxy) {
  json.Key("winHttp");
  if (!proxy) {
    json.Null();
    return;
  }
  json.BeginObject().Member("proxy", proxy->proxy).Member("bypass", proxy->bypass);
  json.Member("settings", ToHex(reconcile::EncodeWinHttp({.proxy = *proxy}))).EndObject();
}

// For people and other readers; this program derives it from `proxy` again.
void WriteWinInet(JsonWriter& json, const reconcile::DesiredState& state) {
  if (!state.scope.win_inet) return;
  json.Key("winInet");
  if (!state.win_inet) {
    json.Null();
    return;
  }
  json.BeginObject().Member("proxy", state.win_inet->proxy).Member("bypass", state.win_inet->bypass).EndObject();
}

void WriteFile(JsonWriter& json, std::string_view key, const egress::SourceFile& file, bool in_scope) {
  json.Key(key).BeginObject().Member("path", file.path).Member("present", file.present && in_scope);
  json.Member("sha256", file.sha256).Member("bytes", file.bytes).Member("mode", fmt::format("{:04o}", file.mode));
  json.EndObject();
}

}  // namespace

void WriteNamedCertificates(JsonWriter& json, const pki::StorePolicy& policy) {
  if (policy.named.empty()) return;
  json.Key("trusted").BeginArray();
  for (const std::string& digest : policy.named) json.String(digest);
  json.EndArray();
}

namespace {

bool ProxyInScope(const reconcile::DesiredState& state) {
  return state.scope.machine || state.scope.services || state.scope.win_http || state.scope.win_inet;
}

// What was assigned, less the credentials unless some item of the state holds them, too.
std::string StoredUrl(const Secret& url, egress::ProxyVariable variable, bool with_credentials) {
  Findings ignored;
  const auto parsed = egress::ParseProxyUrl(url, variable, {}, ignored);
  return with_credentials || !parsed ? url.Reveal() : parsed->WithoutCredentials().Reveal();
}

}  // namespace

void WriteProxy(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state) {
  json.Key("proxy").BeginObject();
  const auto add = [&](const std::optional<Secret>& url, egress::ProxyVariable variable) {
    if (url) json.Member(egress::NameOf(variable), StoredUrl(*url, variable, state.holds_credentials));
  };
  if (ProxyInScope(state)) {
    add(config.http_proxy, egress::ProxyVariable::kHttp);
    add(config.https_proxy, egress::ProxyVariable::kHttps);
    if (config.no_proxy) json.Member("NO_PROXY", *config.no_proxy);
  }
  json.EndObject();
}

namespace {

void WriteCertificates(JsonWriter& json, const std::vector<reconcile::CertificateItem>& items) {
  json.Key("certificates").BeginArray();
  for (const reconcile::CertificateItem& item : items) {
    const pki::Certificate& c = item.certificate;
    json.BeginObject().Member("store", pki::NameOf(item.store)).Member("sha1", c.sha1).Member("sha256", c.sha256);
    json.Member("subject", c.subject).Member("notAfter", c.not_after).Member("file", CertificatePath(item)).EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string CertificatePath(const reconcile::CertificateItem& item) {
  return "trust/" + std::string(pki::NameOf(item.store)) + "/" + reconcile::Thumbprint(item.certificate) + ".cer";
}

std::string EgressJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                       std::int64_t generation) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", generation);
  json.Key("source").BeginObject().Member("kind", config.source.kind).Member("name", config.source.name);
  json.Member("ignitionVersion", config.source.ignition_version).EndObject();
  json.Key("scope").BeginArray();
  for (const std::string_view name : state.scope.Names()) json.String(name);
  json.EndArray();
  json.Member("credentials", reconcile::NameOf(state.credentials));
  json.Member("store", state.store.root_only ? "root-only" : "split").Member("importLeaf", state.store.import_leaf);
  WriteNamedCertificates(json, state.store);
  json.Member("winHttpOctets", state.win_http_octets);
  WriteFile(json, "proxyFile", config.proxy_file, ProxyInScope(state));
  WriteProxy(json, config, state);
  WriteFile(json, "trustFile", config.trust_file, state.scope.certificates);
  json.Key("environment");
  WriteVariables(json, state.environment);
  WriteServices(json, state.services);
  WriteWinHttp(json, state.win_http);
  WriteWinInet(json, state);
  WriteCertificates(json, state.certificates);
  return json.EndObject().Take();
}

}  // namespace prov::payload
