// What a payload's script (templates/Install-Egress.ps1) recorded on a machine, taken over: what it put there is ours,
// and what was there before it comes back when ours goes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/certificate_item.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

// The script's record, in the state folder that is its, too. It replaces the file by way of the other two, so that one
// of the three is whole at each instant: they are read in this order.
inline constexpr std::string_view kScriptStateFile = "script-state.json";
inline constexpr std::string_view kScriptStateNewFile = "script-state.json.new";
inline constexpr std::string_view kScriptStateOldFile = "script-state.json.old";

// The script records a certificate by its SHA-1 (40 lower-case hex digits), and the ledger holds whole ones: the DER
// from a payload, or nullopt when it is in none.
using CertificateLookup = std::function<std::optional<std::string>(egress::Store, std::string_view sha1)>;
// Of a desired state. What is in none any more can't be named: `script-certificate`.
CertificateLookup LookupIn(const std::vector<CertificateItem>& certificates);

struct ScriptState {
  Ledger ledger;
  std::optional<std::int64_t> generation;  // of the payload that it applied last
  std::string reboot;                      // the script's name for the boot in which variables changed, or ""
};

// Findings: `script-certificate` (warning) for a certificate that `lookup` does not know: it stays in its store.
// Errors: json, type, version.
Result<ScriptState> ReadScriptState(std::string_view json, std::string_view where, const CertificateLookup& lookup,
                                    Findings& findings);

// The record of this machine; nullopt when the script never ran here. Where the script was cut short between record and
// value, the machine tells which of the values that it wrote is there. Reads only. Errors: as above; json when none of
// the three files is whole.
Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine, const CertificateLookup& lookup,
                                                   Findings& findings);

// Adds the record to this machine's ledger (items that are in it stay), marks a reboot that the script needed and that
// did not take place, and takes the record away. Must not run while a transaction is open: its end would write its own
// ledger. Nullopt when there was nothing to take over.
Result<std::optional<ScriptState>> ImportScriptState(machine::Machine& machine, const CertificateLookup& lookup,
                                                     Findings& findings);

}  // namespace prov::reconcile
