// --registry-folder of questions about images: what a node with the hosts.toml files that apply would write asks.
#pragma once

#include <map>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/registries/endpoints.h"

namespace prov::cli {

class PlannedHosts {
 public:
  // The files that `folder` (CheckRegistryFolder) would have by the source. Findings: mirror-lost, mirror-widened,
  // registries-ca. Errors: those of MakeDesiredState, and of MakeRegistryFiles.
  static Result<PlannedHosts> Make(const egress::EgressConfig& source, const std::string& folder, Findings& findings);

  // With the certificates of the files as roots. The note names the file that counts for the image; "": none does.
  registries::ImageEndpoints EndpointsOf(const registries::ImageReference& image,
                                         const registries::ContainerdRules& rules) const;

 private:
  std::string folder_;
  std::map<std::string, std::map<std::string, std::string>> files_;  // the bytes, by folder below it and name
};

}  // namespace prov::cli
