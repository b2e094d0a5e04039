// NO_PROXY: GoBypasses agrees with a plain transcription of x/net/http/httpproxy, and WinHTTP's translation is always
// valid and never sends more around the proxy than Go does. Input: the list, then (behind a 0x01 byte) hosts with
// ports.
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/win_http_bypass.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using egress::NoProxy;
using egress::NoProxyEntry;
using egress::ProxyUrl;
using egress::WinHttpProxy;

constexpr std::string_view kWhere = "NO_PROXY";

// net.SplitHostPort; false where it fails.
bool SplitHostPort(std::string_view text, std::string& host, std::string& port) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::size_t brackets_from = 0;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close + 1 != colon) return false;
    host = text.substr(1, close - 1);
    brackets_from = 1;
    if (text.substr(brackets_from, close - 1).find_first_of('[') != std::string_view::npos) return false;
    if (text.substr(close + 1).find_first_of("[]") != std::string_view::npos) return false;
  } else {
    host = text.substr(0, colon);
    if (host.find(':') != std::string::npos) return false;
    if (text.find_first_of("[]") != std::string_view::npos) return false;
  }
  port = text.substr(colon + 1);
  return true;
}

// useProxy of one entry, for ASCII only (Go would convert other names to punycode).
bool EntryBypasses(std::string_view entry, std::string_view host, const std::optional<IpAddress>& address,
                   std::string_view port) {
  if (entry == "*") return true;
  if (const auto network = IpNetwork::Parse(entry)) return address && network->Contains(*address);
  std::string entry_host;
  std::string entry_port;
  if (!SplitHostPort(entry, entry_host, entry_port)) {
    entry_host = entry;
    entry_port.clear();
  } else if (entry_host.empty()) {
    return false;
  }
  const bool port_matches = entry_port.empty() || entry_port == port;
  if (const auto ip = IpAddress::Parse(entry_host)) return address && *address == *ip && port_matches;
  if (entry_host.starts_with("*.")) entry_host.erase(0, 1);
  if (entry_host.empty()) return false;
  const bool match_host = entry_host.front() != '.';
  const std::string suffix = match_host ? "." + entry_host : entry_host;
  return port_matches && (host.ends_with(suffix) || (match_host && host == entry_host));
}

bool ReferenceBypasses(std::string_view list, std::string_view host, std::uint16_t port) {
  if (host == "localhost") return true;
  const auto address = IpAddress::Parse(host);
  if (address && address->IsLoopback()) return true;
  const std::string port_text = fmt::format("{}", port);
  const std::string lower = AsciiLower(host);
  for (const std::string_view piece : Split(list, ',')) {
    const std::string entry = AsciiLower(TrimBlanks(piece));
    if (!entry.empty() && EntryBypasses(entry, lower, address, port_text)) return true;
  }
  return false;
}

