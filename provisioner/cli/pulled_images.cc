#include "provisioner/cli/pulled_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/command_output.h"
#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/planned_hosts.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/reconcile/registry_files.h"
#include "provisioner/source/mirror_objects.h"

namespace prov::cli {
namespace {

using registries::Containerd;
using registries::ImageEndpoints;
using registries::ImageReference;

constexpr std::uint64_t kMostRegistriesBytes = 16ULL << 20U;
// The version whose reading is shown; docs/registries.md says where others differ.
constexpr Containerd kShownVersion = Containerd::k2;

// A text that may hold a password is not shown.
std::string PlaceOfImage(const std::string& text) {
  const bool may_be_secret =
      text.find("://") != std::string::npos || std::string_view(text).substr(0, text.find('/')).contains('@');
  return may_be_secret ? "--image" : fmt::format("--image {}", Shorten(text));
}

// What was meant by a text that is no reference.
std::string_view HintFor(std::string_view text) {
  if (text.starts_with("https://") || text.starts_with("http://")) return ", or give a request to --url";
  if (text.starts_with('@')) return "; --image takes names of images, not a file of them";
  if (text.contains(',')) return "; several images are separated by blanks: --image REF REF";
  return "";
}

bool LooksLikeHostOrFile(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("@:"));
  return !text.contains('/') && (name.contains('.') || name == "localhost");
}

Result<std::vector<ImageReference>> ReadImages(const std::vector<std::string>& texts, Findings& findings) {
  std::vector<ImageReference> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) {
    auto read = registries::ParseImageReference(text, PlaceOfImage(text));
    if (!read) {
      read.error().message += HintFor(text);
      return std::unexpected(std::move(read).error());
    }
    if (LooksLikeHostOrFile(text)) {
      AddWarning(findings, "image-default-registry",
                 fmt::format("is read as {}, as containerd reads a name without a registry; write "
                             "HOST/REPOSITORY:TAG where another registry is meant",
                             read->Text()),
                 PlaceOfImage(text));
    }
    out.push_back(*std::move(read));
  }
  return out;
}

// The hosts.toml files that a machine or an image has.
Result<std::vector<registries::HostsFolder>> ReadOfNode(const egress::EgressConfig& source, Findings& findings) {
  std::vector<registries::HostsFolder> out;
  if (source.source.kind != node::kMachineKind && source.source.kind != node::kImageKind) return out;
  const egress::HostsTomlFolders& named = source.hosts_toml;
  if (!named.unknown.empty()) {
    AddWarning(findings, "hosts-toml",
               fmt::format("the hosts.toml files of this node are not all known, because {}: add --registries FOLDER "
                           "with the config_path of containerd's config.toml",
                           named.unknown),
               source.source.name);
  }
  out.reserve(named.paths.size());
  for (const std::string& path : named.paths) {
    auto read = registries::HostsFolder::Read(path, kShownVersion, findings);
    if (read) {
      out.push_back(*std::move(read));
    } else if (read.error().code == Code::kNotFound) {
      AddWarning(findings, "hosts-toml", "is not there, so containerd asks each registry itself", path);
    } else {
      return std::unexpected(std::move(read).error());
    }
  }
  return out;
}

// containerd takes the first folder that has one for the registry.
const registries::HostsToml* FindIn(const std::vector<registries::HostsFolder>& folders, std::string_view registry,
                                    bool windows) {
  for (const registries::HostsFolder& folder : folders) {
    if (const registries::HostsToml* const found = folder.Find(registry, windows)) return found;
  }
  return nullptr;
}

}  // namespace

OptionGroup PulledImageOptionSpecs() {
  return {
      {"image", "REF...",
       "images that nodes pull (quay.io/org/app:v1): the endpoints that containerd asks, mirrors first, and how each "
       "is reached; several may follow, up to the next option",
       Group::kRequests},
      {"registries", "FILE",
       "where mirrors are set, instead of SOURCE: registries.conf, ImageDigestMirrorSets and ImageTagMirrorSets, or "
       "containerd's hosts.toml or the folder of its config_path",
       Group::kRequests},
      {"registry-folder", "PATH",
       "answer as a node that has the hosts.toml files which apply --registry-folder PATH would make of SOURCE, and "
       "not as one of the Windows Machine Config Operator",
       Group::kRequests},
      {"platform", "OS/ARCH", "of the nodes that pull: windows/amd64 (default), linux/amd64 or linux/arm64",
       Group::kRequests, false, "windows/amd64 linux/amd64 linux/arm64"}};
}

