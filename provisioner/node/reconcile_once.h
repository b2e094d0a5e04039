// One round of `reconcile`: reads the stored source and brings the machine to its settings. If the source can't be
// read, the last good settings are kept in place.
#pragma once

#include <optional>
#include <string>

#include "provisioner/machine/host.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct RoundReport {
  reconcile::RunReport run;
  bool held = false;                  // a rollback or an open trial holds: nothing was done
  std::optional<Error> source_error;  // why the source could not be read; the last good settings were kept in place
};

// Whose round it is. A loop of this program (a pod, the boot service) makes its rounds alone: a trial of approved
// settings that it finds open was left by a process that ended, and is taken back. A person's round leaves one alone.
enum class RoundBy { kLoop, kPerson };

// Runs a round. The machine is open only before and after the source is read: reading one on a network may take
// minutes, during which rollback, confirm and apply must not find the machine busy. nullopt: this program was asked to
// stop while reading. Records the outcome for `status`. Errors: not-found when no source is stored, or none was ever
// read successfully; lock, when another run has the machine, stored another source or applied settings meanwhile;
// reboot-loop; those of the ports.
// With an approver, settings whose egress::SettingsDigest is not that of the applied ones are applied only if it
// approves them, as a trial (approved_trial.h) that ends before the round does. Until then the applied ones are kept in
// place. If it can't be asked, that is the round's source_error. A machine on which nothing was applied yet takes the
// settings that the fleet has confirmed, or those of the source; one whose record was lost, or whose settings were
// removed, takes the former alone. After settings were confirmed, the cluster may approve the former ones again, and
// they are tried whatever the source says. Null: nothing waits for approval, unless the record says that it does and
// the round is a person's.
Result<std::optional<RoundReport>> RunRound(machine::Host& host, const SettingsReader& read,
                                            Approver* approver = nullptr, RoundBy by = RoundBy::kLoop);

// The last good settings of the stored source. Errors: not-found.
Result<Settings> LastGoodSettings(machine::StateRecord& state);

// "3 d 4 h", for messages.
std::string DescribeAge(std::int64_t seconds);

}  // namespace prov::node
