#include "provisioner/registries/operator_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"

namespace prov::registries {
namespace {

std::string HostPart(std::string_view location) { return std::string(location.substr(0, location.find('/'))); }

// Behind the host, without the slash.
std::string PathPart(std::string_view location) {
  const std::size_t slash = location.find('/');
  return std::string(slash == std::string_view::npos ? "" : location.substr(slash + 1));
}

// The mirror without the components at its end that the source has, too: containerd adds the image's whole path.
std::string CutCommonEnd(std::string_view source, std::string_view mirror) {
  if (source == mirror) return HostPart(mirror);
  const std::vector<std::string_view> parts = Split(mirror, '/');
  const std::vector<std::string_view> others = Split(source, '/');
  std::size_t common = 0;
  while (common < parts.size() && common < others.size() &&
         parts[parts.size() - 1 - common] == others[others.size() - 1 - common])
    ++common;
  std::string out;
  for (std::size_t i = 0; i + common < parts.size(); ++i) out.append(i == 0 ? "" : "/").append(parts[i]);
  return out;
}

// A registry's mirrors before they become a file.
struct OperatorSet {
  struct Mirror {
    std::string host;  // with the path that is left
    bool resolves_tags = false;
  };
  std::vector<Mirror> mirrors;
  std::vector<bool> never_asks_source;  // of each source that is a part of the registry
};

// "https://HOST/v2/PATH"
std::string UrlOfLocation(std::string_view location) {
  const std::string path = PathPart(location);
  return fmt::format("https://{}/v2{}{}", HostPart(location), path.empty() ? "" : "/", path);
}

std::string OperatorText(const std::string& registry, const OperatorSet& set, const RegistryLogins& logins) {
  const bool never = set.never_asks_source.front();
  std::string out = fmt::format("server = \"{}\"\n\noverride_path = true\n",
                                UrlOfLocation(never ? set.mirrors.front().host : registry));
  for (const OperatorSet::Mirror& mirror : set.mirrors) {
    const std::string url = UrlOfLocation(mirror.host);
    out += fmt::format("\n[host.\"{}\"]\n  capabilities = [\"pull\"{}]\n  override_path = true\n", url,
                       mirror.resolves_tags ? ", \"resolve\"" : "");
    const auto login = logins.find(HostPart(mirror.host));
    if (login == logins.end()) continue;
    out += fmt::format("  [host.\"{}\".header]\n    authorization = \"Basic {}\"\n", url,
                       EncodeBase64(login->second.Reveal()));
  }
  return out;
}

class OperatorHostsMaker {
 public:
  OperatorHostsMaker(const Mirrors& mirrors, OperatorHosts& out)
      : mirrors_(mirrors), out_(out), findings_(out.findings, "the cluster's mirrors") {}

  void Make(const RegistryLogins& logins) {
    for (const Registry& registry : mirrors_.registries) Add(registry);
    for (const std::string& place : mirrors_.places) {
      if (place.find("ImageContentSourcePolicy") != std::string::npos)
        findings_.Warn("mirror-lost", "the Windows operator reads no ImageContentSourcePolicy", place);
    }
    for (auto& [name, set] : sets_) {
      std::ranges::sort(set.mirrors, {}, &OperatorSet::Mirror::host);
      if (IsFolderName(name)) Write(name, set, logins);
    }
  }

 private:
  // Whether Windows takes the name for a folder; says so if not.
  bool IsFolderName(const std::string& name) {
    if (name.find(':') != std::string::npos) {
      findings_.Warn("mirror-port",
                     "the Windows operator can't create the folder of this registry, as its name has a ':'. Windows "
                     "nodes ask the registry itself, and may lack the mirrors of other registries",
                     name);
      return false;
    }
    if (name.find_first_of("*?\"<>|\\") == std::string::npos) return true;
    findings_.Warn("mirror-lost", "a wildcard does not get to Windows nodes: Windows has no folder of this name", name);
    return false;
  }

  void Add(const Registry& registry) {
    const std::string name = HostPart(registry.prefix);
    if (registry.mirrors.empty()) {
      ReportWithoutMirrors(registry);
      return;
    }
    OperatorSet& set = sets_[name];
    set.never_asks_source.push_back(registry.blocked);
    for (const bool tags : {false, true}) Add(registry, tags, set);
    for (const Mirror& mirror : registry.mirrors) Review(registry, mirror);
    if (name != registry.prefix && !registry.prefix.starts_with("*."))
      findings_.Warn("mirror-widened", fmt::format("Windows nodes use its mirrors for all images of {}", name),
                     registry.prefix);
    if (!registry.location.empty() && registry.location != registry.prefix)
      findings_.Warn("mirror-lost", "its other location does not get to Windows nodes", registry.prefix);
  }

