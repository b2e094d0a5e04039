// One round of `reconcile`: the stored source is read, the machine is brought to what it says, and kept there while the
// source says nothing.
#pragma once

#include <optional>

#include "provisioner/node/activity.h"

namespace prov::node {

struct RoundReport {
  reconcile::SessionReport session;
  bool held = false;                  // a rollback or an open trial: nothing was done
  std::optional<Error> source_error;  // the source could not be read; the last good settings were kept in place
};

// The machine is open only before the source is read and after it: a source on a network may take minutes, in which
// rollback, confirm and apply must not find the machine busy. nullopt: this program was asked to stop while it read.
// What it met is noted for `status`; with `service`, the program of the boot service that calls this, that too.
// Errors: not-found when no source is stored, or none was ever read well; lock, when somebody else has the machine, or
// stored another source meanwhile; reboot-loop; those of the ports.
Result<std::optional<RoundReport>> RunRound(machine::Host& host, const SettingsReader& read,
                                            const ProgramIdentity* service = nullptr);

// The settings that were kept of the stored source. Errors: not-found.
Result<Settings> LastGoodSettings(machine::StateRecord& state);

// "3 d 4 h", for messages.
std::string DescribeAge(std::int64_t seconds);

}  // namespace prov::node
