#include "provisioner/publish/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/egress/environment_file.h"
#include "provisioner/publish/trust_merge.h"
#include "provisioner/publish/yaml_writer.h"

namespace prov::publish {
namespace {

// The operator's own comment: a part of the format, as nodes' files are told apart by their digests.
constexpr std::string_view kEnvHeader =
    "# Proxy environment variables will be populated in this file. Properly\n"
    "# url encoded passwords with special characters will use '%<HEX><HEX>'.\n"
    "# Systemd requires that any % used in a password be represented as\n"
    "# %% in a unit file since % is a prefix for macros; this restriction does not\n"
    "# apply for environment files. Templates that need the proxy set should use\n"
    "# 'EnvironmentFile=/etc/mco/proxy.env'.\n";

using Variables = std::array<std::pair<std::string_view, const std::string*>, 3>;

Variables VariablesOf(const ProxyValues& values) {
  return {{{"HTTP_PROXY", &values.http_proxy.Reveal()},
           {"HTTPS_PROXY", &values.https_proxy.Reveal()},
           {"NO_PROXY", &values.no_proxy}}};
}

void SetMember(JsonValue& object, std::string_view name, const std::string& text,
               rapidjson::Document::AllocatorType& memory) {
  const JsonValue key(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory);
  const auto found = object.FindMember(key);
  if (text.empty()) {
    if (found != object.MemberEnd()) object.EraseMember(found);
    return;
  }
  JsonValue value(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory);
  if (found != object.MemberEnd()) {
    found->value = value;
  } else {
    object.AddMember(JsonValue(key, memory), value, memory);
  }
}

}  // namespace

std::string RenderProxyEnv(const ProxyValues& status) {
  std::string out(kEnvHeader);
  for (const auto& [name, value] : VariablesOf(status)) {
    if (!value->empty()) out += fmt::format("{}={}\n", name, *value);
  }
  return out;
}

void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings) {
  Findings ignored;
  const auto read = egress::ParseEnvironmentFile(bytes, "proxy.env", ignored);
  for (const auto& [name, value] : VariablesOf(status)) {
    std::string seen;
    for (const egress::Assignment& assignment : read ? *read : std::vector<egress::Assignment>()) {
      if (assignment.name == name) seen = assignment.value.Reveal();
    }
    if (seen == *value) continue;
    AddWarning(findings, "env-differs",
               fmt::format("services on nodes will not see the {} that the status holds, because proxy.env can't carry "
                           "it: it has blanks at its ends, a line end, a quote at its start or a backslash",
                           name),
               "proxy.env");
  }
}

void SetStatus(Object& proxy, const ProxyValues& status) {
  auto& memory = proxy.document->dom.GetAllocator();
  if (!proxy.root->HasMember("status")) proxy.root->AddMember("status", JsonValue(rapidjson::kObjectType), memory);
  JsonValue& part = (*proxy.root)["status"];
  if (!part.IsObject()) part.SetObject();
  SetMember(part, "httpProxy", status.http_proxy.Reveal(), memory);
  SetMember(part, "httpsProxy", status.https_proxy.Reveal(), memory);
  SetMember(part, "noProxy", status.no_proxy, memory);
}

std::string RenderTrustConfigMap(std::string_view bundle) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: ConfigMap\n"
      "metadata:\n"
      "  name: {}\n"
      "  namespace: {}\n"
      "data:\n"
      "  {}: {}\n",
      kMergedBundle, kManagedNamespace, kBundleKey, YamlScalar(bundle, 2));
}

}  // namespace prov::publish
