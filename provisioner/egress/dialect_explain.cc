#include "provisioner/egress/dialect_explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

bool IsWindows(Dialect dialect) { return dialect == Dialect::kWinHttp || dialect == Dialect::kWinInet; }

bool IsDotnet(Dialect dialect) { return dialect == Dialect::kDotnet || dialect == Dialect::kDotnet11; }
bool IsCurl(Dialect dialect) {
  return dialect == Dialect::kCurl || dialect == Dialect::kCurl8 || dialect == Dialect::kCurl7;
}

bool IsNodeFetch(Dialect dialect) { return IsNode(dialect) && dialect != Dialect::kNodeHttp; }

// What of an accepted URL Node.js does not take: it ends at its start with an error, whatever it is asked for.
// `findings`: of ParseProxyUrl.
std::string_view NodeFaultOf(const ProxyUrl& url, const Findings& findings) {
  if (HasFinding(findings, "proxy-url-no-scheme")) return "the URL has no scheme";
  std::string_view rest = TrimBlanks(url.Text().Reveal());
  rest.remove_prefix(rest.find("://") + 3);
  rest.remove_prefix(std::min(rest.find_first_of("/?#"), rest.size()));
  for (const char empty_part : {'/', '?', '#'}) rest.remove_prefix(rest.starts_with(empty_part) ? 1 : 0);
  if (!rest.empty()) return "the URL has a path, query or fragment";
  if (!IsUtf8(url.username()) || !IsUtf8(url.password().Reveal()))
    return "user or password are not UTF-8 once their escapes are decoded";
  return {};
}

// What of an accepted URL curl does not take: each request that would go to the proxy ends with an error.
// `findings`: of ParseProxyUrl.
std::string_view CurlFaultOf(const ProxyUrl& url, const Findings& findings) {
  if (HasFinding(findings, "proxy-url-at")) return "the '@' in user or password is not escaped";
  if (TrimBlanks(url.Text().Reveal()).find(' ') != std::string_view::npos) return "the URL has a blank";
  return {};
}

// Whether the host of "host:port" is an address.
bool IsAtAddress(std::string_view host_port) {
  return host_port.starts_with('[') || IpAddress::Parse(host_port.substr(0, host_port.rfind(':'))).has_value();
}

// The address as WinHTTP's list has it.
std::string Bracketed(const IpAddress& address) {
  return address.IsIpv4() ? address.ToString() : fmt::format("[{}]", address.ToString());
}

// The first address of a pattern such as "10.*", or an address itself.
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
  Findings found;
  const auto url = ParseProxyUrl(text, variable, NameOf(variable), found);
  if (!url) {
    out.fault = url.error().message;
    out.redacted = RedactUrl(text.Reveal());
    return out;
  }
  out.redacted = url->Redacted();
  out.has_credentials = url->has_credentials();
  out.is_tls = url->scheme() == "https";
  const std::string_view written = TrimBlanks(text.Reveal());
  out.has_capitals = written.find("://") != std::string_view::npos && !written.starts_with(url->scheme());
  out.host_port = url->HostPort();
  const bool http = variable == ProxyVariable::kHttp;
  Findings ignored;
  const auto alone = TranslateForWinHttp(http ? std::optional(*url) : std::nullopt,
                                         http ? std::nullopt : std::optional(*url), nullptr, false, ignored);
  out.carried = alone.has_value();
  if (const std::string_view fault = NodeFaultOf(*url, found); !fault.empty())
    out.node_fault = fmt::format("Node.js ends at its start, because of {}: {}", NameOf(variable), fault);
  if (const std::string_view fault = CurlFaultOf(*url, found); !fault.empty())
    out.curl_fault = fmt::format("curl refuses {} with an error: {}", NameOf(variable), fault);
  return out;
}

