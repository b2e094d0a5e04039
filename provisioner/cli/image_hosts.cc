#include "provisioner/cli/image_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

constexpr unsigned kHttps = 443;

// A host that was asked, with the purposes of the requests, and the way to it.
struct AskedHost {
  std::vector<pull::Purpose> purposes;
  bool tls = true;
  std::string via;  // as in pull::Step

  bool direct() const { return via == "direct"; }
};
using AskedHosts = std::map<std::pair<std::string, unsigned>, AskedHost>;

void AddHosts(const pull::Pulled& image, AskedHosts& out) {
  for (const pull::Step& step : image.steps) {
    if (step.host.empty()) continue;
    AskedHost& host = out[{step.host, step.port}];
    host.tls = step.url.starts_with("https://");
    host.via = step.via;
    if (std::ranges::find(host.purposes, step.purpose) == host.purposes.end()) host.purposes.push_back(step.purpose);
  }
  for (auto& [name, host] : out) std::ranges::sort(host.purposes);
}

AskedHosts HostsOf(std::span<const pull::Pulled> images) {
  AskedHosts out;
  for (const pull::Pulled& image : images) AddHosts(image, out);
  return out;
}

std::string JoinPurposes(const AskedHost& host) {
  std::vector<std::string_view> out;
  out.reserve(host.purposes.size());
  for (const pull::Purpose one : host.purposes) out.push_back(pull::NameOf(one));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

// "HOST", and ":PORT" where it is not that of https.
std::string PlaceText(const std::pair<std::string, unsigned>& place) {
  const std::string host = Bracketed(place.first);
  return place.second == kHttps ? host : fmt::format("{}:{}", host, place.second);
}

// Names for which their service documents one name with a wildcard.
struct DocumentedWildcard {
  std::string_view end;  // of the hosts
  std::string_view by;
};
constexpr std::array kWildcards = {DocumentedWildcard{".data.mcr.microsoft.com", "Microsoft"},
                                   DocumentedWildcard{".quay.io", "Red Hat"}};

}  // namespace

void WriteHosts(JsonWriter& json, std::span<const pull::Pulled> images) {
  json.Key("hosts").BeginArray();
  for (const auto& [place, host] : HostsOf(images)) {
    json.BeginObject().Member("host", place.first).Member("port", std::int64_t{place.second});
    json.Key("purposes").BeginArray();
    for (const pull::Purpose one : host.purposes) json.String(pull::NameOf(one));
    json.EndArray().EndObject();
  }
  json.EndArray();
}

std::string DescribeHosts(const pull::Pulled& image) {
  AskedHosts hosts;
  AddHosts(image, hosts);
  std::size_t names = 0;
  std::size_t purposes = 0;
  for (const auto& [place, host] : hosts) {
    names = std::max(names, PlaceText(place).size());
    purposes = std::max(purposes, JoinPurposes(host).size());
  }
  std::string out;
  for (const auto& [place, host] : hosts) {
    out += fmt::format("  {:<{}}  {:<{}}  {}\n", Printable(PlaceText(place)), names, JoinPurposes(host), purposes,
                       Printable(host.direct() ? host.via : fmt::format("through {}", host.via)));
  }
  return out;
}

std::string RequiredList(std::span<const pull::Pulled> images) {
  std::string out;
  for (const auto& [place, host] : HostsOf(images)) {
    out += fmt::format("{}://{}:{}/ {}  # {}\n", host.tls ? "https" : "http", Bracketed(place.first), place.second,
                       host.direct() ? "direct" : "proxy", JoinPurposes(host));
  }
  return out;
}

std::string RouterList(std::span<const pull::Pulled> images) {
  std::map<std::string, std::string> lines;  // by name: the comments before it
  std::vector<std::string> direct;
  for (const auto& [place, host] : HostsOf(images)) {
    if (host.direct()) {
      direct.push_back(PlaceText(place));
      continue;
    }
    const auto covers = [&](const DocumentedWildcard& one) { return place.first.ends_with(one.end); };
    const auto* const wildcard = std::ranges::find_if(kWildcards, covers);
    const bool is_covered = wildcard != kWildcards.end();
    std::string& comments = lines[is_covered ? fmt::format("*{}", wildcard->end) : place.first];
    if (is_covered && comments.empty())
      comments = fmt::format("# {} documents this name for storage such as {}\n", wildcard->by, place.first);
    if (place.second != kHttps) comments += fmt::format("# asked at port {}: {}\n", place.second, place.first);
  }
  std::string out;
  for (const auto& [name, comments] : lines) out.append(comments).append(name).append("\n");
  if (!direct.empty()) out += fmt::format("# goes direct, so no router sees it: {}\n", fmt::join(direct, ", "));
  return out;
}

}  // namespace prov::cli
