#include "provisioner/cli/machine_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "images/tree/tree_path.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/reconcile/registry_files.h"

namespace prov::cli {
namespace {

// The entry of a folder by its name without case; "": there is none.
std::string EntryNamed(const std::string& folder, const std::string& name) {
  const images::NameMatcher matcher(name);
  std::error_code error;
  const std::filesystem::path native(std::u8string(folder.begin(), folder.end()));
  for (const auto& entry : std::filesystem::directory_iterator(native, error)) {
    const std::u8string utf8 = entry.path().filename().u8string();
    const std::string found(utf8.begin(), utf8.end());
    if (matcher.Matches(found)) return fmt::format("{}/{}", folder, found);
  }
  return {};
}

// The folder of an image at a path of its Windows; nullopt: it has none there.
Result<std::optional<std::string>> FolderInImage(const std::string& root, images::ImageTree& tree,
                                                 std::string_view drive, const std::string& path) {
  const auto full = reconcile::FullWindowsPath(path);
  if (!full || !EqualsIgnoreAsciiCase(full->substr(0, 2), drive) || full->size() == 3) return std::nullopt;
  std::string relative = full->substr(3);
  std::ranges::replace(relative, '\\', '/');
  if (!PROV_TRY(tree.IsFolder(relative))) return std::nullopt;
  std::string out = root;
  for (const std::string& name : PROV_TRY(images::SplitTreePath(relative))) out = EntryNamed(out, name);
  return out;
}

}  // namespace

OptionGroup MachineSourceOptionSpecs() {
  return {
      {"this-machine", "", "instead of SOURCE: what is really set on this machine, for containerd where it is there",
       Group::kSource},
      {"root", "DIR", "instead of SOURCE: the same of an image, in the folder that contains Windows", Group::kSource}};
}

Result<node::SourceContent> ReadSourceOrMachine(const Arguments& arguments, const source::SourceSpec& spec,
                                                machine::Host& host, const payload::Pin& pin) {
  const bool image = arguments.Has("root");
  if (!image && !arguments.Has("this-machine")) return node::ReadSource(host, spec, {.pin = pin});
  if (!spec.source.empty() || (image && arguments.Has("this-machine"))) {
    return Fail(Code::kUsage, "give one of SOURCE, --this-machine and --root DIR", image ? "--root" : "--this-machine");
  }
  if (!pin.empty()) {
    return Fail(Code::kUsage, "is for a SOURCE; leave it out with --this-machine and --root",
                pin.signers.empty() ? "--for" : "--signer");
  }
  Targets targets = PROV_TRY(Targets::Open(ParseTargetOptions(arguments), host, images::TreeAccess::kRead));
  machine::Host& one = *targets.Hosts().front();
  const Target target = PROV_TRY(OpenTarget(one, machine::Access::kRead));
  node::OpenNode node = target.Node(one);
  node::SourceContent out;
  out.config = PROV_TRY(node::ReadPresentSettings(node));
  PROV_TRY(LocateHostsToml(targets.All().front(), ParseTargetOptions(arguments), node, out.config));
  for (const pki::Certificate& certificate : out.config.certificates) out.options.trusted.insert(certificate.sha256);
  return out;
}

Result<void> LocateHostsToml(const Targets::One& one, const TargetOptions& given, node::OpenNode& node,
                             egress::EgressConfig& config) {
  if (one.image == nullptr) return {};
  egress::HostsTomlFolders found{{}, config.hosts_toml.unknown};
  const std::string drive = PROV_TRY(machine::SystemDriveOf(node.machine.registry));
  found.paths.reserve(config.hosts_toml.paths.size());
  for (const std::string& path : config.hosts_toml.paths) {
    auto folder = given.root ? PROV_TRY(FolderInImage(*given.root, one.image->tree(), drive, path)) : std::nullopt;
    if (folder) {
      found.paths.push_back(*std::move(folder));
    } else {
      found.unknown = fmt::format("{} is {}", path, given.root ? "not in the image" : "in a WIM file");
    }
  }
  config.hosts_toml = std::move(found);
  return {};
}

}  // namespace prov::cli