// Measured with one value in each: .NET uses HTTPS_PROXY for every scheme that has no variable of its own; curl 7.88
// does not know ws; Node's fetch uses HTTP_PROXY where HTTPS_PROXY is not set, and WebSocket goes the way of fetch.
std::optional<ProxyVariable> Explainer::VariableFor(Dialect dialect, std::string_view scheme) const {
  const bool web_sockets = IsDotnet(dialect) || IsNodeFetch(dialect) || (IsCurl(dialect) && dialect != Dialect::kCurl7);
  if (scheme == "http" || (web_sockets && scheme == "ws")) return ProxyVariable::kHttp;
  if (scheme != "https" && !IsDotnet(dialect) && !(web_sockets && scheme == "wss")) return std::nullopt;
  return IsNodeFetch(dialect) && http_.is_set && !https_.is_set ? ProxyVariable::kHttp : ProxyVariable::kHttps;
}

// The proxy whose URL makes the client end at its start; nullptr: none.
const Explainer::Proxy* Explainer::NodeRefuses(Dialect dialect) const {
  for (const Proxy* proxy : {&http_, &https_}) {
    if (IsNode(dialect) && !proxy->node_fault.empty()) return proxy;
  }
  return nullptr;
}

Result<Explainer> Explainer::Make(const ClientSettings& settings) {
  Explainer out;
  out.list_ = PROV_TRY(NoProxy::Parse(settings.no_proxy, "NO_PROXY"));
  out.http_ = ReadProxy(settings.http_proxy, ProxyVariable::kHttp);
  out.https_ = ReadProxy(settings.https_proxy, ProxyVariable::kHttps);
  out.node_env_proxy_ = settings.node_env_proxy;
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
  if (entry.kind == Kind::kAddress) origins_.emplace(Bracketed(*entry.address), number);
  if (entry.kind != Kind::kNetwork) return;
  if (entry.network->IsIpv4()) {
    networks_.push_back(number);
  } else {
    origins_.emplace(Bracketed(entry.network->address()), number);
  }
}

// The entry of NO_PROXY that a pattern comes from; "" for patterns that every list has.
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
  const auto variable = VariableFor(dialect, to.scheme);
  if (const Proxy* refused = NodeRefuses(dialect)) return {Route::kInvalid, Why::kMalformed, refused->redacted, {}};
  if (IsNode(dialect) && to.has_zone) return {Route::kInvalid, Why::kZone, {}, {}};
  if (!variable) return {Route::kDirect, Why::kScheme, {}, {}};
  const Proxy& proxy = ProxyOf(*variable);
  if (!proxy.is_set) return {Route::kDirect, Why::kUnset, {}, {}};
  const bool windows = IsWindows(dialect);
  const Bypass bypass = windows ? FindWindows(dialect, to) : lists_[static_cast<std::size_t>(dialect)]->Find(to);
  if (bypass.kind == Bypass::Kind::kImplicit) return {Route::kDirect, Why::kImplicit, {}, {}};
  if (bypass.kind == Bypass::Kind::kEntry) return {Route::kDirect, Why::kEntry, {}, bypass.entry};
  const bool refused_by_curl = IsCurl(dialect) && !proxy.curl_fault.empty();
  if (proxy.host_port.empty() || refused_by_curl) return {Route::kInvalid, Why::kMalformed, proxy.redacted, {}};
  const bool unknown = dialect == Dialect::kNodeHttp && proxy.has_capitals;
  if ((windows && !proxy.carried) || unknown) return {Route::kDirect, Why::kNotCarried, {}, {}};
  const bool bare = windows || dialect == Dialect::kJava;
  return {Route::kProxy, Why::kApplies, bare ? proxy.host_port : proxy.redacted, {}, windows && proxy.has_credentials};
}

