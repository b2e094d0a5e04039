// --image, --registries and --platform: which images a node shall pull, and where its runtime asks for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
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

  // Of each image in turn. `of_source` are the source's mirrors, in whose place come those of --registries. `logins`
  // are those of the cluster's pull secret. Errors: why the source's mirrors can't be read.
  Result<std::vector<registries::ImageEndpoints>> EndpointsOf(const registries::Mirrors& of_source, Findings& findings,
                                                              const registries::RegistryLogins& logins = {}) const;

 private:
  Result<void> ReadRegistries(const std::string& path);

  std::vector<registries::ImageReference> images_;
  bool windows_ = true;
  std::optional<registries::HostsFolder> hosts_;
  std::optional<registries::Mirrors> mirrors_;
  Findings findings_;  // about the file of --registries
};

}  // namespace prov::cli
