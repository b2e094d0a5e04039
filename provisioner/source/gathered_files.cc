#include "provisioner/source/gathered_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ignition/gzip.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/text.h"
#include "provisioner/source/tar_reader.h"

namespace prov::source {
namespace {

constexpr std::string_view kCluster = "cluster-scoped-resources";
constexpr std::string_view kNamespaces = "namespaces";

// Resources whose objects may state settings.
struct GatheredResource {
  std::string_view name_space;  // "": of the cluster; "*": of any
  std::string_view group;
  std::string_view resource;
};
constexpr std::array<GatheredResource, 14> kResources = {{
    {"", "machineconfiguration.openshift.io", "machineconfigs"},
    {"", "machineconfiguration.openshift.io", "machineconfigpools"},
    {"", "machineconfiguration.openshift.io", "controllerconfigs"},
    {"", "config.openshift.io", "proxies"},
    {"", "config.openshift.io", "images"},
    {"", "config.openshift.io", "imagedigestmirrorsets"},
    {"", "config.openshift.io", "imagetagmirrorsets"},
    {"", "operator.openshift.io", "imagecontentsourcepolicies"},
    {"", "certificates.k8s.io", "clustertrustbundles"},
    {"", "trust.cert-manager.io", "bundles"},
    {"openshift-config", "core", "configmaps"},
    {"openshift-config-managed", "core", "configmaps"},
    {"*", "hypershift.openshift.io", "hostedclusters"},
    {"*", "provisioning.cattle.io", "clusters"},
}};

constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};

bool IsRoot(std::string_view name) { return name == kCluster || name == kNamespaces; }

// "NAME" of "NAME.yaml"; "" for other files.
std::string_view StemOf(std::string_view file) {
  for (const std::string_view ending : kEndings)
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  return {};
}

// The folder in a given path that the names in the table count from: the last name, if it is one of the two.
std::string_view LastName(std::string_view path) {
  while (path.ends_with('/') || path.ends_with('\\')) path.remove_suffix(1);
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::filesystem::path NativePath(const std::string& path) {
  return std::filesystem::path(std::u8string(path.begin(), path.end()));
}

// Whether the folder, or one that is at most `levels` below it, has a folder with one of the two names. `most` bounds
// the folders that are looked at.
bool HasRoot(const std::filesystem::path& folder, int levels, int& most) {
  std::error_code error;
  std::vector<std::filesystem::path> inner;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (--most < 0) return false;
    if (at->symlink_status(error).type() != std::filesystem::file_type::directory) continue;
    const std::u8string name = at->path().filename().u8string();
    if (IsRoot(std::string(name.begin(), name.end()))) return true;
    if (levels > 0) inner.push_back(at->path());
  }
  return std::ranges::any_of(inner, [&](const auto& one) { return HasRoot(one, levels - 1, most); });
}

// The names of a path from one of the two folders on; empty: it has none.
std::vector<std::string_view> NamesFromRoot(std::string_view path) {
  std::vector<std::string_view> names = Split(path, '/');
  names.erase(names.begin(), std::ranges::find_if(names, IsRoot));
  return names;
}

// Whether a link at this path may hide a file that is read: it stands for a folder above one.
bool MayHide(std::string_view path) {
  const std::vector<std::string_view> names = NamesFromRoot(path);
  if (names.empty()) return false;
  const std::size_t above = names.front() == kCluster ? 2 : 3;  // the root, a namespace, a group
  return names.size() <= above || IsGatheredFile(fmt::format("{}/x.yaml", path));
}

// Counts what is read against the limits.
class Budget {
 public:
  explicit Budget(const GatheredLimits& limits) : limits_(limits), left_(limits.together) {}

  // The most bytes that the next file may have. Errors: too-large.
  Result<std::uint64_t> Next(const std::string& where) {
    if (++files_ > limits_.files)
      return Fail(Code::kTooLarge, fmt::format("holds more than {} files with settings", limits_.files), where);
    return std::min(limits_.file, left_);
  }
  void Took(std::uint64_t bytes) { left_ -= std::min(left_, bytes); }

