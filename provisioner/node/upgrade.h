// This program comes to stay on a node: its file, its boot service, its folder in the search path. Over another version
// of it that is an upgrade: the service stops, the file is swapped, the service starts. A program that does not start
// as the service gives way to the former one. Ended at any step, the next call finishes it.
#pragma once

#include <optional>
#include <string>

#include "provisioner/node/apply.h"

namespace prov::node {

inline constexpr std::string_view kServiceName = "Provisioner";

struct ProgramReport {
  bool wrote = false;
  std::string path;                                    // of the installed program
  bool replaced = false;                               // another program was installed, or ran as the service
  std::optional<machine::ProgramVersion> before, now;  // nullopt: none was installed, or it names no version
};

// An older program does not take the place of a newer one unless `allow_older`. Reads only; what can't be looked at is
// no newer program. Errors: downgrade.
Result<void> CheckProgram(machine::Host& host, bool allow_older);

// The service is started unless Windows setup runs (the next boot starts it then); one that runs this very program
// already goes on. Errors: downgrade, those of the ports; the message says what was put back.
Result<ProgramReport> InstallProgramAndService(OpenNode& node, bool allow_older = false);

// Both versions, if one replaced the other.
void AddUpgrade(const ProgramReport& report, Findings& findings);

}  // namespace prov::node
