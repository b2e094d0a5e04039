#include "provisioner/registries/hosts_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::registries {
namespace {

constexpr std::string_view kOwnCa = "ca.crt";  // without a hosts.toml, containerd takes it by the end of its name
constexpr std::size_t kMostNameBytes = 90;
constexpr std::size_t kPemLine = 64;

std::string_view HostIn(std::string_view location) { return location.substr(0, location.find('/')); }
std::string_view PathIn(std::string_view location) {
  const std::size_t slash = location.find('/');
  return slash == std::string_view::npos ? std::string_view() : location.substr(slash + 1);
}

// The folder of a registry; "" if Windows has none of this name.
std::string WindowsFolderOf(std::string_view registry) {
  const std::string name = HostsFolders(registry, true).front();
  const bool plain =
      std::ranges::all_of(name, [](char c) { return IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '_'; });
  const bool is_name = plain && IsSafeRelativePath(name) && name.size() <= kMostNameBytes && !name.starts_with('.') &&
                       std::ranges::count(registry, ':') <= 1;
  return is_name ? name : std::string();
}

std::string PemOf(const std::string& der) {
  const std::string text = EncodeBase64(der);
  std::string out = "-----BEGIN CERTIFICATE-----\n";
  for (std::size_t at = 0; at < text.size(); at += kPemLine) out.append(text, at, kPemLine).append("\n");
  return out.append("-----END CERTIFICATE-----\n");
}

// Whether each version of containerd takes it for the URL of a host. One that it does not takes the whole file with it.
bool IsTaken(const ServerUrl& url) {
  const auto read = ParseServerUrl(url.Text());
  return read && *read == url && url.host.find('[') == std::string::npos;
}

// What is said of one registry, before it becomes files.
struct Whole {
  std::string registry;
  std::vector<HostConfig> hosts;
  std::vector<HostConfig> own;  // what is asked for the registry itself, in order; empty: as containerd does by itself
  bool blocked = false;
};

class FilesMaker {
 public:
  FilesMaker(const Mirrors& mirrors, std::span<const std::string> trusted, HostsFiles& out)
      : mirrors_(mirrors), trusted_(trusted), out_(out), findings_(out.findings, "the cluster's mirrors") {}

  void Make() {
    std::vector<const Registry*> registries;
    registries.reserve(mirrors_.registries.size());
    for (const Registry& one : mirrors_.registries) registries.push_back(&one);
    // The more a prefix says, the earlier its mirrors are asked.
    std::ranges::sort(registries, [](const Registry* a, const Registry* b) {
      return a->prefix.size() != b->prefix.size() ? a->prefix.size() > b->prefix.size() : a < b;  // in their order
    });
    for (const Registry* one : registries) Add(*one);
    for (const RegistryCa& ca : mirrors_.cas) {
      if (!ca.certificates.empty()) WholeOf(ca.host);
    }
    for (auto& [key, whole] : wholes_) Write(WindowsFolderOf(whole.registry), whole);
  }

 private:
  // nullptr: there is no folder for it, which is reported.
  Whole* WholeOf(std::string_view registry) {
    const std::string folder = WindowsFolderOf(registry);
    if (folder.empty() || !IsTaken({"https", std::string(registry), ""})) {
      findings_.Warn("mirror-lost", "Windows has no folder of this name, so its nodes ask without these settings",
                     std::string(registry));
      return nullptr;
    }
    Whole& whole = wholes_[AsciiLower(folder)];
    if (whole.registry.empty()) whole.registry = registry;
    return &whole;
  }

  const RegistryCa* CaOf(std::string_view host) const {
    const auto found = std::ranges::find(mirrors_.cas, host, &RegistryCa::host);
    return found == mirrors_.cas.end() || found->certificates.empty() ? nullptr : &*found;
  }

  // Appends the URLs of a host in the order in which container tools try them: an insecure one with TLS, whatever its
  // certificate is, then without. False: containerd takes no such URL, so nothing is appended.
  static bool AddHost(std::string_view host, std::string_view path, const HostConfig& like, bool insecure,
                      std::vector<HostConfig>& out) {
    HostConfig one = like;
    one.url = {"https", std::string(host == "docker.io" ? "registry-1.docker.io" : host), ""};
    if (!path.empty()) one.url.path = fmt::format("/v2/{}", path);
    one.override_path = !path.empty();
    if (!IsTaken(one.url)) return false;
    if (insecure) one.skip_verify = true;
    for (const bool plain : {false, true}) {
      if (plain && !insecure) continue;
      if (plain) {
        one.url.scheme = "http";
        one.skip_verify.reset();
      }
      const auto same = std::ranges::find(out, one.url, &HostConfig::url);
      if (same == out.end()) {
        out.push_back(one);
      } else {
        same->resolve = same->resolve || one.resolve;
      }
    }
    return true;
  }

  // The path below which a mirror has the whole registry; nullopt: its path does not end as that of its source.
  static std::optional<std::string_view> BaseOf(std::string_view source_path, std::string_view mirror_path) {
    if (source_path.empty()) return mirror_path;
    if (mirror_path == source_path) return std::string_view();
    if (!mirror_path.ends_with(source_path)) return std::nullopt;
    mirror_path.remove_suffix(source_path.size());
    if (!mirror_path.ends_with('/')) return std::nullopt;
    mirror_path.remove_suffix(1);
    return mirror_path;
  }