  void ReportWithoutMirrors(const Registry& registry) {
    if (registry.blocked)
      findings_.Warn("mirror-widened", "is blocked for Linux nodes, but not for Windows nodes", registry.prefix);
    if (registry.insecure)
      findings_.Warn("mirror-lost", "may be insecure on Linux nodes, but not on Windows nodes", registry.prefix);
  }

  // The mirrors of one ImageDigestMirrorSet (or ImageTagMirrorSet, if `tags`) join those of the same registry.
  void Add(const Registry& registry, bool tags, OperatorSet& set) {
    const MirrorUse other = tags ? MirrorUse::kDigestOnly : MirrorUse::kTagOnly;
    std::vector<OperatorSet::Mirror> fresh;
    for (const Mirror& mirror : registry.mirrors) {
      if (mirror.use != other) fresh.push_back({CutCommonEnd(registry.prefix, mirror.location), tags});
    }
    if (fresh.empty()) return;
    if (set.mirrors.empty()) {
      set.mirrors = std::move(fresh);  // as it is: only a second set has duplicates removed
      return;
    }
    std::map<std::string, bool> unique;
    for (const OperatorSet::Mirror& one : set.mirrors) unique[one.host] = one.resolves_tags;
    for (const OperatorSet::Mirror& one : fresh) unique[one.host] |= one.resolves_tags;
    set.mirrors.clear();
    for (const auto& [host, resolves_tags] : unique) set.mirrors.push_back({host, resolves_tags});
  }

  void Review(const Registry& registry, const Mirror& mirror) {
    const std::string path = PathPart(registry.prefix);
    const std::string asked = CutCommonEnd(registry.prefix, mirror.location) + (path.empty() ? "" : "/") + path;
    if (asked != mirror.location) {
      findings_.Warn("mirror-lost",
                     fmt::format("Windows nodes ask {}, and not {}, whose path does not end as that of its source does",
                                 asked, mirror.location),
                     registry.prefix);
    }
    if (mirror.insecure) {
      findings_.Warn(
          "mirror-lost",
          fmt::format("its mirror {} may be insecure on Linux nodes, but not on Windows nodes", mirror.location),
          registry.prefix);
    }
  }

  // What stands in the file for the registry itself.
  void ReviewSource(const std::string& name, const OperatorSet& set) {
    const bool never = set.never_asks_source.front();
    if (std::ranges::count(set.never_asks_source, !never) > 0) {
      findings_.Warn(
          "mirror-widened",
          "only a part of this registry is never to be asked itself. On Windows nodes that holds for all of it "
          "or for nothing, by the order of the mirror sets",
          name);
    } else if (never && !set.mirrors.front().resolves_tags) {
      findings_.Warn(
          "mirror-widened",
          fmt::format("Windows nodes ask {} for tags, too: it stands in for the registry, which is never asked",
                      set.mirrors.front().host),
          name);
    } else if (!never && name == "docker.io") {
      findings_.Warn(
          "mirror-lost",
          "after the mirrors, Windows nodes ask docker.io itself, and not registry-1.docker.io, which has the "
          "images",
          name);
    }
  }

  void Write(const std::string& name, const OperatorSet& set, const RegistryLogins& logins) {
    ReviewSource(name, set);
    OperatorHosts::File& file = out_.files[name];
    file.text = Secret(OperatorText(name, set, logins));
    Findings ignored;  // versions of containerd do not differ on such a file
    auto read = ReadHostsToml(file.text.Reveal(), name, Containerd::k2, ignored);
    file.refused = !read;
    if (read) {
      file.hosts = *std::move(read);
    } else {
      findings_.Warn("mirror-lost", "containerd refuses the file that the Windows operator makes of its mirrors", name);
    }
  }

  const Mirrors& mirrors_;
  OperatorHosts& out_;
  CappedFindings findings_;
  std::map<std::string, OperatorSet> sets_;
};

}  // namespace

OperatorHosts MakeOperatorHosts(const Mirrors& mirrors, const RegistryLogins& logins) {
  OperatorHosts out;
  OperatorHostsMaker(mirrors, out).Make(logins);
  return out;
}

}  // namespace prov::registries
