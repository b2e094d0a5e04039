#include "provisioner/source/kube_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/object_view.h"
#include "provisioner/source/source.h"

namespace prov::source {
namespace {

constexpr std::uint64_t kMaxKubeconfigBytes = 16ULL << 20U;
constexpr unsigned kMaxKubeconfigDepth = 50;

// The last one of repeated members counts, as in Go's JSON reader.
Result<ObjectView> ViewOf(const JsonValue& value, std::string path) {
  return ObjectView::Of(value, std::move(path), RepeatedKeys::kLastCounts);
}

Result<std::string> TextOrEmpty(const ObjectView& object, std::string_view name) {
  return std::string(PROV_TRY(object.TextOr(name, "")));
}

// The object of that name in a list of {name, KIND: {...}}. Ignores the entries behind it: their faults do not concern
// this context.
Result<ObjectView> NamedObject(const ObjectView& root, std::string_view list, std::string_view kind,
                               const std::string& name) {
  const JsonValue* items = root.Find(list);
  const std::string at = root.At(list);
  if (items != nullptr && !items->IsArray()) return WrongJsonType(*items, "an array", at);
  const rapidjson::SizeType count = items == nullptr ? 0 : items->Size();
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    const ObjectView item = PROV_TRY(ViewOf((*items)[i], fmt::format("{}[{}]", at, i)));
    if (PROV_TRY(TextOrEmpty(item, "name")) != name) continue;
    auto found = PROV_TRY(item.Object(kind));
    if (found) return *std::move(found);
    return Fail(Code::kNotFound, fmt::format("has no member {} with settings", kind), item.path());
  }
  return Fail(
      Code::kNotFound,
      fmt::format("the {} \"{}\" is not in this kubeconfig; run kubectl config view to see those that are", kind, name),
      at);
}

Result<KubeFileOrData> MaterialIn(const ObjectView& object, std::string_view name) {
  KubeFileOrData out;
  out.file = PROV_TRY(TextOrEmpty(object, name));
  const std::string data_name = fmt::format("{}-data", name);
  std::string text = PROV_TRY(TextOrEmpty(object, data_name));
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  if (text.empty()) return out;
  auto bytes = DecodeBase64(text);
  if (!bytes) return Fail(Code::kCert, "is not base64", object.At(data_name));
  out.data = Secret(*std::move(bytes));
  return out;
}

Result<KubeCluster> ReadCluster(const ObjectView& object) {
  KubeCluster out;
  constexpr std::string_view kInsecure = "insecure-skip-tls-verify";
  const JsonValue* insecure = object.Find(kInsecure);
  if (insecure != nullptr && !insecure->IsBool()) return WrongJsonType(*insecure, "a boolean", object.At(kInsecure));
  if (insecure != nullptr && insecure->GetBool()) {
    return Fail(Code::kTls,
                "turns off verification of the server's certificate, but the settings read from this server decide "
                "which CAs nodes trust: remove it, and give the CA of the API server (certificate-authority)",
                object.At(kInsecure));
  }
  KubeServer server = PROV_TRY(ParseKubeServer(PROV_TRY(TextOrEmpty(object, "server")), object.At("server")));
  out.host = std::move(server.host);
  out.prefix = std::move(server.prefix);
  out.tls_server_name = PROV_TRY(TextOrEmpty(object, "tls-server-name"));
  if (!out.tls_server_name.empty()) {
    // It replaces the host in a URL, so it must be a host name.
    const KubeServer name = PROV_TRY(ParseKubeServer("https://" + out.tls_server_name, object.At("tls-server-name")));
    if (name.host != out.tls_server_name) {
      return Fail(Code::kType, "must be a host name", object.At("tls-server-name"));
    }
  }
  out.ca = PROV_TRY(MaterialIn(object, "certificate-authority"));
  std::string proxy = PROV_TRY(TextOrEmpty(object, "proxy-url"));
  if (!proxy.empty()) {
    out.proxy_url = Secret(std::move(proxy));
    PROV_TRY(CheckProxyUrl(*out.proxy_url, object.At("proxy-url")));
  }
  return out;
}

// Refuses kinds of authentication that are not supported: this program runs no other programs for it, and keeps no
// passwords.
Result<void> RefuseOtherWays(const ObjectView& object) {
  constexpr auto kWays = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"exec", "gets its credentials from a program (exec), which this program does not run"},
      {"auth-provider", "gets its credentials from a plugin of kubectl, which this program does not have"},
      {"username", "has a user name and password, which the Kubernetes API takes no more"},
      {"password", "has a user name and password, which the Kubernetes API takes no more"},
      {"as", "impersonates another user (as), which this program does not support"},
      {"as-uid", "impersonates another user (as-uid), which this program does not support"},
  });
  for (const auto& [name, why] : kWays) {
    const JsonValue* value = object.Find(name);
    if (value == nullptr || (value->IsString() && value->GetStringLength() == 0)) continue;
    return Fail(Code::kKind,
                fmt::format("this user {}; use a service account's token (oc create token NAME, put into tokenFile) or "
                            "a client certificate",
                            why),
                object.At(name));
  }
  return {};
}

