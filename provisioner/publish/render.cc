#include "provisioner/publish/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/egress/environment_file.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/publish/trust_merge.h"
#include "provisioner/publish/yaml_writer.h"

namespace prov::publish {
namespace {

// The operator's own comment. It is part of the format, because nodes' files are compared by their digests.
constexpr std::string_view kEnvHeader =
    "# Proxy environment variables will be populated in this file. Properly\n"
    "# url encoded passwords with special characters will use '%<HEX><HEX>'.\n"
    "# Systemd requires that any % used in a password be represented as\n"
    "# %% in a unit file since % is a prefix for macros; this restriction does not\n"
    "# apply for environment files. Templates that need the proxy set should use\n"
    "# 'EnvironmentFile=/etc/mco/proxy.env'.\n";

// Removes the member if the text is empty.
void SetText(JsonValue& object, std::string_view name, std::string_view text,
             rapidjson::Document::AllocatorType& memory) {
  if (text.empty()) {
    object.EraseMember(JsonReference(name));
  } else {
    SetMember(object, name, JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory), memory);
  }
}

bool HasCredentials(const Secret& url) { return egress::MayHoldCredentials(url.Reveal()); }

// Whether the text contains "scheme://user@host".
bool HasUserUrl(std::string_view text) {
  constexpr std::string_view kSchemeEnd = "://";
  for (std::size_t at = text.find(kSchemeEnd); at != std::string_view::npos; at = text.find(kSchemeEnd, at)) {
    at += kSchemeEnd.size();
    const std::size_t end = text.find_first_of("@ \t\r\n\"'", at);
    if (end != std::string_view::npos && text[end] == '@') return true;
  }
  return false;
}

// The reader limits the nesting.
class Search {
 public:
  explicit Search(const ProxyValues& values) {
    for (const Secret* url : {&values.http_proxy, &values.https_proxy})
      if (HasCredentials(*url)) urls_.emplace_back(url->Reveal());
  }

  bool In(const JsonValue& value) const {
    if (value.IsString()) return InText(JsonTextOf(value));
    if (value.IsArray())
      return std::any_of(value.Begin(), value.End(), [&](const JsonValue& item) { return In(item); });
    if (!value.IsObject()) return false;
    const JsonValue* kind = JsonMember(&value, "kind");
    if (kind != nullptr && kind->IsString() && JsonTextOf(*kind).starts_with("Secret")) return true;
    return std::any_of(value.MemberBegin(), value.MemberEnd(), [&](const auto& member) { return In(member.value); });
  }

 private:
  bool InText(std::string_view text) const {
    return HasUserUrl(text) ||
           std::ranges::any_of(urls_, [&](std::string_view url) { return text.find(url) != std::string_view::npos; });
  }

  std::vector<std::string_view> urls_;
};

}  // namespace

std::string RenderProxyEnv(const ProxyValues& status) {
  std::string out(kEnvHeader);
  for (const auto& [name, value] : status.Variables()) {
    if (!value.empty()) out += fmt::format("{}={}\n", name, value);
  }
  return out;
}

void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings) {
  Findings ignored;
  const auto read = egress::ParseEnvironmentFile(bytes, "proxy.env", ignored);
  for (const auto& [name, value] : status.Variables()) {
    std::string seen;
    for (const egress::Assignment& assignment : read ? *read : std::vector<egress::Assignment>()) {
      if (assignment.name == name) seen = assignment.value.Reveal();
    }
    if (seen == value) continue;
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
  SetText(part, "httpProxy", status.http_proxy.Reveal(), memory);
  SetText(part, "httpsProxy", status.https_proxy.Reveal(), memory);
  SetText(part, "noProxy", status.no_proxy, memory);
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

bool HoldsCredentials(const ProxyValues& values) {
  return std::ranges::any_of(std::array{&values.http_proxy, &values.https_proxy},
                             [](const Secret* url) { return HasCredentials(*url); });
}

bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values) { return Search(values).In(objects); }

}  // namespace prov::publish
