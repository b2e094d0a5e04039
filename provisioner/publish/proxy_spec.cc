#include "provisioner/publish/proxy_spec.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/review.h"
#include "provisioner/publish/request_uri.h"

namespace prov::publish {
namespace {

using source::ObjectView;

constexpr std::size_t kMostItems = 20;
constexpr std::size_t kMaxDnsNameBytes = 253;  // bytes of a DNS name

// Longer than any variable, and than an object of a cluster.
constexpr std::size_t kMostBytes = egress::kMostEnvironmentBytes;
constexpr std::size_t kMostUrl = std::size_t{64} << 10U;

Result<void> CheckSize(std::string_view text, std::size_t most, const std::string& where) {
  if (text.size() <= most) return {};
  return Fail(Code::kTooLarge, fmt::format("has {} bytes, more than {}", text.size(), most), where);
}

Result<std::string> ReadValue(const ObjectView& part, std::string_view name) {
  const std::string_view out = PROV_TRY(part.TextOr(name, ""));
  PROV_TRY(CheckSize(out, kMostBytes, part.At(name)));
  return std::string(out);
}

Result<ProxyValues> ReadValues(const ObjectView& part) {
  return ProxyValues{Secret(PROV_TRY(ReadValue(part, "httpProxy"))), Secret(PROV_TRY(ReadValue(part, "httpsProxy"))),
                     PROV_TRY(ReadValue(part, "noProxy"))};
}

std::string ShownItem(std::string_view item) {
  constexpr std::size_t kMostShown = 300;
  const std::string out = egress::RedactNoProxyEntry(item);
  return out.size() <= kMostShown ? out : std::string(Shorten(out, kMostShown)) + "…";
}

void CheckNoProxy(std::string_view no_proxy, std::vector<std::string>& errors) {
  if (no_proxy.empty() || no_proxy == "*") return;
  std::size_t bad = 0;
  std::size_t place = 0;
  for (const std::string_view item : Split(no_proxy, ',')) {
    ++place;
    const std::string_view trimmed = TrimGoSpace(item);
    if (egress::IsNoProxyItem(trimmed)) continue;
    if (++bad > kMostItems) return;
    const std::string shown = ShownItem(trimmed);
    // If the item is redacted completely, name its place.
    errors.push_back(shown == "***" ? fmt::format("invalid noProxy: {} (item {})", shown, place)
                                    : fmt::format("invalid noProxy: {}", shown));
  }
}

// Returns whether the URI may be used to check endpoints.
bool CheckProxy(std::string_view field, const Secret& uri, bool https_allowed, std::vector<std::string>& errors) {
  if (uri.empty()) return true;
  const auto scheme = CheckUri(uri.Reveal());
  if (!scheme) {
    errors.push_back(fmt::format("invalid {} URI: {}", field, scheme.error()));
    return false;
  }
  if (*scheme == "http" || (https_allowed && *scheme == "https")) return true;
  errors.push_back(fmt::format("{} requires a 'http'{} URI scheme", field, https_allowed ? " or 'https'" : ""));
  return false;
}

void CheckEndpoint(const ProxyValues& values, std::string_view endpoint, std::vector<std::string>& errors) {
  const std::string shown = ShownUri(endpoint);
  const auto scheme = CheckUri(endpoint);
  if (!scheme) {
    errors.push_back(fmt::format("invalid URI for readinessEndpoint '{}': {}", shown, scheme.error()));
    return;
  }
  if (*scheme != "http" && *scheme != "https") {
    errors.emplace_back("a proxy readiness endpoint requires a 'http' or 'https' URI sheme");  // its spelling
    return;
  }
  const auto proxy_scheme = CheckUri(ProxyFor(values, *scheme).Reveal());
  if (*scheme == "http" && proxy_scheme && *proxy_scheme == "https")
    errors.push_back(fmt::format("endpoint '{}' requires a `http` proxy scheme", shown));
}

void ReviewUrl(std::string_view field, const Secret& url, egress::ProxyVariable variable, std::string_view where,
               Findings& findings) {
  if (url.empty() || !CheckUri(url.Reveal())) return;
  const std::string place = fmt::format("{}: $.spec.{}", where, field);
  if (const auto parsed = egress::ParseProxyUrl(url, variable, place, findings); !parsed) {
    const bool fails_open = parsed.error().code == Code::kFailOpen;
    AddWarning(
        findings, fails_open ? FindingCode("fail-open") : FindingCode("proxy-url"),
        fmt::format("the operator takes this URL, but nodes can't use it as it is meant: {}", parsed.error().message),
        place);
  }
}

}  // namespace

Result<ProxySpec> ReadProxySpec(const ObjectView& proxy) {
  const auto spec = PROV_TRY(proxy.Object("spec"));
  if (!spec) return Fail(Code::kType, "is missing; a Proxy without settings has an empty one", proxy.At("spec"));
  ProxySpec out;
  out.name = PROV_TRY(source::ObjectName(proxy));
  out.values = PROV_TRY(ReadValues(*spec));
  out.readiness_endpoints = PROV_TRY(spec->TextsOrNone("readinessEndpoints"));
  for (const std::string& endpoint : out.readiness_endpoints)
    PROV_TRY(CheckSize(endpoint, kMostUrl, spec->At("readinessEndpoints")));
  if (const auto trusted = PROV_TRY(spec->Object("trustedCA"))) {
    out.trusted_ca = PROV_TRY(trusted->TextOr("name", ""));
    PROV_TRY(CheckSize(out.trusted_ca, kMaxDnsNameBytes, trusted->At("name")));
  }
  if (const auto status = PROV_TRY(proxy.Object("status"))) out.status = PROV_TRY(ReadValues(*status));
  return out;
}

const Secret& ProxyFor(const ProxyValues& values, std::string_view endpoint_scheme) {
  const bool https = endpoint_scheme == "https" ? !values.https_proxy.empty() : values.http_proxy.empty();
  return https ? values.https_proxy : values.http_proxy;
}

std::vector<std::string> ValidateProxySpec(const ProxySpec& spec) {
  std::vector<std::string> errors;
  const ProxyValues& values = spec.values;
  if (values.IsEmpty()) return errors;
  if (values.http_proxy.empty() && values.https_proxy.empty())
    errors.emplace_back("httpProxy or httpsProxy must be set when using proxy");
  const bool http = CheckProxy("httpProxy", values.http_proxy, false, errors);
  const bool https = CheckProxy("httpsProxy", values.https_proxy, true, errors);
  CheckNoProxy(values.no_proxy, errors);
  if (!http || !https) return errors;
  for (const std::string& endpoint : spec.readiness_endpoints) {
    if (errors.size() >= 2 * kMostItems) break;
    CheckEndpoint(values, endpoint, errors);
  }
  return errors;
}

void ReviewProxySpec(const ProxySpec& spec, std::string_view where, Findings& findings) {
  if (!spec.name.empty() && spec.name != "cluster") {
    AddWarning(findings, "proxy-name", "the operator looks only at the Proxy that is named cluster",
               fmt::format("{}: $.metadata.name", where));
  }
  ReviewUrl("httpProxy", spec.values.http_proxy, egress::ProxyVariable::kHttp, where, findings);
  ReviewUrl("httpsProxy", spec.values.https_proxy, egress::ProxyVariable::kHttps, where, findings);
  egress::ReportDirect(!spec.values.http_proxy.empty(), !spec.values.https_proxy.empty(),
                       fmt::format("{}: $.spec.http{}Proxy", where, spec.values.https_proxy.empty() ? "s" : ""),
                       findings);
  for (const std::string_view item : Split(spec.values.no_proxy, ',')) {
    if (TrimGoSpace(item) == item) continue;
    AddWarning(findings, "no-proxy-blank",
               fmt::format("the operator keeps the blanks around '{}', so readers that don't trim see another name; "
                           "write the list without blanks",
                           ShownItem(TrimGoSpace(item))),
               fmt::format("{}: $.spec.noProxy", where));
    break;
  }
}

namespace {

// Removes the member if the text is empty.
void SetText(JsonValue& object, std::string_view name, std::string_view text,
             rapidjson::Document::AllocatorType& memory) {
  if (text.empty()) {
    object.EraseMember(JsonReference(name));
  } else {
    SetMember(object, name, JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory), memory);
  }
}

}  // namespace

void SetProxyStatus(Object& proxy, const ProxyValues& status) {
  auto& memory = proxy.document->dom.GetAllocator();
  if (!proxy.root->HasMember("status")) proxy.root->AddMember("status", JsonValue(rapidjson::kObjectType), memory);
  JsonValue& part = (*proxy.root)["status"];
  if (!part.IsObject()) part.SetObject();
  SetText(part, "httpProxy", status.http_proxy.Reveal(), memory);
  SetText(part, "httpsProxy", status.https_proxy.Reveal(), memory);
  SetText(part, "noProxy", status.no_proxy, memory);
}

}  // namespace prov::publish
