// `plan` and `apply` on images: the settings and, with --install, the files that make the image keep them when it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/machine_command.h"
#include "provisioner/cli/targets.h"
#include "provisioner/machine/image_host.h"
#include "provisioner/node/apply.h"
#include "provisioner/payload/program_file.h"

namespace prov::cli {

// --install and --exe.
OptionGroup ImageOptionSpecs();

struct ImageOptions {
  bool install = false;
  std::optional<payload::ProgramFile> exe;
  // The signer to pin; nullopt: an image keeps its pinned signer.
  std::optional<pki::Certificate> signer = {};
};

// What `plan` and `apply` take from the command line.
struct PlanRequest {
  bool json = false;
  node::ApplyOptions apply;
  ImageOptions image;
  TargetOptions target;
  node::SettingsSpec settings;

  // Reads the settings. A payload must have the signer that is given, or else the one pinned on the hosts.
  Result<node::DerivedSettings> Derive(machine::Host& live, const std::vector<machine::Host*>& hosts) const;
};
// Errors: usage (an option of images without --root or --wim, or the reverse), proxy-url, those of LoadProgramFile and
// of GivenSigner.
Result<PlanRequest> ParsePlanRequest(const Arguments& arguments);

Result<TargetReport> PlanImage(machine::ImageHost& image, const node::DerivedSettings& derived,
                               const node::ApplyOptions& options, const ImageOptions& image_options);
Result<TargetReport> ApplyToImage(machine::ImageHost& image, const node::DerivedSettings& derived,
                                  const node::ApplyOptions& options, const ImageOptions& image_options);

// Removes leftovers. Call it before the first write into an image. Errors: interrupted; those of the tree.
Result<void> PrepareImage(machine::ImageHost& image, Findings& findings);

// Adds a finding if an installed payload stays in the image after a `rollback`, or a `remove` without --all.
Result<void> WarnOfPayload(machine::ImageHost& image, node::OpenNode& node, reconcile::SessionReport& report);

// `all`: also removes what --install put there, and the state.
Result<TargetReport> RemoveFromImage(machine::ImageHost& image, bool all);

}  // namespace prov::cli
