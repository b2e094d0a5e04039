#include "provisioner/source/kube_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ignition/json.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/source/source.h"

namespace prov::source {
namespace {

using ignition::JsonValue;

constexpr std::uint64_t kMostBytes = 16ULL << 20U;
constexpr unsigned kDeepest = 50;

// A value with its place in the file.
struct LocatedValue {
  const JsonValue* value = nullptr;
  std::string where;
};

Result<const JsonValue*> MemberOf(const LocatedValue& node, std::string_view name, bool (*is)(const JsonValue&),
                                  std::string_view wanted) {
  const JsonValue* value = ignition::Member(node.value, name);
  if (value != nullptr && !is(*value)) {
    return Fail(Code::kType, fmt::format("must be {}, not {}", wanted, ignition::TypeName(*value)),
                fmt::format("{}.{}", node.where, name));
  }
  return value;
}

bool IsObject(const JsonValue& value) { return value.IsObject(); }
bool IsArray(const JsonValue& value) { return value.IsArray(); }
bool IsString(const JsonValue& value) { return value.IsString(); }
bool IsBool(const JsonValue& value) { return value.IsBool(); }

Result<std::string> TextIn(const LocatedValue& node, std::string_view name) {
  const JsonValue* value = PROV_TRY(MemberOf(node, name, IsString, "a string"));
  return value == nullptr ? std::string() : std::string(ignition::TextOf(*value));
}

// The object of that name in a list of {name, KIND: {...}}.
Result<LocatedValue> Named(const LocatedValue& root, std::string_view list, std::string_view kind,
                           const std::string& name) {
  const JsonValue* items = PROV_TRY(MemberOf(root, list, IsArray, "an array"));
  const rapidjson::SizeType count = items == nullptr ? 0 : items->Size();
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    const LocatedValue item{&(*items)[i], fmt::format("{}.{}[{}]", root.where, list, i)};
    if (!item.value->IsObject()) return Fail(Code::kType, "must be an object", item.where);
    if (PROV_TRY(TextIn(item, "name")) != name) continue;
    const JsonValue* value = PROV_TRY(MemberOf(item, kind, IsObject, "an object"));
    if (value == nullptr) return Fail(Code::kNotFound, fmt::format("has no member {} with settings", kind), item.where);
    return LocatedValue{value, fmt::format("{}.{}", item.where, kind)};
  }
  return Fail(Code::kNotFound, fmt::format("there is no {} \"{}\" in this kubeconfig", kind, name),
              fmt::format("{}.{}", root.where, list));
}

Result<KubeMaterial> MaterialIn(const LocatedValue& node, std::string_view name) {
  KubeMaterial out;
  out.file = PROV_TRY(TextIn(node, name));
  const std::string data_name = fmt::format("{}-data", name);
  std::string text = PROV_TRY(TextIn(node, data_name));
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  if (text.empty()) return out;
  auto bytes = DecodeBase64(text);
  if (!bytes) return Fail(Code::kCert, "is no base64", fmt::format("{}.{}", node.where, data_name));
  out.data = Secret(*std::move(bytes));
  return out;
}

Result<KubeCluster> ReadCluster(const LocatedValue& node) {
  KubeCluster out;
  const JsonValue* insecure = PROV_TRY(MemberOf(node, "insecure-skip-tls-verify", IsBool, "a boolean"));
  if (insecure != nullptr && insecure->GetBool()) {
    return Fail(Code::kTls,
                "turns the check of the server's certificate off, and what is read here decides whom nodes trust: "
                "remove it, and give the CA of the API server (certificate-authority)",
                node.where + ".insecure-skip-tls-verify");
  }
  KubeServer server = PROV_TRY(ParseKubeServer(PROV_TRY(TextIn(node, "server")), node.where + ".server"));
  out.host = std::move(server.host);
  out.prefix = std::move(server.prefix);
  out.tls_server_name = PROV_TRY(TextIn(node, "tls-server-name"));
  if (!out.tls_server_name.empty()) {
    // It takes the host's place in a URL.
    const KubeServer name =
        PROV_TRY(ParseKubeServer("https://" + out.tls_server_name, node.where + ".tls-server-name"));
    if (name.host != out.tls_server_name) {
      return Fail(Code::kType, "must be a host name", node.where + ".tls-server-name");
    }
  }
  out.ca = PROV_TRY(MaterialIn(node, "certificate-authority"));
  std::string proxy = PROV_TRY(TextIn(node, "proxy-url"));
  if (!proxy.empty()) {
    out.proxy_url = Secret(std::move(proxy));
    PROV_TRY(CheckProxyUrl(*out.proxy_url, node.where + ".proxy-url"));
  }
  return out;
}

// Ways to say who asks that this program does not go: it runs no programs of others and keeps no passwords.
Result<void> RefuseOtherWays(const LocatedValue& node) {
  constexpr auto kWays = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"exec", "gets its credentials from a program, and this one runs none"},
      {"auth-provider", "gets its credentials from a plugin of kubectl, which this program does not have"},
      {"username", "has a user name and password, which the Kubernetes API takes no more"},
      {"password", "has a user name and password, which the Kubernetes API takes no more"},
      {"as", "asks in the name of somebody else (as), which this program does not do"},
      {"as-uid", "asks in the name of somebody else (as-uid), which this program does not do"},
  });
  for (const auto& [name, why] : kWays) {
    const JsonValue* value = ignition::Member(node.value, name);
    if (value == nullptr || (value->IsString() && value->GetStringLength() == 0)) continue;
    return Fail(Code::kKind,
                fmt::format("this user {}; use a service account's token (oc create token NAME, put into tokenFile) or "
                            "a client certificate",
                            why),
                fmt::format("{}.{}", node.where, name));
  }
  return {};
}

