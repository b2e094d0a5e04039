// LintNoProxy: findings about a NO_PROXY list.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

constexpr std::size_t kMaxEntryBytes = 100;  // bytes of an entry in a message
constexpr std::uint16_t kApiPort = 6443;
constexpr std::uint16_t kMetadataPort = 80;

// An entry, redacted and shortened for a message.
std::string Shown(std::string_view text) {
  const std::string out = RedactNoProxyEntry(text);
  return out.size() <= kMaxEntryBytes ? out : std::string(Shorten(out, kMaxEntryBytes)) + "…";
}

struct Lint {
  void Add(Severity severity, FindingCode code, std::string message) {
    findings.Add(severity, code, std::move(message), where);
  }
  void Warn(FindingCode code, std::string message) { findings.Warn(code, std::move(message), where); }

  std::string where;
  CappedFindings findings;
};

// Digits and dots only: probably meant as an address.
bool LooksLikeAddress(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// "10.0.0.1-10.0.0.9"
bool IsAddressRange(std::string_view name) {
  const std::size_t dash = name.find('-');
  const auto is_ipv4 = [](std::string_view text) {
    const auto address = IpAddress::Parse(text);
    return address && address->IsIpv4();
  };
  return dash != std::string_view::npos && is_ipv4(name.substr(0, dash)) && is_ipv4(name.substr(dash + 1));
}

// The entry as the subject of a message. `position`, from 1, is said where a part of the entry is hidden.
std::string Named(const NoProxyEntry& entry, std::size_t position) {
  const bool hides = RedactNoProxyEntry(entry.text) != entry.text;
  return hides ? fmt::format("entry {} of NO_PROXY ('{}')", position, Shown(entry.text))
               : fmt::format("NO_PROXY entry '{}'", Shown(entry.text));
}

void LintInert(const NoProxyEntry& entry, std::size_t position, Lint& lint) {
  const std::string named = Named(entry, position);
  if (entry.text.find(';') != std::string::npos || entry.text.find_first_of(" \t") != std::string::npos) {
    lint.Warn("no-proxy-separator",
              fmt::format("{} holds a blank or ';', so it matches nothing: Go separates entries by commas only; write "
                          "commas",
                          named));
    return;
  }
  lint.Warn("no-proxy-inert", fmt::format("{} matches nothing: {}; correct or remove it", named, entry.reason));
}

void LintName(const NoProxyEntry& entry, Lint& lint) {
  const std::string text = Shown(entry.text);
  if (!IsAscii(entry.name)) {
    lint.Warn("no-proxy-idn", fmt::format("NO_PROXY entry '{}' is not ASCII: clients differ on it and WinHTTP can't "
                                          "hold it; write its punycode form (xn--…)",
                                          text));
  }
  if (LooksLikeAddress(entry.name)) {
    lint.Warn("no-proxy-odd-address",
              fmt::format("NO_PROXY entry '{}' looks like an address but is not one: Go compares it as text, other "
                          "clients may read it as an "
                          "address; write four decimal numbers without leading zeros, or address/bits for a network",
                          text));
  }
  if (IsAddressRange(entry.name)) {
    lint.Warn("no-proxy-inert",
              fmt::format("NO_PROXY entry '{}' is a range, which only Node.js reads, in http and https: for others it "
                          "is a name that matches none of the addresses; write networks (address/bits)",
                          text));
  }
  if (entry.name.ends_with('.') || entry.name.empty()) {
    lint.Add(Severity::kInfo, "no-proxy-trailing-dot",
             fmt::format("NO_PROXY entry '{}' matches in Go only hosts that are written with a final dot", text));
  }
}

void LintNetwork(const NoProxyEntry& entry, Lint& lint) {
  const std::string text = Shown(entry.text);
  if (entry.network->prefix() == 0) {
    lint.Warn(
        "no-proxy-wide",
        fmt::format("NO_PROXY entry '{}' takes every {} address around the proxy; name the networks that are meant",
                    text, entry.network->IsIpv4() ? "IPv4" : "IPv6"));
    return;
  }
  const auto given = IpAddress::Parse(std::string_view(entry.text).substr(0, entry.text.find('/')));
  if (given && *given != entry.network->address()) {
    lint.Add(Severity::kInfo, "no-proxy-host-bits",
             fmt::format("NO_PROXY entry '{}' has bits set below its mask: it means the whole network {}", text,
                         entry.network->ToString()));
  }
}

void LintAll(const NoProxy& list, Lint& lint) {
  if (!list.HasAll()) return;
  const bool alone = std::all_of(list.entries().begin(), list.entries().end(),
                                 [](const NoProxyEntry& e) { return e.kind == Kind::kAll; });
  if (alone) {
    lint.Add(Severity::kInfo, "no-proxy-all",
             "NO_PROXY is '*': every destination goes around the proxy in Go; .NET ignores it");
    return;
  }
  lint.Warn("no-proxy-wide",
            "NO_PROXY holds '*' among other entries: Go then takes every destination around the proxy, while curl, "
            ".NET and Python ignore that "
            "entry; write '*' alone or remove it");
}

void LintMissing(const NoProxy& list, const ClusterFacts& facts, Lint& lint) {
  if (!facts.api_host.empty() && !GoBypasses(list, facts.api_host, kApiPort)) {
    lint.Warn("no-proxy-missing",
              fmt::format("NO_PROXY does not cover the API server {}: kubelet would reach it through the proxy; add it",
                          Shown(facts.api_host)));
  }
  if (!facts.metadata_address.empty() && !GoBypasses(list, facts.metadata_address, kMetadataPort)) {
    lint.Warn("no-proxy-missing",
              fmt::format("NO_PROXY does not cover the metadata service {}: instance data would be asked for through "
                          "the proxy, which can't answer; add it",
                          Shown(facts.metadata_address)));
  }
  for (const std::string& range : facts.service_ranges) {
    const auto network = IpNetwork::Parse(range);
    const bool covered =
        list.HasAll() ||
        (network && std::any_of(list.entries().begin(), list.entries().end(),
                                [&](const NoProxyEntry& e) { return e.network && e.network->Contains(*network); }));
    if (covered) continue;
    lint.Warn(
        "no-proxy-missing",
        network
            ? fmt::format(
                  "NO_PROXY does not cover the service network {}: services would be reached through the proxy; add it",
                  Shown(range))
            : fmt::format(
                  "the service network {} is not a valid network, so NO_PROXY can't be checked against it; correct it",
                  Shown(range)));
  }
}

}  // namespace

Findings LintNoProxy(const NoProxy& no_proxy, const ClusterFacts& facts, std::string_view where) {
  Findings out;
  {
    Lint lint{.where = std::string(where), .findings = {out, where}};
    std::size_t position = 0;
    for (const NoProxyEntry& entry : no_proxy.entries()) {
      ++position;
      if (entry.kind == Kind::kInert) LintInert(entry, position, lint);
      if (entry.kind == Kind::kHost || entry.kind == Kind::kSuffix) LintName(entry, lint);
      if (entry.network) LintNetwork(entry, lint);
    }
    LintAll(no_proxy, lint);
    LintMissing(no_proxy, facts, lint);
  }
  return out;
}

}  // namespace prov::egress
