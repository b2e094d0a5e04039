// The record that a payload's script (templates/Apply-Egress.ps1) keeps on a machine. What the script wrote is ours;
// removing it restores what was there before. machine_record.h takes the record over. Format: docs/state.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

// The script's record, in the state folder that script and program share. The script writes the second file, then
// renames it to the first, so that at any moment one of the two is complete. They are read in this order.
using machine::kScriptStateFile;
inline constexpr std::string_view kScriptStateNewFile = "script-state.json.new";

// The path of the record, for messages.
inline constexpr std::string_view kScriptStatePlace = R"(%ProgramData%\Provisioner\script-state.json)";

// What it wrote on this machine, as items of the ledger.
struct ScriptState {
  Ledger ledger;
  std::int64_t generation = 0;  // of the payload that it applied last
  std::string reboot;           // the script's name for the boot in which variables changed, or ""
};

// The record of this machine; nullopt if the script never ran here. If the script was interrupted between writing its
// record and a value, the value on the machine decides. Reads only. Errors: those of the ports; json, type if neither
// file is usable, with a remedy; version.
Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine);

// Whether the machine is still in the boot in which the script changed variables, as far as that is known. Never true
// for an image.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script);

// Deletes the files, in the reverse of the order in which they are read: an interrupted run leaves a complete record.
Result<void> RemoveScriptState(machine::StateFolder& state);

}  // namespace prov::reconcile
