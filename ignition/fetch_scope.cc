#include "ignition/fetch_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ignition/json_path.h"
#include "ignition/limits.h"
#include "ignition/resource.h"
#include "ignition/schema.h"

namespace prov::ignition {
namespace {

constexpr std::uint64_t kMostAuthorityBytes = 1ULL << 20U;  // of all combined CAs
constexpr std::size_t kMostAuthorities = 1000;
constexpr std::size_t kMostNoProxy = 10000;

Result<std::optional<int>> Seconds(const JsonValue* timeouts, std::string_view name, const JsonPath& at) {
  const JsonValue* value = JsonMember(timeouts, name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsInt()) return Fail(Code::kType, "must be a whole number of seconds", at.Key(name).Text());
  if (value->GetInt() < 0) return Fail(Code::kInvalidConfig, "must not be negative", at.Key(name).Text());
  return value->GetInt();
}

Result<void> ReadTimeouts(const JsonValue* ignition, const JsonPath& at, FetchSettings& out) {
  const JsonPath timeouts_at = at.Key("timeouts");
  const JsonValue* timeouts = PROV_TRY(ObjectMember(ignition, "timeouts", at));
  if (const auto answer = PROV_TRY(Seconds(timeouts, "httpResponseHeaders", timeouts_at))) out.answer_seconds = answer;
  if (const auto total = PROV_TRY(Seconds(timeouts, "httpTotal", timeouts_at))) out.total_seconds = total;
  return {};
}

Result<void> ReadProxy(const JsonValue* ignition, const JsonPath& at, FetchSettings& out) {
  const JsonPath proxy_at = at.Key("proxy");
  const JsonValue* proxy = PROV_TRY(ObjectMember(ignition, "proxy", at));
  const auto http = PROV_TRY(StringMember(proxy, "httpProxy", proxy_at));
  const auto https = PROV_TRY(StringMember(proxy, "httpsProxy", proxy_at));
  if (http) out.http_proxy = Secret(std::string(*http));
  if (https) out.https_proxy = Secret(std::string(*https));
  const JsonValue* list = PROV_TRY(ArrayMember(proxy, "noProxy", proxy_at));
  if (list == nullptr) return {};
  const JsonPath list_at = proxy_at.Key("noProxy");
  for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
    const JsonValue& entry = (*list)[i];
    if (!entry.IsString()) return WrongJsonType(entry, "a string", list_at.At(i).Text());
    if (out.no_proxy.size() == kMostNoProxy) return Fail(Code::kTooLarge, "has too many entries", list_at.Text());
    out.no_proxy.emplace_back(JsonTextOf(entry));
  }
  return {};
}

// `outer`: the settings for fetching the CAs themselves.
Result<std::vector<std::string>> ReadAuthorities(const JsonValue* ignition, SpecVersion version, const JsonPath& at,
                                                 const FetchSettings& outer, Fetcher* fetcher) {
  const JsonPath security_at = at.Key("security");
  const JsonPath tls_at = security_at.Key("tls");
  const JsonPath list_at = tls_at.Key("certificateAuthorities");
  const JsonValue* security = PROV_TRY(ObjectMember(ignition, "security", at));
  const JsonValue* tls = PROV_TRY(ObjectMember(security, "tls", security_at));
  const JsonValue* list = PROV_TRY(ArrayMember(tls, "certificateAuthorities", tls_at));
  std::vector<std::string> out;
  if (list == nullptr) return out;
  if (list->Size() + outer.authorities.size() > kMostAuthorities) {
    return Fail(Code::kTooLarge, fmt::format("more than {} certificate authorities count", kMostAuthorities),
                list_at.Text());
  }
  ResourceContext context;
  context.version = version;
  context.limit = kMostAuthorityBytes;
  for (const std::string& authority : outer.authorities)
    context.limit -= std::min<std::uint64_t>(context.limit, authority.size());
  context.fetcher = fetcher;
  context.settings = [&outer]() -> Result<FetchSettings> { return outer; };
  for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
    const JsonPath entry_at = list_at.At(i);
    PROV_TRY(RequireObject((*list)[i], entry_at));
    const Resource resource = PROV_TRY(ReadResourceMembers(&(*list)[i], entry_at));
    if (resource.source.value_or("").empty()) {
      return Fail(Code::kInvalidConfig, "a certificate authority needs a source", entry_at.Key("source").Text());
    }
    out.push_back(PROV_TRY(ReadResource(resource, context, entry_at.Text())));
    context.limit -= out.back().size();
  }
  return out;
}

}  // namespace

std::uint32_t FetchScopes::Add(const JsonValue& root, SpecVersion version, std::string prefix, std::uint32_t parent,
                               bool replaces) {
  scopes_.push_back({&root, version, std::move(prefix), parent, replaces});
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

Result<FetchSettings> FetchScopes::SettingsOf(std::uint32_t scope, Fetcher* fetcher) const {
  if (scope == kOutermost) return FetchSettings{};
  if (const auto known = known_.find(scope); known != known_.end()) return known->second;
  const Scope& here = scopes_[scope];
  const FetchSettings outer = PROV_TRY(SettingsOf(here.parent, fetcher));
  const JsonPath root_at(here.prefix);
  const JsonPath at = root_at.Key("ignition");
  const JsonValue* ignition = JsonMember(here.root, "ignition");
  std::vector<std::string> authorities = PROV_TRY(ReadAuthorities(ignition, here.version, at, outer, fetcher));
  FetchSettings out;
  if (!here.replaces) out = outer;
  if (here.replaces && authorities.empty()) out.authorities = outer.authorities;
  out.authorities.insert(out.authorities.end(), authorities.begin(), authorities.end());
  PROV_TRY(ReadTimeouts(ignition, at, out));
  PROV_TRY(ReadProxy(ignition, at, out));
  known_.emplace(scope, out);
  return out;
}

Result<FetchSettings> ReadFetchSettings(std::string bytes, const std::string& where) {
  const auto read = [&bytes]() -> Result<FetchSettings> {
    const auto document = PROV_TRY(ParseJson(std::move(bytes), Limits{}));
    const JsonPath at("$");
    PROV_TRY(RequireObject(document->root(), at));
    const std::string_view text = PROV_TRY(VersionText(document->root(), at));
    const SpecVersion version = PROV_TRY(ParseSpecVersion(text, "$.ignition.version"));
    FetchScopes scopes;
    return scopes.SettingsOf(scopes.Add(document->root(), version, "$", FetchScopes::kOutermost, false), nullptr);
  };
  Result<FetchSettings> out = read();
  if (!out) out.error().where = out.error().where.empty() ? where : fmt::format("{}: {}", where, out.error().where);
  return out;
}

}  // namespace prov::ignition
