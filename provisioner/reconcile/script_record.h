// script-state.json, as a payload's script (templates/Install-Egress.ps1, UserData-Install.ps1) wrote it: schema 2,
// which is the ledger's form, or schema 1 of earlier payloads (docs/design/scripts.md#record). script_state.h says what
// it means on a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/pki/trust_store.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

// A value that the script wrote.
struct ScriptItem {
  std::string item;  // as in the ledger
  std::string key;   // where the value `entry.ours->name` is; "" for a descriptor
  LedgerEntry entry;
  std::optional<images::RegValue> prior;  // what it wrote before `entry.ours`, if it may have been cut short
};

// A certificate that the script added. Its bytes are in the store.
struct ScriptCertificate {
  pki::Store store;
  std::string sha1;  // in upper case
};

struct ScriptRecord {
  std::vector<ScriptItem> items;
  std::vector<ScriptCertificate> certificates;
  std::optional<std::int64_t> generation;  // of the payload that was applied last
  std::string reboot;                      // the script's name for the boot in which variables changed, or ""
};

// Errors: json; type, for what no script writes; version, for a newer script. Each names its place.
Result<ScriptRecord> ReadScriptRecord(std::string_view json, std::string_view where);

}  // namespace prov::reconcile