// A host as it can stand in a URL: the reference's matching of other texts is nobody's business.
bool IsHost(std::string_view host) {
  if (IpAddress::Parse(host)) return true;
  if (host.empty() || host.front() == '.' || Holds(host, "..")) return false;
  return std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

void CheckHost(const NoProxy& list, std::string_view host, std::uint16_t port) {
  if (!IsHost(host)) return;
  FUZZ_CHECK(egress::GoBypasses(list, host, port) == ReferenceBypasses(list.text(), host, port));
}

void CheckEntries(const NoProxy& list) {
  bool all = false;
  std::string reversed;
  for (const NoProxyEntry& entry : list.entries()) {
    FUZZ_CHECK(!entry.text.empty() && !Holds(entry.text, ","));
    FUZZ_CHECK(Printable(entry.text).size() >= entry.text.size());
    FUZZ_CHECK(entry.reason.empty() == (entry.kind != NoProxyEntry::Kind::kInert));
    FUZZ_CHECK(entry.address.has_value() == (entry.kind == NoProxyEntry::Kind::kAddress));
    FUZZ_CHECK(entry.network.has_value() == (entry.kind == NoProxyEntry::Kind::kNetwork));
    all = all || entry.kind == NoProxyEntry::Kind::kAll;
    reversed.insert(0, " ," + AsciiUpper(entry.text));
  }
  FUZZ_CHECK(all == list.HasAll());
  FUZZ_CHECK(list.SameSet(list));
  const auto again = NoProxy::Parse(reversed, kWhere);
  FUZZ_CHECK(again && again->SameSet(list) && list.SameSet(*again));
}

// A host that a pattern of WinHTTP's list matches.
std::string HostOf(std::string_view pattern) {
  if (pattern == "*") return "any.example";
  if (pattern.starts_with("*.")) return "x" + std::string(pattern.substr(1));
  std::string host(pattern);
  if (pattern.ends_with(".*")) {
    host.resize(host.size() - 2);
    while (std::ranges::count(host, '.') < 3) host += ".77";
  }
  return host;
}

void CheckTranslation(const NoProxy* list, const std::optional<ProxyUrl>& http, const std::optional<ProxyUrl>& https,
                      bool octets) {
  Findings findings;
  const auto settings = egress::TranslateForWinHttp(http, https, list, octets, findings);
  CheckFindings(findings);
  FUZZ_CHECK(settings);
  FUZZ_CHECK(egress::ValidateWinHttp(*settings));
  FUZZ_CHECK(settings->bypass.size() <= egress::kMaxWinHttpBypass);
  FUZZ_CHECK(!settings->proxy.empty() && !settings->bypass.empty());
  const auto nothing = NoProxy::Parse("", kWhere);
  for (const std::string_view pattern : Split(settings->bypass, ';')) {
    const std::string host = HostOf(pattern);
    for (const std::uint16_t port : {std::uint16_t{80}, std::uint16_t{443}, std::uint16_t{6443}}) {
      FUZZ_CHECK(egress::GoBypasses(list != nullptr ? *list : *nothing, host, port));
    }
  }
}

std::optional<ProxyUrl> Proxy(const std::string& text) {
  Findings findings;
  auto url = egress::ParseProxyUrl(Secret(text), egress::ProxyVariable::kHttps, kWhere, findings);
  FUZZ_CHECK(url);
  return *std::move(url);
}

// The input as a bypass list that somebody else wrote.
void CheckValidator(std::string_view text) {
  const auto valid = egress::ValidateWinHttp({"proxy.example.com:3128", std::string(text)});
  if (!valid) {
    CheckError(valid.error());
    FUZZ_CHECK(valid.error().code == Code::kFailOpen);
    return;
  }
  FUZZ_CHECK(text.find_first_of("/ \t\r\n<>@\"") == std::string_view::npos && IsAscii(text));
  FUZZ_CHECK(text == "*" || text.empty() || !egress::ValidateWinHttp({"", std::string(text)}));
}

void CheckHosts(const NoProxy& list, std::string_view hosts) {
  for (const std::string_view host : Split(hosts, ' ')) {
    for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{80}, std::uint16_t{443}})
      CheckHost(list, host, port);
  }
  for (const NoProxyEntry& entry : list.entries()) {
    CheckHost(list, entry.text, 443);
    CheckHost(list, entry.name, entry.port.value_or(80));
    CheckHost(list, "x." + entry.name, entry.port.value_or(80));
    CheckHost(list, "x" + entry.name, entry.port.value_or(80));
    if (entry.address) CheckHost(list, entry.address->ToString(), entry.port.value_or(80));
    if (entry.network) CheckHost(list, entry.network->address().ToString(), 80);
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  static const auto plain = Proxy("http://proxy.example.com:3128");
  static const auto other = Proxy("http://user:secret@[2001:db8::1]:8080");
  const std::string_view input = TextOf(data, size);
  const std::string_view text = input.substr(0, input.find('\x01'));
  const std::string_view hosts = text.size() == size ? std::string_view() : input.substr(text.size() + 1);
  CheckValidator(text);
  const auto list = prov::egress::NoProxy::Parse(text, kWhere);
  if (!list) {
    CheckError(list.error());
    FUZZ_CHECK(list.error().code == prov::Code::kNoProxy);
    return 0;
  }
  FUZZ_CHECK(list->text() == text);
  CheckEntries(*list);
  if (prov::IsAscii(text)) CheckHosts(*list, hosts);
  CheckFindings(prov::egress::LintNoProxy(*list, {}, kWhere));
  CheckFindings(prov::egress::LintNoProxy(
      *list, {std::string(hosts), {std::string(hosts), "172.30.0.0/16"}, "169.254.169.254"}, kWhere));
  for (const bool octets : {false, true}) {
    CheckTranslation(&*list, plain, plain, octets);
    CheckTranslation(&*list, plain, other, octets);
    CheckTranslation(&*list, std::nullopt, other, octets);
  }
  CheckTranslation(nullptr, other, std::nullopt, false);
  return 0;
}
