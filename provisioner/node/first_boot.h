// First boot: applies the settings, installs this program with a service that starts at each boot, remembers the source
// and cleans up what was delivered.
#pragma once

#include <string>
#include <vector>

#include "provisioner/node/upgrade.h"

namespace prov::node {

struct Delivery {
  SettingsSpec spec;                      // how to read the source again
  bool follow = true;                     // false: a payload that Windows setup delivered; it is used up
  std::vector<std::string> secret_files;  // full paths, of a payload that is used up
  // To be pinned, so that later payloads are taken from this signer alone; nullopt: what is pinned stays.
  std::optional<pki::Certificate> signer = {};
  // Between rounds of the boot service; nullopt: what is stored stays.
  std::optional<std::int64_t> interval_seconds = {};
  bool allow_downgrade = false;  // also this program over a newer one
  // As in ServiceRecord; nullopt: what is stored stays.
  std::optional<NodeReporting> reporting = {};
};

// The records of how to read the source again, and of its settings. `adopt`: what the payload baked into the image has
// not been taken over yet.
reconcile::Sections SourceRecords(const DerivedSettings& derived, const Delivery& delivery, bool adopt);

// For a source on a network that can't be read yet: installs the boot service, which keeps trying. False: another
// source is already stored and stays; nothing was written.
Result<bool> FollowLater(OpenNode& node, const Delivery& delivery);

// On a node that was entered. Refuses before anything is written.
Result<reconcile::SessionReport> FirstBoot(OpenNode& node, Entered entered, const DerivedSettings& derived,
                                           const Delivery& delivery, const ApplyOptions& options);

// Installs the program and its service (upgrade.h). The source is remembered if one is given. Refuses before anything
// is written.
Result<ProgramReport> InstallService(OpenNode& node, const DerivedSettings* derived, const Delivery& delivery,
                                     Findings& findings);

// Stops and removes the service; the installed program and what is applied stay. False: there was none.
Result<bool> UninstallService(OpenNode& node);

// After RemoveSettings and when the machine is closed: the service, the program and the state folder.
Result<void> RemoveProgram(machine::Host& host);

}  // namespace prov::node
