// One round of `reconcile`: reads the stored source and brings the machine to its settings. If the source can't be
// read, the last good settings are kept in place.
#pragma once

#include <optional>
#include <string>

#include "provisioner/machine/host.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct RoundReport {
  reconcile::RunReport run;
  bool held = false;                  // a rollback or an open trial holds: nothing was done
  std::optional<Error> source_error;  // why the source could not be read; the last good settings were kept in place
};

// Runs a round. The machine is open only before and after the source is read: reading one on a network may take
// minutes, during which rollback, confirm and apply must not find the machine busy. nullopt: this program was asked to
// stop while reading. Records the outcome for `status`. Errors: not-found when no source is stored, or none was ever
// read successfully; lock, when another run has the machine or stored another source meanwhile; reboot-loop; those of
// the ports.
Result<std::optional<RoundReport>> RunRound(machine::Host& host, const SettingsReader& read);

// The last good settings of the stored source. Errors: not-found.
Result<Settings> LastGoodSettings(machine::StateRecord& state);

// "3 d 4 h", for messages.
std::string DescribeAge(std::int64_t seconds);

}  // namespace prov::node
