#include "provisioner/registries/hosts_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/toml_document.h"

namespace prov::registries {
namespace {

constexpr std::size_t kMostFolderEntries = 100'000;
constexpr std::uint64_t kMostHostsBytes = std::uint64_t{4} << 20U;

bool IsCompletePath(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && IsLetter(path[0]) && path[1] == ':');
}

void CompletePath(const std::string& folder, std::string& path) {
  if (!path.empty() && !IsCompletePath(path)) path = folder + "/" + path;
}

// Without hosts.toml, the certificates that Docker would take.
HostsToml OfCertificates(const std::string& folder, const std::set<std::string>& names) {
  HostsToml out;
  for (const std::string& name : names) {
    if (name.ends_with(".crt")) out.server.ca.push_back(fmt::format("{}/{}", folder, name));
    if (!name.ends_with(".cert")) continue;
    const std::string key = name.substr(0, name.size() - std::string_view(".cert").size()) + ".key";
    out.server.client.emplace_back(fmt::format("{}/{}", folder, name),
                                   names.contains(key) ? fmt::format("{}/{}", folder, key) : std::string());
  }
  return out;
}

// What containerd makes of a folder's file and of its other names.
Result<HostsToml> OfText(std::string_view text, const std::string& path, const std::string& folder,
                         const std::set<std::string>& names, Containerd version, Findings& findings) {
  if (text.empty()) return OfCertificates(folder, names);
  auto read = ReadHostsToml(text, path, version, findings);
  if (!read) {
    if (read.error().code != Code::kRegistries) return std::unexpected(std::move(read).error());
    AddError(findings, "hosts-toml", read.error().message, read.error().where);
    return OfCertificates(folder, names);
  }
  read->hosts.push_back(std::move(read->server));
  for (HostConfig& host : read->hosts) {
    for (std::string& file : host.ca) CompletePath(folder, file);
    for (auto& [certificate, key] : host.client) {
      CompletePath(folder, certificate);
      CompletePath(folder, key);
    }
  }
  read->server = std::move(read->hosts.back());
  read->hosts.pop_back();
  return *std::move(read);
}

Result<HostsToml> OfFolder(const std::string& folder, const std::set<std::string>& names, Containerd version,
                           Findings& findings) {
  if (!names.contains(std::string(kHostsFile))) return OfCertificates(folder, names);
  const std::string path = fmt::format("{}/{}", folder, kHostsFile);
  return OfText(PROV_TRY(ReadFile(path, kMostHostsBytes)), path, folder, names, version, findings);
}

// The folders below `root`, each with the names in it.
Result<std::map<std::string, std::set<std::string>>> FoldersBelow(const std::string& root) {
  std::map<std::string, std::set<std::string>> out;
  for (const FolderEntry& entry : PROV_TRY(ListTree(root, kMostFolderEntries))) {
    const std::size_t slash = entry.path.find('/');
    if (slash == std::string::npos && entry.kind == EntryKind::kOther) {
      // A link, which containerd follows. One that leads nowhere is no folder.
      const auto behind = ListTree(fmt::format("{}/{}/.", root, entry.path), kMostFolderEntries);
      if (!behind) continue;
      std::set<std::string>& names = out[entry.path];
      for (const FolderEntry& one : *behind) {
        if (one.kind != EntryKind::kFolder && one.path.find('/') == std::string::npos) names.insert(one.path);
      }
    } else if (slash == std::string::npos) {
      if (entry.kind == EntryKind::kFolder) out.try_emplace(entry.path);
    } else if (entry.path.find('/', slash + 1) == std::string::npos && entry.kind != EntryKind::kFolder) {
      out[entry.path.substr(0, slash)].insert(entry.path.substr(slash + 1));
    }
  }
  return out;
}

// A file that hosts.toml names.
Result<std::string> ReadTlsFile(const std::string& path) {
  auto out = ReadFile(path, pki::kMostBundleBytes);
  if (out) return out;
  return Fail(Code::kRegistries,
              fmt::format("can't be read, so containerd pulls nothing by this hosts.toml: {}", out.error().message),
              path);
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

bool IsHostsToml(std::string_view text) {
  const auto root = ParseToml(text, "");
  return root && (root->contains("host") || root->contains("server"));
}

Result<HostsFolder> HostsFolder::Read(const std::string& folder, Containerd version, Findings& findings) {
  HostsFolder out;
  const auto folders = PROV_TRY(FoldersBelow(folder));
  if (folders.empty()) {
    const auto entries = PROV_TRY(ListTree(folder, kMostFolderEntries));
    const bool is_one = std::ranges::find(entries, kHostsFile, &FolderEntry::path) != entries.end();
    if (is_one)
      return Fail(Code::kRegistries, "is the folder of one registry; give the folder above it, or its hosts.toml",
                  folder);
    AddWarning(findings, "hosts-toml", "has no folder of a registry, so containerd asks each registry itself", folder);
  }
  for (const auto& [name, names] : folders)
    out.by_folder_[name] = PROV_TRY(OfFolder(fmt::format("{}/{}", folder, name), names, version, findings));
  return out;
}

Result<HostsFolder> HostsFolder::OfFile(std::string_view text, const std::string& path,
                                        std::span<const std::string> registries, bool windows, Containerd version,
                                        Findings& findings) {
  const std::string folder = FolderOf(path);
  const std::string name = folder.substr(folder.find_last_of("/\\") + 1);
  const bool is_one = std::ranges::any_of(registries, [&](const std::string& registry) {
    const std::vector<std::string> known = HostsFolders(registry, windows);
    return std::ranges::find(known, name) != known.end();
  });
  const bool is_mixed = std::ranges::any_of(registries, [&](const std::string& one) { return one != registries[0]; });
  if (!is_one && is_mixed) {
    AddInfo(
        findings, "hosts-toml",
        "counts here for every image; give a file REGISTRY/hosts.toml or the folder of config_path to say for which "
        "registry it is",
        path);
  }
  HostsFolder out;
  out.by_folder_[is_one ? name : "_default"] = PROV_TRY(OfText(text, path, folder, {}, version, findings));
  return out;
}

const HostsToml* HostsFolder::Find(std::string_view registry, bool windows) const {
  for (const std::string& folder : HostsFolders(registry, windows)) {
    if (const auto found = by_folder_.find(folder); found != by_folder_.end()) return &found->second;
  }
  return nullptr;
}

Result<void> ReadRoots(Endpoint& endpoint, Findings& findings) {
  for (const std::string& path : endpoint.ca_files) {
    std::vector<pki::Certificate> read = PROV_TRY(pki::ParseTrustBundle(PROV_TRY(ReadTlsFile(path)), path, findings));
    if (read.empty())
      return Fail(Code::kRegistries, "has no certificate, so containerd pulls nothing by this hosts.toml", path);
    for (pki::Certificate& one : read) endpoint.roots.push_back(std::move(one.der));
  }
  if (endpoint.client_certificate_file.empty()) return {};
  endpoint.client_certificate = PROV_TRY(ReadTlsFile(endpoint.client_certificate_file));
  endpoint.client_key = Secret(PROV_TRY(ReadTlsFile(endpoint.client_key_file)));
  return {};
}

}  // namespace prov::registries
