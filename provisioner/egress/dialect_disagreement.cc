#include "provisioner/egress/dialect_disagreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/egress/dialect_explain.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

// For curl the older reading is compared: most nodes and images have a version before 8.18.
constexpr std::array<Dialect, 4> kClients = {Dialect::kGo, Dialect::kCurl8, Dialect::kDotnet, Dialect::kWinHttp};
constexpr std::size_t kMaxNamedEntries = 5;
constexpr std::size_t kLongestShown = 100;
constexpr std::string_view kLoopback = "127.0.0.1";

// How a destination relates to the entry that it was made from, in the order of the findings.
enum class About { kAddressInNetwork, kBelow, kApex, kHost, kPort, kAddress, kAll, kLoopback };

struct Probe {
  About about;
  std::string host;  // with a port if the entry has one
};

std::string HostOf(const IpAddress& address) {
  return address.IsIpv4() ? address.ToString() : "[" + address.ToString() + "]";
}

// An address of the network other than its first, if it has others.
IpAddress Inside(const IpNetwork& network) {
  IpAddress::Bytes bytes = network.address().bytes();
  if (network.bits() < 128) bytes.back() |= 1U;
  return IpAddress(bytes);
}

std::vector<Probe> ProbesOf(const NoProxyEntry& entry) {
  const std::string port = entry.port ? fmt::format(":{}", *entry.port) : "";
  const auto about = [&](About without_port) { return entry.port ? About::kPort : without_port; };
  const bool longest = entry.name.size() > kLongestShown * 2;  // too long for a name; testing it only costs time
  switch (entry.kind) {
    case Kind::kAll:
      return {{About::kAll, "a.example"}};
    case Kind::kHost:
      if (longest || entry.name.empty()) return {};
      if (entry.name == "localhost") return {{about(About::kHost), entry.name + port}};  // no names below it
      return {{about(About::kHost), entry.name + port}, {about(About::kBelow), "a." + entry.name + port}};
    case Kind::kSuffix:
      if (longest || entry.name.empty()) return {};
      return {{about(About::kBelow), "a." + entry.name + port}, {about(About::kApex), entry.name + port}};
    case Kind::kAddress:
      return {{about(About::kAddress), HostOf(*entry.address) + port}};
    case Kind::kNetwork:
      if (HostOf(Inside(*entry.network)) == kLoopback) return {};  // tested separately
      return {{About::kAddressInNetwork, HostOf(Inside(*entry.network))}};
    case Kind::kInert:
      break;
  }
  return {};
}

struct Words {
  std::string_view subject;
  std::string_view advice;
};
constexpr std::string_view kSeeExplain = "explain --url shows who does what";
// The words for each About, in the order of the enum.
constexpr std::array<Words, 8> kWords = {{
    {"addresses of a network", "name the hosts that .NET and WinHTTP clients must reach directly"},
    {"names below an entry's name", "write the name with a leading dot, too (explain --augment does)"},
    {"the name behind a leading dot", "if the name itself must go one way for all, add it without the dot"},
    {"a name of the list", kSeeExplain},
    {"an entry with a port", kSeeExplain},
    {"an address of the list",
     "write an IPv6 address in its shortest form, and that in brackets, too (explain --augment adds brackets)"},
    {"'*' that is not the whole list, or that .NET ignores", "write the names and networks that are meant"},
    {"requests to the node itself",
     "add localhost and 127.0.0.1 to the list: some clients never ask the proxy for these, and others always do"},
}};

struct Group {
  const NoProxyEntry* last = nullptr;
  std::string names;
  std::size_t count = 0;
};

// The clients that go direct, as bits of kClients. One more bit for the newest curl, which only decides how the older
// one is named in messages.
using DirectClients = unsigned;
constexpr DirectClients kEveryone = (1U << kClients.size()) - 1;
constexpr DirectClients kNewCurl = 1U << kClients.size();

std::string_view ShownName(std::size_t client, DirectClients direct) {
  if (kClients[client] != Dialect::kCurl8) return TitleOf(kClients[client]);
  return ((direct >> client) & 1U) == ((direct & kNewCurl) != 0 ? 1U : 0U) ? "curl" : "curl before 8.18";
}

std::string Clients(DirectClients direct, bool wanted) {
  std::string out;
  for (std::size_t i = 0; i < kClients.size(); ++i) {
    if (((direct >> i) & 1U) != (wanted ? 1U : 0U)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", ShownName(i, direct));
  }
  return out;
}

DirectClients Ask(const Explainer& explainer, const Destination& to) {
  DirectClients out = 0;
  for (std::size_t i = 0; i < kClients.size(); ++i) {
    if (explainer.Decide(kClients[i], to).route == Route::kDirect) out |= 1U << i;
  }
  if (explainer.Decide(Dialect::kCurl, to).route == Route::kDirect) out |= kNewCurl;
  return out;
}

bool Disagree(DirectClients direct) { return (direct & kEveryone) != 0 && (direct & kEveryone) != kEveryone; }

void Note(Group& group, const NoProxyEntry& entry) {
  if (std::exchange(group.last, &entry) == &entry) return;  // two probes of one entry
  if (++group.count > kMaxNamedEntries) return;
  const bool shown = entry.text.size() <= kLongestShown;
  group.names +=
      (group.names.empty() ? "" : ", ") + (shown ? RedactNoProxyEntry(entry.text) : std::string("an overlong entry"));
}

}  // namespace

Findings ReviewDisagreements(const NoProxy& whole, std::string_view where) {
  Findings out;
  std::string_view text = whole.text();
  if (text.size() > kMaxVariableUnits) text = text.substr(0, text.rfind(',', kMaxVariableUnits));
  const auto part = NoProxy::Parse(text, where);
  if (!part || text.size() > kMaxVariableUnits) return out;
  const NoProxy& list = *part;
  const Secret proxy("http://proxy.invalid:3128");  // any proxy will do
  const auto explainer = Explainer::Make({proxy, proxy, list.text(), false});
  if (!explainer) return out;
  std::map<std::pair<About, DirectClients>, Group> groups;
  for (const NoProxyEntry& entry : list.entries()) {
    for (const Probe& probe : ProbesOf(entry)) {
      const auto to = ParseDestination("http://" + probe.host);
      const DirectClients direct = to ? Ask(*explainer, *to) : 0;
      if (Disagree(direct)) Note(groups[{probe.about, direct}], entry);
    }
  }
  // For a list with "*", the findings are about "*" only.
  const DirectClients loopback =
      list.HasAll() ? kEveryone : Ask(*explainer, ParseDestination("http://127.0.0.1/").value());
  if ((loopback & kEveryone) != kEveryone) groups[{About::kLoopback, loopback}].names = kLoopback;
  for (const auto& [key, group] : groups) {
    const auto& [about, direct] = key;
    const Words& words = kWords[static_cast<std::size_t>(about)];
    const std::string more =
        group.count > kMaxNamedEntries ? fmt::format(" and {} more", group.count - kMaxNamedEntries) : "";
    AddWarning(
        out, "clients-disagree",
        fmt::format("clients of one node disagree on {} ({}{}): {} go direct, {} use the proxy; {}", words.subject,
                    group.names, more, Clients(direct, true), Clients(direct, false), words.advice),
        std::string(where));
  }
  return out;
}

}  // namespace prov::egress