  void Add(const Registry& registry) {
    const std::string_view host = HostIn(registry.prefix);
    const std::string_view path = PathIn(registry.prefix);
    const bool moved = !registry.location.empty() && registry.location != registry.prefix;
    if (registry.mirrors.empty() && !registry.blocked && !registry.insecure && !moved) return;
    if (registry.prefix.starts_with("*.")) {
      findings_.Warn("mirror-lost", "containerd has no folder for a wildcard", registry.prefix);
      return;
    }
    if (path.find_first_of(":@") != std::string_view::npos) {
      findings_.Warn("mirror-lost", "containerd has no settings for a single image", registry.prefix);
      return;
    }
    Whole* const whole = WholeOf(host);
    if (whole == nullptr) return;
    for (const Mirror& mirror : registry.mirrors) AddMirror(registry, mirror, *whole);
    if (path.empty()) {
      AddOwn(registry, *whole);
    } else {
      ReviewPart(registry, host);
    }
  }

  void AddMirror(const Registry& registry, const Mirror& mirror, Whole& whole) {
    const auto base = BaseOf(PathIn(registry.prefix), PathIn(mirror.location));
    if (!base || base->find_first_of(":@") != std::string_view::npos) {
      findings_.Warn("mirror-lost",
                     fmt::format("its mirror {} is left out: its path does not end as that of its source, and "
                                 "containerd adds the image's whole path",
                                 mirror.location),
                     registry.prefix);
      return;
    }
    HostConfig like;
    like.push = false;
    like.resolve = mirror.use != MirrorUse::kDigestOnly;
    if (!AddHost(HostIn(mirror.location), *base, like, mirror.insecure, whole.hosts))
      findings_.Warn("mirror-lost",
                     fmt::format("its mirror {} is left out: it is no place that containerd can ask", mirror.location),
                     registry.prefix);
  }

  // What is asked for a whole registry after its mirrors.
  void AddOwn(const Registry& registry, Whole& whole) {
    const std::string& location = registry.location.empty() ? registry.prefix : registry.location;
    whole.blocked = registry.blocked;
    if (!registry.insecure && (location == registry.prefix || registry.blocked)) return;
    if (!AddHost(HostIn(location), PathIn(location), HostConfig(), registry.insecure, whole.own))
      findings_.Warn("mirror-lost", fmt::format("its location {} is no place that containerd can ask", location),
                     registry.prefix);
  }

  void ReviewPart(const Registry& registry, std::string_view host) {
    if (!registry.mirrors.empty())
      findings_.Warn("mirror-widened", fmt::format("its mirrors are asked for all images of {}", host),
                     registry.prefix);
    if (registry.blocked)
      findings_.Warn("mirror-widened",
                     fmt::format("is blocked for Linux nodes, but Windows nodes ask {} for it: containerd can block "
                                 "a whole registry only",
                                 host),
                     registry.prefix);
    if (!registry.location.empty() && registry.location != registry.prefix)
      findings_.Warn("mirror-lost", "its other location does not get to Windows nodes", registry.prefix);
    if (registry.insecure)
      findings_.Warn("mirror-lost", "may be insecure on Linux nodes, but not on Windows nodes", registry.prefix);
  }

  // Has the host's CAs trusted, if there are any: writes them beside the file.
  void Trust(const std::string& folder, std::string_view registry, HostConfig& host,
             std::map<std::string, std::string>& written) {
    const std::string_view name = host.url.host.empty() ? registry : std::string_view(host.url.host);
    const RegistryCa* const ca = CaOf(name);
    if (ca == nullptr || host.skip_verify || host.url.scheme == "http") return;
    const std::string stem = WindowsFolderOf(name);
    if (stem.empty()) return;
    const std::string file = name == registry ? std::string(kOwnCa) : stem + ".pem";
    host.ca = {file};
    if (written.contains(AsciiLower(file))) return;
    std::vector<std::string> ders = ca->certificates;
    ders.insert(ders.end(), trusted_.begin(), trusted_.end());
    std::string bytes;
    for (auto der = ders.begin(); der != ders.end(); ++der) {
      if (std::find(ders.begin(), der, *der) == der) bytes += PemOf(*der);
    }
    written[AsciiLower(file)] = file;
    out_.files.push_back({folder, file, std::move(bytes)});
  }

  void Write(const std::string& folder, Whole& whole) {
    HostsToml toml;
    toml.hosts = std::move(whole.hosts);
    const bool has_settings = !toml.hosts.empty() || !whole.own.empty() || whole.blocked;
    // Before 2.0, containerd reads no file without a table of a host. It asks `server` last, in the registry's place.
    if (whole.blocked && !toml.hosts.empty()) {
      toml.server = toml.hosts.back();
      if (toml.hosts.size() > 1) toml.hosts.pop_back();
    } else if (whole.blocked) {
      HostConfig none;  // containerd pulls nothing where no host may be pulled from
      none.url = {"https", whole.registry, ""};
      none.pull = none.resolve = false;
      toml.hosts.push_back(none);
      toml.server = std::move(none);
    } else if (!whole.own.empty()) {
      toml.hosts.insert(toml.hosts.end(), whole.own.begin(), whole.own.end() - 1);
      toml.server = std::move(whole.own.back());
      if (toml.hosts.empty()) toml.hosts.push_back(toml.server);
    }
    std::map<std::string, std::string> written;
    for (HostConfig& host : toml.hosts) Trust(folder, whole.registry, host, written);
    Trust(folder, whole.registry, toml.server, written);
    if (has_settings) out_.files.push_back({folder, std::string(kHostsFile), WriteHostsToml(toml).Reveal()});
  }

  const Mirrors& mirrors_;
  std::span<const std::string> trusted_;
  HostsFiles& out_;
  CappedFindings findings_;
  std::map<std::string, Whole> wholes_;  // by the folder without case
};

}  // namespace

HostsFiles MakeHostsFiles(const Mirrors& mirrors, std::span<const std::string> trusted) {
  HostsFiles out;
  FilesMaker(mirrors, trusted, out).Make();
  return out;
}

}  // namespace prov::registries
