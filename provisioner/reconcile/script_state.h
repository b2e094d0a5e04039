// What a payload's script (templates/Apply-Egress.ps1) recorded on a machine. What it wrote is ours, and what was there
// before is restored when ours is removed. machine_record.h takes the record over. Format: docs/state.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

// The script's record, in the state folder, which script and program share. The script writes the second file, then
// renames it, so that at any moment one of the two is complete. They are read in this order.
using machine::kScriptStateFile;
inline constexpr std::string_view kScriptStateNewFile = "script-state.json.new";

// Where it is, for people.
inline constexpr std::string_view kScriptStatePlace = R"(%ProgramData%\Provisioner\script-state.json)";

// What it wrote on this machine, as items of the ledger.
struct ScriptState {
  Ledger ledger;
  std::int64_t generation = 0;  // of the payload that it applied last
  std::string reboot;           // the script's name for the boot in which variables changed, or ""
};

// The record of this machine; nullopt when the script never ran here. Where the script was cut short between record and
// value, the machine says which of the two values is there. Reads only. Errors: those of the ports; json, type when
// neither file can be used, with what to do; version.
Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine);

// Whether the machine is still in the boot in which the script changed variables, as far as that is known. Never true
// for an image.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script);

// Deletes the files. The one that is read first is deleted last: after a cut run, what is left is a complete record.
Result<void> RemoveScriptState(machine::StateFolder& state);

}  // namespace prov::reconcile
