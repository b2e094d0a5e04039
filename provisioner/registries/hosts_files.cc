#include "provisioner/registries/hosts_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::registries {
namespace {

constexpr std::string_view kForAllOthers = "_default";
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

// A whole registry.
bool IsWhole(const Registry& registry) { return PathIn(registry.prefix).empty(); }
const std::string& LocationOf(const Registry& registry) {
  return registry.location.empty() ? registry.prefix : registry.location;
}

// What is said of one registry, before it becomes files.
struct Whole {
  std::string registry;
  std::vector<HostConfig> hosts;       // with TLS
  std::optional<HostConfig> own = {};  // what is asked for the registry itself; nullopt: as containerd does by itself
  bool blocked = false;
  bool moved = false;                                          // `own` is another place
  bool stated = false;                                         // a setting is for all of its images
  std::map<std::string, std::set<std::string>> insecure = {};  // the settings by which a URL may be insecure
  std::set<std::string> secure = {};                           // URLs that a setting has verified
};

// Container tools ask an insecure host with TLS, whatever its certificate is, then without.
void AppendHost(HostConfig host, bool insecure, std::vector<HostConfig>& out) {
  if (!insecure) {
    out.push_back(std::move(host));
    return;
  }
  HostConfig plain = host;
  plain.url.scheme = "http";
  host.skip_verify = true;
  out.push_back(std::move(host));
  out.push_back(std::move(plain));
}

// Adds a host, or what it is asked for to the same one before it: the file has a table for each URL.
void AddHost(HostConfig host, std::vector<HostConfig>& out) {
  const auto same = std::ranges::find(out, host.url, &HostConfig::url);
  if (same == out.end()) {
    out.push_back(std::move(host));
  } else {
    same->resolve = same->resolve || host.resolve;
  }
}

class FilesMaker {
 public:
  FilesMaker(const Mirrors& mirrors, const NodeTrust& trust, HostsFiles& out)
      : mirrors_(mirrors), trust_(trust), out_(out), findings_(out.findings, "the cluster's mirrors") {}

  void Make() {
    std::vector<const Registry*> registries;
    registries.reserve(mirrors_.registries.size());
    for (const Registry& one : mirrors_.registries) registries.push_back(&one);
    // The more a prefix says, the earlier its mirrors are asked.
    std::ranges::sort(registries, [](const Registry* a, const Registry* b) {
      return a->prefix.size() != b->prefix.size() ? a->prefix.size() > b->prefix.size() : a < b;  // in their order
    });
    for (const Registry* one : registries) {
      ++settings_[AsciiLower(WindowsFolderOf(HostIn(one->prefix)))];
      Add(*one);
    }
    for (const RegistryCa& ca : mirrors_.cas) {
      if (CaOf(ca.host) != nullptr) WholeOf(ca.host);
    }
    for (auto& [key, whole] : wholes_) Write(WindowsFolderOf(whole.registry), whole);
  }

 private:
  // nullptr: there is no folder for it, which is reported.
  Whole* WholeOf(std::string_view registry) {
    const std::string folder = WindowsFolderOf(registry);
    if (EqualsIgnoreAsciiCase(folder, kForAllOthers)) {
      findings_.Warn("mirror-lost", "is no registry: containerd takes the folder of this name for all others",
                     std::string(registry));
      return nullptr;
    }
    if (folder.empty() || !IsTaken({"https", std::string(registry), ""})) {
      findings_.Warn("mirror-lost", "Windows has no folder of this name, so its nodes ask without these settings",
                     std::string(registry));
      return nullptr;
    }
    Whole& whole = wholes_[AsciiLower(folder)];
    if (whole.registry.empty()) whole.registry = registry;
    if (whole.registry == registry) return &whole;
    findings_.Warn("mirror-lost",
                   fmt::format("is left out: on Windows it has the same folder as {}, {}", whole.registry, folder),
                   std::string(registry));
    return nullptr;
  }

  // The CAs that a file has to name for a host; nullptr: there are none, or the node trusts all of them anyway.
  const RegistryCa* CaOf(std::string_view host) const {
    const auto found = std::ranges::find(mirrors_.cas, host, &RegistryCa::host);
    if (found == mirrors_.cas.end()) return nullptr;
    const bool trusted = std::ranges::all_of(found->certificates, [&](const std::string& der) {
      return std::ranges::find(trust_.in_root, der) != trust_.in_root.end();
    });
    return trusted ? nullptr : &*found;
  }