Result<KubeUser> ReadUser(const ObjectView& object) {
  PROV_TRY(RefuseOtherWays(object));
  KubeUser out;
  Secret token(PROV_TRY(TextOrEmpty(object, "token")));
  if (!token.empty()) out.token = std::move(token);
  out.token_file = PROV_TRY(TextOrEmpty(object, "tokenFile"));
  out.certificate = PROV_TRY(MaterialIn(object, "client-certificate"));
  out.key = PROV_TRY(MaterialIn(object, "client-key"));
  if (out.certificate.Given() != out.key.Given()) {
    return Fail(Code::kNotFound, "client-certificate and client-key go together, and one of them is missing",
                object.path());
  }
  return out;
}

}  // namespace

Result<KubeServer> ParseKubeServer(std::string_view url, const std::string& where) {
  constexpr std::string_view kHttps = "https://";
  if (url.empty()) return Fail(Code::kNotFound, "the address of the API server is missing", where);
  if (!EqualsIgnoreAsciiCase(url.substr(0, kHttps.size()), kHttps)) {
    return Fail(Code::kTls, "the API server's address must begin with https://", where);
  }
  const std::string_view rest = url.substr(kHttps.size());
  const bool odd = std::ranges::any_of(rest, [](char c) { return c <= ' ' || c >= 0x7F; });
  if (odd || rest.find_first_of("@?#\\") != std::string_view::npos) {
    return Fail(Code::kType,
                "the API server's address must be https://HOST[:PORT][/PATH], without user, query and blanks", where);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  KubeServer out{std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
  while (out.prefix.ends_with('/')) out.prefix.pop_back();
  if (out.host.empty() || out.host.starts_with(':')) {
    return Fail(Code::kNotFound, "the address of the API server has no host", where);
  }
  return out;
}

Result<KubeConfig> ParseKubeConfig(std::string bytes, const std::string& where, const std::string& context) {
  JsonLimits limits;
  limits.input = kMaxKubeconfigBytes;
  limits.depth = kMaxKubeconfigDepth;
  auto document = ignition::ParseJsonOrYaml(std::move(bytes), limits);
  if (!document) {
    Error error = std::move(document).error();
    error.where = error.where.empty() ? where : fmt::format("{}, {}", where, error.where);
    return std::unexpected(std::move(error));
  }
  if (!(*document)->root().IsObject()) return Fail(Code::kType, "is not a kubeconfig: it must be an object", where);
  const ObjectView root = PROV_TRY(ViewOf((*document)->root(), where + ": $"));
  KubeConfig out;
  out.context = context.empty() ? PROV_TRY(TextOrEmpty(root, "current-context")) : context;
  if (out.context.empty()) {
    return Fail(Code::kNotFound, "no context is chosen: name one in the URI, as in kube://CONTEXT/worker",
                root.At("current-context"));
  }
  const ObjectView chosen = PROV_TRY(NamedObject(root, "contexts", "context", out.context));
  out.cluster = PROV_TRY(
      ReadCluster(PROV_TRY(NamedObject(root, "clusters", "cluster", PROV_TRY(TextOrEmpty(chosen, "cluster"))))));
  const std::string user = PROV_TRY(TextOrEmpty(chosen, "user"));
  out.user = PROV_TRY(ReadUser(PROV_TRY(NamedObject(root, "users", "user", user))));
  out.user.name = user;
  return out;
}

}  // namespace prov::source
