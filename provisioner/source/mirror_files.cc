#include "provisioner/source/mirror_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/registries/registries_conf.h"
#include "provisioner/source/reading.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

using registries::Mirrors;

constexpr std::string_view kConf = "/etc/containers/registries.conf";
constexpr std::string_view kRegistryDropIns = "/etc/containers/registries.conf.d/";
constexpr std::string_view kPullSecretPath = "/var/lib/kubelet/config.json";
// Of one host, container tools read the first of these folders that exists (containers/image 5.36.1, dockerCertDir).
constexpr std::string_view kContainersCas = "/etc/containers/certs.d/", kDockerCas = "/etc/docker/certs.d/";
constexpr std::array<std::string_view, 2> kCaFolders = {kContainersCas, kDockerCas};

// Drop-ins count in the order of their names.
Result<std::vector<std::string>> ConfPaths(const ignition::Config& from) {
  std::vector<std::string> out;
  for (const std::string& path : from.FilePaths()) {
    if (path.starts_with(kRegistryDropIns) && path.ends_with(".conf")) out.push_back(path);
  }
  std::ranges::sort(out);
  out.insert(out.begin(), std::string(kConf));
  return out;
}

// "HOST" of "/etc/docker/certs.d/HOST/ca.crt"; "": the path is none of these.
std::string_view HostOfCa(std::string_view path) {
  for (const std::string_view folder : kCaFolders) {
    if (!path.starts_with(folder)) continue;
    const std::string_view rest = path.substr(folder.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || rest.find('/', slash + 1) != std::string_view::npos) return {};
    return rest.ends_with(".crt") ? rest.substr(0, slash) : std::string_view();
  }
  return {};
}

bool HasFileBelow(const ignition::Config& from, const std::string& folder) {
  return std::ranges::any_of(from.FilePaths(), [&](const std::string& path) { return path.starts_with(folder); });
}

}  // namespace

Result<void> ReadMirrorFiles(const ignition::Config& from, egress::EgressConfig& config) {
  Result<Mirrors> all = Mirrors();
  for (const std::string& path : PROV_TRY(ConfPaths(from))) {
    const auto file = PROV_TRY(from.Read(path));
    if (!file || !all) continue;
    auto one = registries::ParseRegistriesConf(file->bytes, path, config.findings);
    if (!one) {
      all = std::unexpected(std::move(one).error());
      continue;
    }
    registries::MergeRegistries(*std::move(one), all->registries);
    all->places.push_back(path);
  }
  TakeMirrors(std::move(all), config);
  if (auto logins = PROV_TRY(from.Read(kPullSecretPath))) config.pull_secret = Secret(std::move(logins->bytes));
  for (const std::string& path : from.FilePaths()) {
    const SourceMember* row = FindFile(path);
    const bool in_ca_folder =
        std::ranges::any_of(kCaFolders, [&](std::string_view folder) { return path.starts_with(folder); });
    if (row == nullptr || !in_ca_folder) continue;
    const auto file = PROV_TRY(from.Read(path));
    if (!file || file->bytes.empty()) continue;
    if (const std::string_view host = HostOfCa(path); !host.empty()) {
      if (path.starts_with(kDockerCas) && HasFileBelow(from, fmt::format("{}{}/", kContainersCas, host))) {
        ReportNotRead(row->subject, "this CA", "container tools take those in /etc/containers/certs.d for the host",
                      path, config);
        continue;
      }
      TakeRegistryCa(std::string(host), file->bytes, path, config);
    } else if (path.ends_with(".cert") || path.ends_with(".key")) {
      ReportNotRead(row->subject, "the client's certificate or key", "only CAs are", path, config);
    }
  }
  return {};
}

}  // namespace prov::source
