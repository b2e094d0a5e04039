#include "provisioner/registries/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"

namespace prov::registries {
namespace {

constexpr std::string_view kHub = "docker.io";
constexpr std::string_view kHubHost = "registry-1.docker.io";

// What a query's value may hold as it is: a registry has no other characters but ':', '[' and ']'.
std::string EscapeRegistry(std::string_view registry) {
  std::string out;
  for (const char c : registry) {
    const bool plain = IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Go's net.SplitHostPort, as far as a registry can go: the host without its port, or all of it.
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    return close + 1 == host.size() ? host : host.substr(1, close - 1);
  }
  const std::size_t colon = host.find(':');
  return colon == host.rfind(':') ? host.substr(0, colon) : host;
}

bool IsLocalRegistry(std::string_view registry) {
  const std::string_view host = WithoutPort(registry);
  if (host == "localhost") return true;
  const auto address = IpAddress::Parse(host);
  return address && address->IsLoopback();
}

// The table of the registry itself where hosts.toml names no server.
void SetDefaultServer(const std::string& registry, Containerd version, HostConfig& host) {
  host.url = {"https", registry, "/v2"};
  host.override_path = false;
  host.pull = host.resolve = host.push = true;
  if (registry == kHub) host.url.host = kHubHost;
  if (registry == kHub || !IsLocalRegistry(registry)) return;
  const std::string port = host.url.Port();
  const bool is_https = version != Containerd::k1_6 && (port.empty() || port == "443");
  if (!is_https) host.url.scheme = "http";
  if (version == Containerd::k1_6 || port != "80") host.skip_verify = true;
}

Endpoint EndpointOf(const ImageReference& image, const HostConfig& host, const ContainerdRules& rules) {
  Endpoint out;
  out.url = fmt::format("{}://{}{}", host.url.scheme, host.url.host, ApiPath(host.url, host.override_path));
  out.repository = image.repository;
  out.mirror = host.url.host != image.registry && (image.registry != kHub || host.url.host != kHubHost);
  out.pull = host.pull;
  out.resolve = host.resolve;
  out.skip_verify = host.skip_verify.value_or(false);
  out.tls_first =
      rules.version != Containerd::k1_6 && host.url.scheme == "http" && host.has_tls() && host.url.Port() != "80";
  out.headers = host.headers;
  if (out.mirror) out.name_space = image.registry;
  out.ca_files = host.ca;
  out.only_these_roots = rules.windows && !host.ca.empty();
  if (!host.client.empty()) {
    out.client_certificate_file = host.client.front().first;
    out.client_key_file = host.client.front().second.empty() ? host.client.front().first : host.client.front().second;
  }
  return out;
}

// The length of what a prefix matches of "host/repository"; nullopt if it does not. "*.example.com" matches any name
// below it. As in containers/image, "example.com" also matches "example.com:5000".
std::optional<std::size_t> MatchPrefix(std::string_view name, std::string_view prefix) {
  std::size_t end = prefix.size();
  if (prefix.starts_with("*.")) {
    const std::size_t at = name.find(prefix.substr(1));
    if (at == std::string_view::npos || name.substr(0, at).find('/') != std::string_view::npos) return std::nullopt;
    end = at + prefix.size() - 1;
  } else if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  if (end == name.size() || name[end] == ':' || name[end] == '/' || name[end] == '@') return end;
  return std::nullopt;
}

}  // namespace

const Registry* FindRegistry(const Mirrors& mirrors, const std::string& name) {
  const Registry* out = nullptr;
  for (const Registry& registry : mirrors.registries) {
    const bool longer = registry.prefix.size() > (out == nullptr ? 0 : out->prefix.size());
    if (longer && MatchPrefix(name, registry.prefix)) out = &registry;
  }
  return out;
}

namespace {

void AddCas(const Mirrors& mirrors, std::string_view host, Endpoint& out) {
  for (const RegistryCa& ca : mirrors.cas) {
    if (host.empty() || ca.host == host)
      out.roots.insert(out.roots.end(), ca.certificates.begin(), ca.certificates.end());
  }
}

// "mirror.example.com/org/app", as both lists can say it.
std::string PlaceOfEndpoint(const Endpoint& endpoint) {
  std::string out = endpoint.url.substr(endpoint.url.find("://") + 3) + "/" + endpoint.repository;
  if (const std::size_t root = out.find("/v2/"); root != std::string::npos) out.erase(root, 3);
  return out;
}

// Appends the endpoint at which a Linux node asks for the image under another name. An error is a sentence.
std::string AddLinuxEndpoint(const ImageReference& image, const Mirrors& mirrors, const std::string& location,
                             bool insecure, bool is_mirror, ImageEndpoints& out) {
  const std::string text = location + image.Text().substr(image.Repository().size());
  const auto renamed = ParseImageReference(text, location);
  if (!renamed || renamed->Text() != text)
    return fmt::format("container tools refuse the name {}, which the settings give the image", text);
  const Registry* own = FindRegistry(mirrors, renamed->Repository());
  if (own != nullptr && own->blocked) return "";
  Endpoint endpoint;
  const std::string host(renamed->registry == kHub ? kHubHost : std::string_view(renamed->registry));
  endpoint.url = fmt::format("{}://{}/v2", insecure ? "http" : "https", host);
  endpoint.repository = renamed->repository;
  endpoint.mirror = is_mirror;
  endpoint.skip_verify = endpoint.tls_first = endpoint.plain_after_any_failure = insecure;
  endpoint.login_name = *renamed;
  AddCas(mirrors, renamed->registry, endpoint);
  out.endpoints.push_back(std::move(endpoint));
  return "";
}

// In their order, each once.
std::string JoinPlaces(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> out;
  out.reserve(endpoints.size());
  for (const Endpoint& one : endpoints) {
    std::string place = PlaceOfEndpoint(one);
    if (std::ranges::find(out, place) == out.end()) out.push_back(std::move(place));
  }
  return fmt::format("{}", fmt::join(out, ", then "));
}

// `mirrors`: those that are not asked.
std::string DescribeUnused(const std::vector<std::string>& mirrors, bool by_digest) {
  if (mirrors.empty()) return {};
  return fmt::format("{} {}", fmt::join(mirrors, ", "),
                     by_digest ? "is for tags only: name the image by its tag, or make an ImageDigestMirrorSet, too"
                               : "is for digests only, so it is not asked which image the tag means: name the image by "
                                 "its digest, or make an ImageTagMirrorSet, too");
}

// Hosts that give what a digest names, and do not say which digest a tag has.
std::vector<std::string> ForDigestsOnly(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> out;
  for (const Endpoint& one : endpoints) {
    const bool elsewhere = std::ranges::any_of(
        endpoints, [&](const Endpoint& other) { return other.resolve && other.Host() == one.Host(); });
    if (one.mirror && one.pull && !one.resolve && !elsewhere) out.push_back(one.Host());
  }
  return out;
}

}  // namespace

std::string Endpoint::Host() const { return std::string(UrlHost(url)); }

std::string Endpoint::UrlOf(const std::string& what) const {
  std::string out = url + "/" + repository + "/" + what;
  if (!name_space.empty()) out += "?ns=" + EscapeRegistry(name_space);
  return out;
}

ImageEndpoints ContainerdEndpoints(const ImageReference& image, const HostsToml* hosts, const ContainerdRules& rules) {
  ImageEndpoints out{.image = image, .endpoints = {}, .refusal = {}, .note = {}, .unused = {}};
  std::vector<HostConfig> all = hosts == nullptr ? std::vector<HostConfig>() : hosts->hosts;
  all.push_back(hosts == nullptr ? HostConfig() : hosts->server);
  if (all.back().url.host.empty()) SetDefaultServer(image.registry, rules.version, all.back());
  bool any_pulls = false;
  bool any_resolves = false;
  for (const HostConfig& host : all) {
    if (!host.url.usable()) continue;
    any_pulls = any_pulls || host.pull;
    any_resolves = any_resolves || (host.pull && host.resolve);
    out.endpoints.push_back(EndpointOf(image, host, rules));
  }
  if (!any_pulls) {
    out.endpoints.clear();
    out.refusal = "no host of hosts.toml has the capability pull, so containerd asks none";
  } else if (!image.by_digest() && !any_resolves) {
    out.endpoints.clear();
    out.refusal = "no host of hosts.toml has the capability resolve, so containerd finds no tag; name a digest";
  } else if (!image.by_digest()) {
    out.unused = DescribeUnused(ForDigestsOnly(out.endpoints), false);
  }
  return out;
}

ImageEndpoints OpenShiftWindowsEndpoints(const ImageReference& image, const Mirrors& mirrors,
                                         const OperatorHosts& hosts) {
  const HostsToml* file = nullptr;
  for (const std::string& folder : HostsFolders(image.registry, true)) {
    const auto found = hosts.files.find(folder);
    if (found == hosts.files.end()) continue;
    file = &found->second.hosts;
    break;
  }
  ImageEndpoints out = ContainerdEndpoints(image, file, {});
  for (Endpoint& endpoint : out.endpoints) AddCas(mirrors, "", endpoint);  // the operator's trust holds for all hosts
  const ImageEndpoints on_linux = LinuxEndpoints(image, mirrors);
  std::vector<Endpoint> usable = out.endpoints;  // a tag is not asked where none is resolved
  if (!image.by_digest()) std::erase_if(usable, [](const Endpoint& one) { return !one.resolve; });
  if (!on_linux.refusal.empty()) {
    out.note = "Linux nodes do not pull it: " + on_linux.refusal;
  } else if (const std::string places = JoinPlaces(on_linux.endpoints); places != JoinPlaces(usable)) {
    out.note = "Linux nodes ask " + places;
  }
  return out;
}

ImageEndpoints LinuxEndpoints(const ImageReference& image, const Mirrors& mirrors) {
  ImageEndpoints out{.image = image, .endpoints = {}, .refusal = {}, .note = {}, .unused = {}};
  if (out.image.by_digest()) out.image.tag.clear();
  const std::string name = image.Repository();
  const Registry* registry = FindRegistry(mirrors, name);
  if (registry == nullptr) {
    out.refusal = AddLinuxEndpoint(out.image, mirrors, name, false, false, out);
    return out;
  }
  const std::string rest = name.substr(*MatchPrefix(name, registry->prefix));
  std::vector<std::string> unused;
  for (const Mirror& mirror : registry->mirrors) {
    const bool used = mirror.use == MirrorUse::kAll || (mirror.use == MirrorUse::kDigestOnly) == image.by_digest();
    if (!used) unused.push_back(mirror.location);
    if (used && out.refusal.empty())
      out.refusal = AddLinuxEndpoint(out.image, mirrors, mirror.location + rest, mirror.insecure, true, out);
  }
  out.unused = DescribeUnused(unused, image.by_digest());
  const bool is_wildcard = registry->prefix.starts_with("*.");
  const std::string location = !registry->location.empty() ? registry->location + rest
                               : is_wildcard               ? name
                                                           : registry->prefix + rest;
  if (out.refusal.empty()) out.refusal = AddLinuxEndpoint(out.image, mirrors, location, registry->insecure, false, out);
  if (!out.refusal.empty()) {
    out.endpoints.clear();
  } else if (out.endpoints.empty()) {
    out.refusal = fmt::format("{} is blocked, and no mirror is used for it", registry->prefix);
  }
  return out;
}

}  // namespace prov::registries
