// What a payload's script (templates/Install-Egress.ps1, UserData-Install.ps1) recorded on a machine. What it wrote is
// ours, and what was there before is restored when ours is removed. script_record.h reads the file, machine_record.h
// takes the record over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/drift.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

// The script's record, in the state folder, which script and program share. The script replaces the file by way of the
// other two, so that at any moment one of the three is complete. They are read in this order.
inline constexpr std::string_view kScriptStateFile = "script-state.json";
inline constexpr std::string_view kScriptStateNewFile = "script-state.json.new";
inline constexpr std::string_view kScriptStateOldFile = "script-state.json.old";

// Where it is, for people.
inline constexpr std::string_view kScriptStatePlace = R"(%ProgramData%\Provisioner\script-state.json)";

// What it wrote on this machine, as items of the ledger.
struct ScriptState {
  Ledger ledger;
  std::vector<Drift> gone;                 // certificates that it added and that are in no store any more
  std::optional<std::int64_t> generation;  // of the payload that it applied last
  std::string reboot;                      // the script's name for the boot in which variables changed, or ""
};

// The record of this machine; nullopt when the script never ran here. What the record lacks is read from the machine: a
// certificate, of which the script knows the SHA-1 only; and, where the script was cut short between record and value,
// which of the two values is there. Reads only. Errors: those of the ports; json, type when none of the three files can
// be used, with what to do; version.
Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine);

// Whether the machine is still in the boot in which the script changed variables, as far as that is known. Never true
// for an image.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script);

// Deletes the files. The one that is read first is deleted last: after a cut run, what is left is a complete record.
Result<void> RemoveScriptState(machine::StateFolder& state);

}  // namespace prov::reconcile