Result<KubeUser> ReadUser(const LocatedValue& node) {
  PROV_TRY(RefuseOtherWays(node));
  KubeUser out;
  Secret token(PROV_TRY(TextIn(node, "token")));
  if (!token.empty()) out.token = std::move(token);
  out.token_file = PROV_TRY(TextIn(node, "tokenFile"));
  out.certificate = PROV_TRY(MaterialIn(node, "client-certificate"));
  out.key = PROV_TRY(MaterialIn(node, "client-key"));
  if (out.certificate.Given() != out.key.Given()) {
    return Fail(Code::kNotFound, "client-certificate and client-key go together, and one of them is missing",
                node.where);
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
  ignition::Limits limits;
  limits.input = kMostBytes;
  limits.depth = kDeepest;
  auto document = ignition::ParseJsonOrYaml(std::move(bytes), limits);
  if (!document) {
    Error error = std::move(document).error();
    error.where = error.where.empty() ? where : fmt::format("{}, {}", where, error.where);
    return std::unexpected(std::move(error));
  }
  const LocatedValue root{&(*document)->root(), where + ": $"};
  if (!root.value->IsObject()) return Fail(Code::kType, "is no kubeconfig: it must be an object", where);
  KubeConfig out;
  out.context = context.empty() ? PROV_TRY(TextIn(root, "current-context")) : context;
  if (out.context.empty()) {
    return Fail(Code::kNotFound, "no context is chosen: name one in the URI, as in kube://CONTEXT/worker",
                root.where + ".current-context");
  }
  const LocatedValue chosen = PROV_TRY(Named(root, "contexts", "context", out.context));
  out.cluster =
      PROV_TRY(ReadCluster(PROV_TRY(Named(root, "clusters", "cluster", PROV_TRY(TextIn(chosen, "cluster"))))));
  const std::string user = PROV_TRY(TextIn(chosen, "user"));
  out.user = PROV_TRY(ReadUser(PROV_TRY(Named(root, "users", "user", user))));
  out.user.name = user;
  return out;
}

}  // namespace prov::source
