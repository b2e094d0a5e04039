// What a payload's script (templates/Install-Egress.ps1, UserData-Install.ps1) recorded on a machine: what it put there
// is ours, and what was there before it comes back when ours goes. script_record.h reads the file, machine_record.h
// takes it over.
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

// The script's record, in the state folder that is its, too. It replaces the file by way of the other two, so that one
// of the three is whole at each instant: they are read in this order.
inline constexpr std::string_view kScriptStateFile = "script-state.json";
inline constexpr std::string_view kScriptStateNewFile = "script-state.json.new";
inline constexpr std::string_view kScriptStateOldFile = "script-state.json.old";

// Where it is, for people.
inline constexpr std::string_view kScriptStatePlace = R"(%ProgramData%\Provisioner\script-state.json)";

// What it put on this machine, as items of the ledger.
struct ScriptState {
  Ledger ledger;
  std::vector<Drift> gone;                 // certificates that it added and that are in no store any more
  std::optional<std::int64_t> generation;  // of the payload that it applied last
  std::string reboot;                      // the script's name for the boot in which variables changed, or ""
};

// The record of this machine; nullopt when the script never ran here. The machine tells the rest: a certificate, which
// the script knows by its SHA-1, and where it was cut short between record and value, which of the two is there. Reads
// only. Errors: those of the ports; json, type when none of the three files can be used, with what to do; version.
Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine);

// Whether the machine still runs the boot in which the script changed variables, as far as that can be told. An image
// never does.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script);

// The file that is read first goes last: what is left of a cut run is the whole record.
Result<void> RemoveScriptState(machine::StateFolder& state);

}  // namespace prov::reconcile