 private:
  const GatheredLimits& limits_;
  std::uint64_t left_;
  std::size_t files_ = 0;
};

}  // namespace

bool IsGatheredFile(std::string_view path) {
  const std::vector<std::string_view> names = NamesFromRoot(path);
  if (names.empty()) return false;
  const bool cluster = names.front() == kCluster;
  const std::vector<std::string_view> rest(names.begin() + 1, names.end());
  const std::size_t skip = cluster ? 0 : 1;
  if (rest.size() < skip + 2 || rest.size() > skip + 3 || StemOf(rest.back()).empty()) return false;
  const std::string_view resource = rest.size() == skip + 2 ? StemOf(rest.back()) : rest[skip + 1];
  return std::ranges::any_of(kResources, [&](const GatheredResource& one) {
    const bool place = cluster ? one.name_space.empty() : one.name_space == rest[0] || one.name_space == "*";
    return place && one.group == rest[skip] && one.resource == resource;
  });
}

bool IsGatheredFolder(const std::string& folder) {
  constexpr int kLevels = 2;
  int most = 10'000;
  return IsFolder(folder) && (IsRoot(LastName(folder)) || HasRoot(NativePath(folder), kLevels, most));
}

bool IsTarArchive(std::string_view bytes) {
  if (!ignition::LooksLikeGzip(bytes)) return LooksLikeTar(bytes);
  std::string head(kTarHeaderBytes, '\0');
  ignition::GunzipStream stream(ReadBytesOf(bytes), "");
  for (std::size_t have = 0; have < head.size();) {
    const auto piece = stream.Read(head.data() + have, head.size() - have);
    if (!piece || *piece == 0) return false;
    have += *piece;
  }
  return LooksLikeTar(head);
}

Result<void> ReadFolderFiles(const std::string& folder, const TakeFile& take, const GatheredLimits& limits) {
  const std::string_view last = LastName(folder);
  const std::string before = IsRoot(last) ? fmt::format("{}/", last) : std::string();
  Budget budget(limits);
  for (const FolderEntry& entry : PROV_TRY(ListTree(folder, limits.entries))) {
    const std::string place = before + entry.path;
    const std::string path = fmt::format("{}/{}", folder, entry.path);
    if (entry.kind == EntryKind::kOther && MayHide(place)) {
      return Fail(Code::kLink, "is a link or a device, and may hide objects with settings; put what it leads to there",
                  path);
    }
    if (entry.kind == EntryKind::kFolder || !IsGatheredFile(place)) continue;
    std::string bytes = PROV_TRY(ReadRegularFile(path, PROV_TRY(budget.Next(folder))));
    budget.Took(bytes.size());
    PROV_TRY(take(entry.path, std::move(bytes)));
  }
  return {};
}

namespace {

// Counts the bytes of an archive as they are unpacked.
class Unpacking {
 public:
  Unpacking(ByteReader from, const std::string& where, const GatheredLimits& limits)
      : from_(std::move(from)), where_(where), limits_(limits) {}

  // Decompresses what is gzip.
  Result<void> Open() {
    head_.resize(2);
    for (std::size_t have = 0; have < head_.size();) {
      const std::size_t piece = PROV_TRY(from_(head_.data() + have, head_.size() - have));
      have += piece;
      if (piece == 0) head_.resize(have);
    }
    const bool packed = ignition::LooksLikeGzip(head_);
    ByteReader whole = [this](char* to, std::size_t size) -> Result<std::size_t> {
      if (head_.empty()) return from_(to, size);
      const std::size_t piece = std::min(size, head_.size());
      std::copy_n(head_.data(), piece, to);
      head_.erase(0, piece);
      return piece;
    };
    if (packed) {
      gzip_ = std::make_unique<ignition::GunzipStream>(std::move(whole), where_);
    } else {
      plain_ = std::move(whole);
    }
    return {};
  }

