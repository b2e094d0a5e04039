// Ledger: for each item that is ours on a machine, what was there before us and what we wrote. Only the ledger decides
// what may be removed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::reconcile {

struct LedgerEntry {
  // nullopt: nothing was there. A file that not everybody might read is of the type REG_NONE.
  std::optional<images::RegValue> before;
  std::optional<images::RegValue> ours;  // a certificate's DER, or a file's bytes by its path, as a binary value
  std::vector<std::string> own_keys;     // keys, or folders, made for it, outermost first

  bool operator==(const LedgerEntry&) const = default;
};

// The entries by key: `env:HTTP_PROXY`, `serviceEnv:containerd`, `serviceEnv:containerd\parameters` (nssm's),
// `serviceSecurity:containerd`, `winHttp:64`, `winInet:64:ProxyServer`, `certificate:ROOT:<SHA-1>`, `hns:<GUID>`,
// `file:<path>`. Each key has one spelling: names of services are those of ServiceNameKey, a SHA-1 and a path are in
// lower case, a GUID in upper case.
using Ledger = std::map<std::string, LedgerEntry, std::less<>>;

// An object with a member for each item.
void WriteLedger(JsonWriter& json, const Ledger& ledger);
Result<Ledger> ReadLedger(const JsonNode& node);

}  // namespace prov::reconcile
