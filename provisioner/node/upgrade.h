// Installs this program on a node: its file, its boot service, and its folder in the search path. If another version is
// installed, this is an upgrade: the service stops, the file is replaced, the service starts. If the new program does
// not start as the service, the former one is restored. If the upgrade is interrupted, the next call finishes it.
#pragma once

#include <optional>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/node/open_node.h"

namespace prov::node {

inline constexpr std::string_view kServiceName = "Provisioner";

// How the boot service starts.
Result<machine::ServiceDefinition> BootServiceDefinition(machine::Host& host);

struct ProgramReport {
  bool wrote = false;
  std::string path;                                    // of the installed program
  bool replaced = false;                               // another program was installed, or ran as the service
  std::optional<machine::ProgramVersion> before, now;  // nullopt: no program, or one without a version
};

// Refuses to replace a newer program by an older one unless `allow_older`. Reads only. A program that can't be examined
// does not count as newer. Errors: downgrade.
Result<void> CheckProgram(machine::Host& host, bool allow_older);

// Installs both and starts the service, unless Windows setup runs (then the next boot starts it). A service that
// already runs this program keeps running. Errors: downgrade, those of the ports; the message says what was restored.
Result<ProgramReport> InstallProgramAndService(OpenNode& node, bool allow_older = false);

// Adds a finding with both versions, if one replaced the other.
void AddUpgrade(const ProgramReport& report, Findings& findings);

}  // namespace prov::node