  Result<std::size_t> Read(char* to, std::size_t size) {
    const std::size_t piece = gzip_ ? PROV_TRY(gzip_->Read(to, size)) : PROV_TRY(plain_(to, size));
    given_ += piece;
    if (given_ > limits_.unpacked) {
      return Fail(Code::kTooLarge,
                  fmt::format("unpacks to more than {} bytes; unpack it, and give the folder", limits_.unpacked),
                  where_);
    }
    if (gzip_ && given_ > limits_.plain && given_ / limits_.ratio > gzip_->taken()) {
      return Fail(Code::kTooLarge, fmt::format("unpacks to more than {} times its size", limits_.ratio), where_);
    }
    return piece;
  }

 private:
  ByteReader from_;
  const std::string& where_;
  const GatheredLimits& limits_;
  std::string head_;
  ByteReader plain_;
  std::unique_ptr<ignition::GunzipStream> gzip_;
  std::uint64_t given_ = 0;
};

// The path without "./" and a slash at the end. Errors: kind, if it leads out of a folder.
Result<std::string> CleanPath(std::string_view path, const std::string& where) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::vector<std::string_view> names = Split(path, '/');
  const bool leads_out = path.starts_with('/') || path.find('\\') != std::string_view::npos ||
                         (path.size() > 1 && path[1] == ':' && IsLetter(path[0])) ||
                         std::ranges::find(names, "..") != names.end();
  if (leads_out) {
    return Fail(Code::kKind,
                fmt::format("holds the name \"{}\", which leads out of the folder that it is unpacked to; it may be "
                            "hostile, and nothing of it is read",
                            Printable(Shorten(path))),
                where);
  }
  return std::string(path);
}

Result<void> RefuseLink(const TarEntry& entry, const std::string& path, const std::string& where) {
  if (entry.kind == TarKind::kFile || entry.kind == TarKind::kFolder) return {};
  return Fail(
      Code::kLink,
      fmt::format("holds {} at \"{}\", which a collection of objects has no use for; unpack what you trust, and "
                  "give the folder",
                  entry.kind == TarKind::kLink ? "a link" : "a device, a pipe or a sparse file",
                  Printable(Shorten(path))),
      where);
}

}  // namespace

Result<void> ReadArchivedFiles(ByteReader from, const std::string& where, const TakeFile& take,
                               const GatheredLimits& limits) {
  Unpacking unpacking(std::move(from), where, limits);
  PROV_TRY(unpacking.Open());
  TarReader reader([&](char* to, std::size_t size) { return unpacking.Read(to, size); }, where);
  Budget budget(limits);
  std::set<std::string> seen;
  for (std::size_t entries = 0;; ++entries) {
    const std::optional<TarEntry> entry = PROV_TRY(reader.Next());
    if (!entry) return {};
    if (entries == limits.entries)
      return Fail(Code::kTooLarge, fmt::format("holds more than {} entries", limits.entries), where);
    const std::string path = PROV_TRY(CleanPath(entry->path, where));
    PROV_TRY(RefuseLink(*entry, path, where));
    if (entry->kind != TarKind::kFile || !IsGatheredFile(path)) continue;
    if (!seen.insert(path).second) {
      return Fail(Code::kKind, fmt::format("holds the file \"{}\" twice", Printable(Shorten(path))), where);
    }
    const std::uint64_t most = PROV_TRY(budget.Next(where));
    if (entry->size > most) {
      return Fail(
          Code::kTooLarge,
          fmt::format("holds the file \"{}\" with {} bytes, more than {}", Printable(Shorten(path)), entry->size, most),
          where);
    }
    std::string bytes = PROV_TRY(reader.Contents(most));
    budget.Took(bytes.size());
    PROV_TRY(take(path, std::move(bytes)));
  }
}

}  // namespace prov::source
