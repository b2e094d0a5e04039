// --image, --registries, --registry-folder and --platform: which images a node shall pull, and where its runtime asks
// for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/hosts_folder.h"
#include "provisioner/registries/mirrors.h"

namespace prov::cli {

OptionGroup PulledImageOptionSpecs();

class PulledImages {
 public:
  // Reads the options, and the file that --registries names. Errors: usage, image-reference; registries and others of
  // that file.
  static Result<PulledImages> Read(const Arguments& arguments);

  bool asked() const { return !images_.empty(); }
  const std::vector<registries::ImageReference>& images() const { return images_; }
  bool windows() const { return windows_; }

  // Of each image in turn. --registries comes in the place of the source's mirrors. `logins` are those of the cluster's
  // pull secret. Without --registries, the hosts.toml files of a machine or image that is the source count, and with
  // --registry-folder those that it would get. Findings: those of the mirrors; hosts-toml. Errors: why the source's
  // mirrors can't be read; those of HostsFolder::Read and PlannedHosts::Make.
  Result<std::vector<registries::ImageEndpoints>> EndpointsOf(const egress::EgressConfig& source, Findings& findings,
                                                              const registries::RegistryLogins& logins = {}) const;

 private:
  Result<void> ReadRegistries(const std::string& path);
  Result<std::vector<registries::ImageEndpoints>> EndpointsByFolder(egress::EgressConfig source,
                                                                    const registries::Mirrors& mirrors,
                                                                    Findings& findings) const;

  std::vector<registries::ImageReference> images_;
  bool windows_ = true;
  std::optional<registries::HostsFolder> hosts_;
  std::optional<registries::Mirrors> mirrors_;
  std::optional<std::string> folder_;  // of --registry-folder
  Findings findings_;                  // about the names of --image and the file of --registries
};

}  // namespace prov::cli
