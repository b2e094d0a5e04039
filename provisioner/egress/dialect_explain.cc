#include "provisioner/egress/dialect_explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

bool IsWindows(Dialect dialect) { return dialect == Dialect::kWinHttp || dialect == Dialect::kWinInet; }

bool IsHttp(const Destination& to) { return to.scheme == "http" || to.scheme == "https"; }

// The network of "10.*" and its like, or of an address.
std::optional<IpAddress> FirstAddressOf(std::string_view pattern) {
  std::string text(pattern);
  if (text.ends_with(".*")) {
    text.resize(text.size() - 2);
    while (std::count(text.begin(), text.end(), '.') < 3) text += ".0";
  }
  return IpAddress::Parse(text);
}

}  // namespace

Explainer::Proxy Explainer::ReadProxy(const Secret& text, ProxyVariable variable) {
  Proxy out;
  out.is_set = !text.empty();
  if (!out.is_set) return out;
  Findings ignored;
  const auto url = ParseProxyUrl(text, variable, NameOf(variable), ignored);
  if (!url) {
    out.fault = url.error().message;
    out.redacted = RedactUrl(text.Reveal());
    return out;
  }
  out.redacted = url->Redacted();
  out.has_credentials = url->has_credentials();
  out.is_tls = url->scheme() == "https";
  out.host_port = url->HostPort();
  const bool http = variable == ProxyVariable::kHttp;
  const auto alone = TranslateForWinHttp(http ? std::optional(*url) : std::nullopt,
                                         http ? std::nullopt : std::optional(*url), nullptr, false, ignored);
  out.carried = alone.has_value();
  return out;
}

Result<Explainer> Explainer::Make(const ClientSettings& settings) {
  Explainer out;
  out.list_ = PROV_TRY(NoProxy::Parse(settings.no_proxy, "NO_PROXY"));
  out.http_ = ReadProxy(settings.http_proxy, ProxyVariable::kHttp);
  out.https_ = ReadProxy(settings.https_proxy, ProxyVariable::kHttps);
  for (std::size_t i = 0; i < kDialectCount; ++i) {
    const auto dialect = static_cast<Dialect>(i);
    if (!IsWindows(dialect)) out.lists_[i] = CompileNoProxy(dialect, out.list_);
  }
  out.TranslateWindows(settings);
  return out;
}

void Explainer::TranslateWindows(const ClientSettings& settings) {
  Findings ignored;
  const auto parse = [&](const Secret& text, ProxyVariable variable) -> std::optional<ProxyUrl> {
    auto url = ParseProxyUrl(text, variable, NameOf(variable), ignored);
    if (!url) return std::nullopt;
    return *std::move(url);
  };
  auto written = TranslateForWinHttp(parse(settings.http_proxy, ProxyVariable::kHttp),
                                     parse(settings.https_proxy, ProxyVariable::kHttps), &list_,
                                     settings.win_http_octets, ignored);
  has_windows_ = written.has_value();
  if (written) windows_ = *std::move(written);
  for (const Dialect dialect : {Dialect::kWinHttp, Dialect::kWinInet})
    lists_[static_cast<std::size_t>(dialect)] = CompileBypassList(dialect, windows_.bypass);
  for (const NoProxyEntry& entry : list_.entries()) AddPattern(entry);
}

void Explainer::AddPattern(const NoProxyEntry& entry) {
  const auto number = static_cast<std::size_t>(&entry - list_.entries().data());
  by_text_.emplace(entry.text, number);
  if (entry.kind == Kind::kAll) origins_.emplace("*", number);
  if (entry.port) return;
  if (entry.kind == Kind::kHost) origins_.emplace(entry.name, number);
  if (entry.kind == Kind::kHost || entry.kind == Kind::kSuffix) origins_.emplace("*." + entry.name, number);
  if (entry.kind == Kind::kIp4) origins_.emplace(entry.address->ToString(), number);
  if (entry.kind == Kind::kIp6) origins_.emplace("[" + entry.address->ToString() + "]", number);
  if (entry.kind == Kind::kCidr6) origins_.emplace("[" + entry.network->address().ToString() + "]", number);
  if (entry.kind == Kind::kCidr4) networks_.push_back(number);
}

// The entry of NO_PROXY that a pattern stands for; "" for those that every list has.
std::string_view Explainer::OriginOf(std::string_view pattern) const {
  if (const auto found = origins_.find(std::string(pattern)); found != origins_.end())
    return list_.entries()[found->second].text;
  const auto address = FirstAddressOf(pattern);
  if (!address) return {};
  for (const std::size_t number : networks_) {
    const NoProxyEntry& entry = list_.entries()[number];
    if (entry.network->Contains(*address)) return entry.text;
  }
  return {};
}

Bypass Explainer::FindWindows(Dialect dialect, const Destination& to) const {
  Bypass found = lists_[static_cast<std::size_t>(dialect)]->Find(to);
  if (found.kind != Bypass::Kind::kEntry) return found;
  found.entry = OriginOf(found.entry);
  if (found.entry.empty()) found.kind = Bypass::Kind::kImplicit;
  return found;
}

ClientDecision Explainer::Decide(Dialect dialect, const Destination& to) const {
  using Why = ClientDecision::Why;
  if (!IsHttp(to)) return {Route::kDirect, Why::kScheme, {}, {}};
  const Proxy& proxy = ProxyFor(to);
  if (!proxy.is_set) return {Route::kDirect, Why::kUnset, {}, {}};
  const bool windows = IsWindows(dialect);
  const Bypass bypass = windows ? FindWindows(dialect, to) : lists_[static_cast<std::size_t>(dialect)]->Find(to);
  if (bypass.kind == Bypass::Kind::kImplicit) return {Route::kDirect, Why::kImplicit, {}, {}};
  if (bypass.kind == Bypass::Kind::kEntry) return {Route::kDirect, Why::kEntry, {}, bypass.entry};
  if (proxy.host_port.empty()) return {Route::kInvalid, Why::kMalformed, proxy.redacted, {}};
  if (windows && !proxy.carried) return {Route::kDirect, Why::kNotCarried, {}, {}};
  const bool bare = windows || dialect == Dialect::kJava;
  return {Route::kProxy, Why::kApplies, bare ? proxy.host_port : proxy.redacted, {}};
}

}  // namespace prov::egress