  // nullopt: containerd takes no such URL.
  static std::optional<HostConfig> HostAt(std::string_view host, std::string_view path) {
    HostConfig out;
    out.url = {"https", std::string(host == "docker.io" ? "registry-1.docker.io" : host), ""};
    if (!path.empty()) out.url.path = fmt::format("/v2/{}", path);
    out.override_path = !path.empty();
    return IsTaken(out.url) ? std::optional(std::move(out)) : std::nullopt;
  }

  static void Declare(const Registry& registry, const HostConfig& host, bool insecure, Whole& whole) {
    if (insecure) {
      whole.insecure[host.url.Text()].insert(registry.prefix);
    } else {
      whole.secure.insert(host.url.Text());
    }
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
    const bool moved = LocationOf(registry) != registry.prefix;
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
    if (IsWhole(registry)) {
      AddOwn(registry, *whole);
    } else {
      ReviewPart(registry, *whole);
    }
  }

  // Linux nodes do not ask it, whoever names it.
  bool IsBlocked(const std::string& location) const {
    const Registry* const found = FindRegistry(mirrors_, location);
    return found != nullptr && found->blocked;
  }

  void AddMirror(const Registry& registry, const Mirror& mirror, Whole& whole) {
    if (IsBlocked(mirror.location)) return;
    const auto base = BaseOf(PathIn(registry.prefix), PathIn(mirror.location));
    if (!base || base->find_first_of(":@") != std::string_view::npos) {
      findings_.Warn("mirror-lost",
                     fmt::format("its mirror {} is left out: its path does not end as that of its source, and "
                                 "containerd adds the image's whole path",
                                 mirror.location),
                     registry.prefix);
      return;
    }
    auto host = HostAt(HostIn(mirror.location), *base);
    if (!host) {
      findings_.Warn("mirror-lost",
                     fmt::format("its mirror {} is left out: it is no place that containerd can ask", mirror.location),
                     registry.prefix);
      return;
    }
    Declare(registry, *host, mirror.insecure, whole);
    host->push = false;
    host->resolve = mirror.use != MirrorUse::kDigestOnly;
    AddHost(*std::move(host), whole.hosts);
  }

  // What is asked for a whole registry after its mirrors.
  void AddOwn(const Registry& registry, Whole& whole) {
    const std::string& location = LocationOf(registry);
    const bool blocked = registry.blocked || IsBlocked(location);
    whole.stated = true;
    whole.blocked |= blocked;
    if (blocked) return;
    auto host = HostAt(HostIn(location), PathIn(location));
    if (!host) {
      findings_.Warn("mirror-lost", fmt::format("its location {} is no place that containerd can ask", location),
                     registry.prefix);
      return;
    }
    Declare(registry, *host, registry.insecure, whole);
    whole.moved = location != registry.prefix;
    whole.own = *std::move(host);
  }

  void ReviewPart(const Registry& registry, Whole& whole) {
    const std::string& host = whole.registry;
    if (!registry.mirrors.empty())
      findings_.Warn("mirror-widened", fmt::format("its mirrors are asked for all images of {}", host),
                     registry.prefix);
    if (registry.blocked)
      findings_.Warn("mirror-widened",
                     fmt::format("is blocked for Linux nodes, but Windows nodes ask {} for it: containerd can block "
                                 "a whole registry only",
                                 host),
                     registry.prefix);
    const std::string& location = LocationOf(registry);
    if (location != registry.prefix)
      findings_.Warn("mirror-lost", "its other location does not get to Windows nodes", registry.prefix);
    const auto base = BaseOf(PathIn(registry.prefix), PathIn(location));
    const auto own = base ? HostAt(HostIn(location), *base) : std::nullopt;
    if (own && !registry.blocked && !IsBlocked(location)) Declare(registry, *own, registry.insecure, whole);
  }

  // The URLs that may be asked without a check of who answers: those for which each image of the registry may be.
  std::set<std::string> InsecureIn(const std::string& folder, const Whole& whole) {
    std::set<std::string> out;
    const std::size_t settings = settings_[AsciiLower(folder)];
    for (const auto& [url, prefixes] : whole.insecure) {
      if (whole.stated && prefixes.size() == settings && !whole.secure.contains(url)) {
        out.insert(url);
        continue;
      }
      for (const std::string& prefix : prefixes)
        findings_.Warn("mirror-lost",
                       fmt::format("{} may be insecure for it on Linux nodes, but not on Windows nodes: containerd has "
                                   "one setting for all of {}, and not every setting of the cluster for it says so",
                                   url, whole.registry),
                       prefix);
    }
    return out;
  }

