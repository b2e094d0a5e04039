// `plan`, `apply`, `rollback` and `remove` on an image: each opens it, and does the whole command but its last step,
// ImageHost::Commit. With `install`, the files that make the image keep its settings when it runs are part of it
// (image_install.h).
#pragma once

#include <optional>

#include "provisioner/machine/image_host.h"
#include "provisioner/node/apply.h"
#include "provisioner/payload/pin.h"
#include "provisioner/payload/program_file.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct ImageOptions {
  bool install = false;
  std::optional<payload::ProgramFile> exe;
  payload::Pin pin = {};  // what to pin; what is empty stays as the image has it
};

// Reads only. Errors: those of PlanSettings, PlanImageFiles and the image; target (a program for another architecture).
Result<reconcile::RunReport> PlanImage(machine::ImageHost& image, const DerivedSettings& derived,
                                       const ApplyOptions& options, const ImageOptions& image_options);

// Errors: those of PlanImage, before anything is written; interrupted; those of the image.
Result<reconcile::RunReport> ApplyToImage(machine::ImageHost& image, const DerivedSettings& derived,
                                          const ApplyOptions& options, const ImageOptions& image_options);

// Errors: those of Rollback; interrupted.
Result<reconcile::RunReport> RollBackImage(machine::ImageHost& image);

// What RemoveFromImage would do. Reads only.
Result<reconcile::RunReport> PlanRemovalFromImage(machine::ImageHost& image, bool all);

// `all`: also removes what `install` put there, and the state. Errors: those of PlanImageFileRemoval and CheckRecords,
// before anything is written; interrupted; those of the image.
Result<reconcile::RunReport> RemoveFromImage(machine::ImageHost& image, bool all);

}  // namespace prov::node