namespace {

using Why = ClientDecision::Why;

std::string_view OnNetworks(Dialect dialect) {
  switch (dialect) {
    case Dialect::kDotnet:
      return "ignores networks up to version 10; .NET 11 reads them";
    case Dialect::kRequests:
      return "reads IPv4 networks only";
    case Dialect::kCurl8:
    case Dialect::kCurl7:
      return "reads IPv4 networks only, curl 8.18 and later IPv6, too";
    case Dialect::kWinHttp:
    case Dialect::kWinInet:
      return "has no networks in its list, so they are left out of what is written (--winhttp-octets writes IPv4 ones)";
    default:
      return "ignores networks";
  }
}

// Why a client does not go direct although `entry` makes Go do so.
std::string_view Shortcoming(Dialect dialect, const NoProxyEntry& entry) {
  if (IsWindows(dialect) && entry.port) return "can't hold an entry to a port, so it is left out of what is written";
  if (entry.port) return "does not read this entry's port so";
  switch (entry.kind) {
    case Kind::kAll:
      return IsDotnet(dialect) ? "ignores '*'" : "takes '*' only as the whole list";
    case Kind::kNetwork:
      if (IsCurl(dialect) && entry.network->prefix() == 0) return "takes a network of length 0 for one address";
      return OnNetworks(dialect);
    case Kind::kAddress:
      if (!entry.address->IsIpv4() && (IsDotnet(dialect) || dialect == Dialect::kPython || dialect == Dialect::kJava ||
                                       dialect == Dialect::kNodeFetch24))
        return "wants IPv6 addresses in brackets";
      return "compares addresses as text";
    case Kind::kSuffix:
      if (dialect == Dialect::kJava) return "wants '*.' in front of the name";
      if (entry.text.starts_with('*')) return "does not know '*.'; write a leading dot";
      break;
    case Kind::kHost:
      if (IsDotnet(dialect) || dialect == Dialect::kNodeHttp)
        return "takes a name without a leading dot for that host alone";
      if (dialect == Dialect::kJava) return "takes a name for that host alone, and blanks for a part of it";
      break;
    case Kind::kInert:
      break;
  }
  return "reads the list in another way";
}

// Why a client goes direct although Go does not.
std::string_view Excess(Dialect dialect, const Destination& to, std::string_view entry) {
  if (to.host.ends_with('.')) return "ignores the host's final dot";
  if (entry.starts_with('.')) return "takes the name behind a leading dot, too";
  if (entry.starts_with('[')) return "reads an address in brackets";
  if (dialect == Dialect::kCurl7 || (IsNodeFetch(dialect) && !entry.starts_with('*')))
    return "also separates entries at blanks";
  if (IsNodeFetch(dialect)) return "takes the name behind '*.', too";
  if (dialect == Dialect::kNodeHttp && entry.find('-') != std::string_view::npos) return "reads ranges of addresses";
  if (IsCurl(dialect)) return "reads the list up to the first lone blank, and addresses in every form";
  if (dialect == Dialect::kRequests) return "drops the list's blanks";
  if (dialect == Dialect::kJava) return "takes a '*' at both ends of an entry";
  if (IsWindows(dialect)) return "compares text only";
  return "reads the list in another way";
}

}  // namespace

// Whether the client can't connect with TLS to a proxy that needs it. (HTTP_PROXY accepts no such proxy.)
bool Explainer::LacksTls(Dialect dialect, const Proxy& proxy) const {
  if (!proxy.is_tls) return false;
  // Node.js 26 names the proxy in the handshake, and refuses an address for that.
  if (dialect == Dialect::kNodeFetch) return IsAtAddress(proxy.host_port);
  return dialect == Dialect::kJava || dialect == Dialect::kPython;
}

const NoProxyEntry* Explainer::EntryOf(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? nullptr : &list_.entries()[found->second];
}