  // Whether the source trusts them for everything, whatever of its trust the node takes.
  bool AreTrusted(const RegistryCa& ca) const {
    return std::ranges::all_of(ca.certificates, [&](const std::string& der) {
      return std::ranges::find(trust_.all, der) != trust_.all.end();
    });
  }

  // Has the host's CAs trusted, if there are any: writes them beside the file. `written`: by file, whose CAs it has.
  void Trust(const std::string& folder, std::string_view registry, HostConfig& host,
             std::map<std::string, std::string>& written) {
    const std::string_view name = host.url.host.empty() ? registry : std::string_view(host.url.host);
    const RegistryCa* const ca = CaOf(name);
    if (ca == nullptr || host.skip_verify || host.url.scheme == "http") return;
    const std::string stem = WindowsFolderOf(name);
    if (stem.empty()) return;
    const std::string file = name == registry ? std::string(kOwnCa) : stem + ".pem";
    const auto [place, is_new] = written.try_emplace(AsciiLower(file), name);
    if (place->second != name) {
      findings_.Warn("mirror-lost",
                     fmt::format("its CAs are left out for {}: on Windows they have the same file as those of {}",
                                 registry, place->second),
                     ca->host);
      return;
    }
    host.ca = {file};
    if (!is_new) return;
    std::vector<std::string> ders = ca->certificates;
    ders.insert(ders.end(), trust_.all.begin(), trust_.all.end());
    std::string bytes;
    for (auto der = ders.begin(); der != ders.end(); ++der) {
      if (std::find(ders.begin(), der, *der) == der) bytes += PemOf(*der);
    }
    out_.files.push_back({folder, file, std::move(bytes)});
    if (alone_.insert(ca->host).second)
      findings_.Warn("registries-ca",
                     fmt::format("has a CA that is not among the trusted CAs of the node, so hosts.toml names it; "
                                 "containerd before 2.3 then does not use Windows' own store for this host, and its "
                                 "token service, or storage behind a redirect, fails with a certificate of a public "
                                 "CA. {}: then no file has to name it",
                                 AreTrusted(*ca) ? "Take certs into the scope, and leave the CA out of --subtract"
                                                 : "Add the CA to the cluster's trusted CAs"),
                     ca->host);
  }

  // The mirrors in the order in which containerd asks them.
  static std::vector<HostConfig> HostsOf(Whole& whole, const std::set<std::string>& insecure) {
    std::vector<HostConfig> out;
    out.reserve(2 * whole.hosts.size() + 2);
    for (HostConfig& one : whole.hosts) {
      const bool may = insecure.contains(one.url.Text());
      AppendHost(std::move(one), may, out);
    }
    return out;
  }

  void Write(const std::string& folder, Whole& whole) {
    const std::set<std::string> insecure = InsecureIn(folder, whole);
    HostsToml toml;
    toml.hosts = HostsOf(whole, insecure);
    std::vector<HostConfig> own;
    if (whole.own) {
      const bool may = insecure.contains(whole.own->url.Text());
      if (may || whole.moved) AppendHost(*std::move(whole.own), may, own);
    }
    const bool has_settings = !toml.hosts.empty() || !own.empty() || whole.blocked;
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
    } else if (!own.empty()) {
      toml.server = std::move(own.back());
      own.pop_back();
      for (HostConfig& one : own) AddHost(std::move(one), toml.hosts);
      if (toml.hosts.empty()) toml.hosts.push_back(toml.server);
    }
    std::map<std::string, std::string> written;
    for (HostConfig& host : toml.hosts) Trust(folder, whole.registry, host, written);
    Trust(folder, whole.registry, toml.server, written);
    if (has_settings) out_.files.push_back({folder, std::string(kHostsFile), WriteHostsToml(toml).Reveal()});
  }

  const Mirrors& mirrors_;
  const NodeTrust& trust_;
  HostsFiles& out_;
  CappedFindings findings_;
  std::map<std::string, Whole> wholes_;  // by the folder without case
  // How many settings decide for images of the registries with a folder, also those that say nothing else.
  std::map<std::string, std::size_t> settings_;
  std::set<std::string> alone_;  // hosts whose CAs a file names
};

}  // namespace

HostsFiles MakeHostsFiles(const Mirrors& mirrors, const NodeTrust& trust) {
  HostsFiles out;
  FilesMaker(mirrors, trust, out).Make();
  return out;
}

}  // namespace prov::registries
