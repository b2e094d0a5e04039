// First boot: applies the settings, installs this program with a service that starts at each boot, remembers the
// source, and removes what was delivered.
#pragma once

#include <string>
#include <vector>

#include "provisioner/node/apply.h"
#include "provisioner/node/upgrade.h"
#include "provisioner/payload/pin.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct Delivery {
  SettingsSpec spec;                      // how to read the source again
  bool follow = true;                     // false: a payload that Windows setup delivered for one use
  std::vector<std::string> secret_files;  // full paths; only of a payload for one use
  payload::Pin pin = {};  // what to pin: from then on only such payloads are accepted. What is empty stays as it is.
  // The interval of the boot service's rounds; nullopt: the stored one stays.
  std::optional<std::int64_t> interval_seconds = {};
  bool allow_downgrade = false;  // also lets an older program replace a newer one
  // As in ServiceRecord; nullopt: the stored one stays.
  std::optional<NodeReporting> reporting = {};
};

// The sections that record the source and its settings. `adopt`: what the payload baked into the image is not recorded
// as ours yet.
reconcile::Sections SourceRecords(const DerivedSettings& derived, const Delivery& delivery, bool adopt);

// For a source on a network that can't be read yet: installs the boot service, which keeps trying. False: another
// source is already stored and stays; nothing was written.
Result<bool> FollowLater(OpenNode& node, const Delivery& delivery);

// Needs a begun run. Fails before anything is written if a guard refuses.
Result<reconcile::RunReport> FirstBoot(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                       const Delivery& delivery, const ApplyOptions& options);

// Installs the program and its service (upgrade.h). Remembers the source if one is given. Fails before anything is
// written if a guard refuses.
Result<ProgramReport> InstallService(OpenNode& node, const DerivedSettings* derived, const Delivery& delivery,
                                     Findings& findings);

// Whether the record says that the boot service should run; a damaged record is read as its repair will be. Reads only.
// Errors: those of RepairedView::Open and LoadService.
Result<bool> KnowsService(OpenNode& node);

// Begins a run and makes `status` not expect the service any more. Returns what the beginning found.
Result<Findings> ForgetService(OpenNode& node);

// Removes the service, the program and the state folder. Call it after RemoveSettings, with the machine closed.
Result<void> RemoveProgram(machine::Host& host);

}  // namespace prov::node