Result<PulledImages> PulledImages::Read(const Arguments& arguments) {
  for (const char* name : {"registries", "registry-folder", "platform"}) {
    if (arguments.Has(name) && !arguments.Has("image"))
      return Fail(Code::kUsage, "is for the images that --image names", fmt::format("--{}", name));
  }
  PulledImages out;
  out.images_ = PROV_TRY(ReadImages(arguments.All("image"), out.findings_));
  out.windows_ = PROV_TRY(OneOf(arguments, "platform")).starts_with("windows/");
  if (arguments.All("registries").size() > 1) {
    return Fail(Code::kUsage,
                "is given twice, and only one counts; put mirror sets into one file, with lines of --- between",
                "--registries");
  }
  if (arguments.Has("registries")) PROV_TRY(out.ReadRegistries(arguments.Get("registries")));
  if (!arguments.Has("registry-folder")) return out;
  out.folder_ = PROV_TRY(reconcile::CheckRegistryFolder(arguments.Get("registry-folder")));
  if (!out.windows_)
    return Fail(Code::kUsage, "is for Windows nodes; leave out --platform or this option", "--registry-folder");
  if (out.hosts_)
    return Fail(Code::kUsage, "makes the hosts.toml files that --registries gives already; leave out one of them",
                "--registry-folder");
  return out;
}

Result<void> PulledImages::ReadRegistries(const std::string& path) {
  if (path.starts_with("https://") || path.starts_with("http://"))
    return Fail(Code::kUsage, "takes a file or folder of this machine, and no URL; save it first", "--registries");
  if (IsFolder(path)) {
    hosts_ = PROV_TRY(registries::HostsFolder::Read(path, kShownVersion, findings_));
    return {};
  }
  std::string text = PROV_TRY(ReadFile(path, kMostRegistriesBytes));
  if (TrimBlanks(text).empty()) AddWarning(findings_, "hosts-toml", "is empty, so it states no mirrors", path);
  if (auto output = DescribeCommandOutput(text)) return Fail(Code::kRegistries, *std::move(output), path);
  if (!path.ends_with("hosts.toml") && !registries::IsHostsToml(text)) {
    mirrors_ = PROV_TRY(source::ReadMirrorFile(std::move(text), path, findings_));
    return {};
  }
  std::vector<std::string> names;
  names.reserve(images_.size());
  for (const ImageReference& image : images_) names.push_back(image.registry);
  hosts_ = PROV_TRY(registries::HostsFolder::OfFile(text, path, names, windows_, kShownVersion, findings_));
  return {};
}

Result<std::vector<ImageEndpoints>> PulledImages::EndpointsOf(const egress::EgressConfig& source, Findings& findings,
                                                              const registries::RegistryLogins& logins) const {
  std::vector<ImageEndpoints> out;
  if (images_.empty()) return out;
  std::ranges::copy(findings_, std::back_inserter(findings));
  const registries::Mirrors& mirrors = mirrors_ ? *mirrors_ : source.mirrors;
  std::vector<registries::HostsFolder> folders;
  if (hosts_) folders.push_back(*hosts_);
  if (!hosts_ && !mirrors_) folders = PROV_TRY(ReadOfNode(source, findings));
  if (!hosts_ && mirrors.fault) return std::unexpected(*mirrors.fault);
  if (folder_) return EndpointsByFolder(source, mirrors, findings);
  const bool by_operator = windows_ && !hosts_ && mirrors.stated();
  registries::OperatorHosts files;
  if (by_operator) {
    files = registries::MakeOperatorHosts(mirrors, logins);
    std::ranges::copy(files.findings, std::back_inserter(findings));
  }
  out.reserve(images_.size());
  for (const ImageReference& image : images_) {
    if (by_operator) {
      out.push_back(registries::OpenShiftWindowsEndpoints(image, mirrors, files));
    } else if (hosts_ || windows_) {
      const registries::HostsToml* const hosts = FindIn(folders, image.registry, windows_);
      out.push_back(registries::ContainerdEndpoints(image, hosts, {.version = kShownVersion, .windows = windows_}));
    } else {
      out.push_back(registries::LinuxEndpoints(image, mirrors));
    }
  }
  return out;
}

Result<std::vector<ImageEndpoints>> PulledImages::EndpointsByFolder(egress::EgressConfig source,
                                                                    const registries::Mirrors& mirrors,
                                                                    Findings& findings) const {
  if (source.source.kind == node::kMachineKind || source.source.kind == node::kImageKind) {
    return Fail(Code::kUsage, "is for a source; of a machine or an image, the files that it has count: leave it out",
                "--registry-folder");
  }
  source.mirrors = mirrors;
  const PlannedHosts files = PROV_TRY(PlannedHosts::Make(source, *folder_, findings));
  std::vector<ImageEndpoints> out;
  out.reserve(images_.size());
  for (const ImageReference& image : images_)
    out.push_back(files.EndpointsOf(image, {.version = kShownVersion, .windows = true}));
  return out;
}

}  // namespace prov::cli