std::string Explainer::Base(Dialect dialect, const Destination& to, const ClientDecision& decision) const {
  if (const Proxy* refused = NodeRefuses(dialect)) return refused->node_fault;
  if (decision.why == Why::kZone) return "Node.js refuses the request's URL, because its address has a zone";
  const auto taken = VariableFor(dialect, to.scheme);
  if (!taken) return "the scheme is neither http nor https";
  const std::string_view variable = NameOf(*taken);
  const Proxy& proxy = ProxyOf(*taken);
  switch (decision.why) {
    case Why::kUnset:
      return fmt::format("{} is not set", variable);
    case Why::kImplicit:
      if (dialect == Dialect::kWinHttp) return "the bypass list that is written always has the loopback addresses";
      return fmt::format("{} never proxies {}", TitleOf(dialect),
                         dialect == Dialect::kWinInet ? "loopback and link-local addresses" : "loopback addresses");
    case Why::kEntry:
      return IsWindows(dialect) ? "the bypass list that is written has the host" : "NO_PROXY has the host";
    case Why::kNotCarried:
      if (IsNode(dialect))
        return fmt::format("the scheme of {} has capital letters, so these requests go direct", variable);
      return fmt::format("the settings of {} can't hold the proxy of {}, so these requests go direct", TitleOf(dialect),
                         variable);
    case Why::kMalformed:
      return proxy.fault.empty() ? proxy.curl_fault : proxy.fault;
    case Why::kZone:
    case Why::kScheme:
    case Why::kApplies:
      break;
  }
  if (decision.answered_407)
    return fmt::format("{} applies, without user and password: the proxy will answer 407", variable);
  if (dialect == Dialect::kJava)
    return fmt::format("if {}.proxyHost names the proxy: Java reads no environment", to.scheme);
  if (IsCurl(dialect) && *taken == ProxyVariable::kHttp)
    return "HTTP_PROXY applies on Windows; elsewhere curl reads http_proxy only";
  if (IsNode(dialect) && !node_env_proxy_) return fmt::format("if NODE_USE_ENV_PROXY=1 is set, {} applies", variable);
  return fmt::format("{} applies", variable);
}

std::string Explainer::Difference(Dialect dialect, const Destination& to, const ClientDecision& decision) const {
  if (dialect == Dialect::kGo || NodeRefuses(dialect) != nullptr) return {};
  const ClientDecision go = Decide(Dialect::kGo, to);
  const bool direct = decision.route == Route::kDirect;
  const bool same = (go.route == Route::kDirect) == direct;
  if (same || decision.why == Why::kNotCarried || decision.why == Why::kZone) return {};
  const std::string_view title = TitleOf(dialect);
  if (go.why == Why::kScheme) return "Go goes direct: it has proxies for http and https only";
  if (go.why == Why::kUnset) return "Go goes direct: it takes HTTP_PROXY for http alone";
  if (go.why == Why::kImplicit) return "Go goes direct: it never proxies loopback addresses";
  if (go.why == Why::kEntry) {
    const NoProxyEntry* entry = EntryOf(go.entry);
    return fmt::format("Go goes direct by {}; {} {}", go.entry, title,
                       entry != nullptr ? Shortcoming(dialect, *entry) : "reads the list in another way");
  }
  if (decision.why == Why::kEntry)
    return fmt::format("Go uses the proxy; {} {}", title, Excess(dialect, to, decision.entry));
  return "Go uses the proxy";
}

std::string Explainer::Note(Dialect dialect, const Destination& to, const ClientDecision& decision) const {
  std::string note = Base(dialect, to, decision);
  // WinINET has no list unless the scope includes it.
  const bool written = decision.why == Why::kEntry || decision.why == Why::kApplies;
  if (dialect == Dialect::kWinInet && written) note += "; this holds where --scope has wininet";
  const auto taken = VariableFor(dialect, to.scheme);
  if (decision.route == Route::kProxy && taken && LacksTls(dialect, ProxyOf(*taken)))
    note += fmt::format("; {} can't speak TLS to a proxy{}, so these requests fail", TitleOf(dialect),
                        IsNode(dialect) ? " without a name" : "");
  if (const std::string difference = Difference(dialect, to, decision); !difference.empty()) note += "; " + difference;
  if (dialect == Dialect::kDotnet && decision.route != Route::kDirect && note.find(".NET 11") == std::string::npos &&
      Decide(Dialect::kDotnet11, to).route == Route::kDirect)
    note += "; .NET 11 goes direct";
  if (dialect == Dialect::kNodeFetch && decision.route != Decide(Dialect::kNodeFetch24, to).route)
    note += decision.route == Route::kDirect ? "; Node.js 24 uses the proxy" : "; Node.js 24 goes direct";
  return note;
}

}  // namespace prov::egress
