#include "provisioner/cli/planned_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/pki/trust_bundle.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::cli {
namespace {

// What containerd reads in a folder that we made.
registries::HostsToml HostsIn(const std::map<std::string, std::string>& files, registries::Containerd version) {
  registries::HostsToml out;
  const auto hosts = files.find(std::string(registries::kHostsFile));
  if (hosts == files.end()) {
    for (const auto& [name, bytes] : files) {
      if (name.ends_with(".crt")) out.server.ca.push_back(name);
    }
    return out;
  }
  Findings ignored;
  return registries::ReadHostsToml(hosts->second, hosts->first, version, ignored).value_or(std::move(out));
}

}  // namespace

Result<PlannedHosts> PlannedHosts::Make(const egress::EgressConfig& source, const std::string& folder,
                                        Findings& findings) {
  reconcile::DesiredOptions options;
  options.scope = reconcile::Scope::None();
  options.scope.certificates = options.scope.registries = true;
  options.registry_folder = folder;
  reconcile::DesiredState state = PROV_TRY(reconcile::MakeDesiredState(source, options));
  if (state.files_fault) return std::unexpected(*std::move(state.files_fault));
  std::ranges::copy_if(state.findings, std::back_inserter(findings), [](const Finding& one) {
    return one.code.starts_with("mirror-") || one.code.starts_with("registries-");
  });
  PlannedHosts out;
  out.folder_ = folder;
  for (reconcile::FileItem& file : state.files) {
    const std::string_view below = std::string_view(file.path).substr(folder.size() + 1);
    const std::size_t end = below.find('\\');
    std::string registry(below.substr(0, end));
    std::string name(below.substr(end + 1));
    out.files_[std::move(registry)][std::move(name)] = std::move(file.bytes);
  }
  return out;
}

registries::ImageEndpoints PlannedHosts::EndpointsOf(const registries::ImageReference& image,
                                                     const registries::ContainerdRules& rules) const {
  for (const std::string& folder : registries::HostsFolders(image.registry, true)) {
    const auto found = files_.find(folder);
    if (found == files_.end()) continue;
    const registries::HostsToml hosts = HostsIn(found->second, rules.version);
    registries::ImageEndpoints out = registries::ContainerdEndpoints(image, &hosts, rules);
    for (registries::Endpoint& endpoint : out.endpoints) {
      for (const std::string& file : std::exchange(endpoint.ca_files, {})) {
        Findings ignored;
        auto read = pki::ParseTrustBundle(found->second.at(file), file, ignored);
        if (!read) continue;
        for (pki::Certificate& one : *read) endpoint.roots.push_back(std::move(one.der));
      }
    }
    const bool has_hosts = found->second.contains(std::string(registries::kHostsFile));
    out.note = fmt::format("by {}\\{}\\{}", folder_, folder,
                           has_hosts ? registries::kHostsFile : std::string_view(found->second.begin()->first));
    return out;
  }
  return registries::ContainerdEndpoints(image, nullptr, rules);
}

}  // namespace prov::cli
