// The outer documents that contain an Ignition config, and the choice of a pool's MachineConfig from several.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ignition/config.h"
#include "ignition/fetcher.h"
#include "ignition/limits.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Selects a MachineConfig from a list.
struct Selection {
  // If the list contains this MachineConfigPool, selects the config that its nodes have (its
  // status.configuration.name). Otherwise the newest config that is called rendered-<pool>-<32 hex digits>.
  std::string pool = "worker";
  std::string name = {};  // exact name, overrides the pool; "": by pool

  bool operator==(const Selection&) const = default;
};

struct Document {
  std::string kind;  // "MachineConfig" or "Ignition"
  std::string name;  // of the MachineConfig; "" for a bare Ignition config
  Config config;
  Findings findings;
};

// Reads a MachineConfig, a List or MachineConfigList of them, or a bare Ignition config, in JSON or YAML (detected by
// content). `where` names the input, and is used if neither a field nor a line can be named. Syntax errors have "line
// L, column C" (from 1, in characters), semantic ones a JSON path. For large inputs, leave 64 bytes of spare capacity
// in `bytes`, because they are parsed in place. `fetcher` reads remote references and must outlive the document; if it
// is null, they are errors. Findings: old-version, newer-version, newest-of-list, not-rendered, other-pool,
// pool-paused, pool-rollout.
Result<Document> ReadConfig(std::string bytes, const std::string& where, const Selection& selection,
                            const Limits& limits, Fetcher* fetcher);

// The same for a parsed document. Several documents are read as a list.
Result<Document> ReadParsed(std::unique_ptr<JsonDocument> parsed, const std::string& where, const Selection& selection,
                            const Limits& limits, Fetcher* fetcher);

// Whether the object, of the kind that it names ("": none), is a MachineConfig. The files in which a node keeps its own
// have no kind; they are known by the Ignition config in their spec.
bool IsMachineConfig(const JsonValue& object, std::string_view kind);

// The pool in a name rendered-<pool>-<32 lower-case hex digits>; nullopt for other names.
std::optional<std::string_view> PoolOfRenderedName(std::string_view name);

}  // namespace prov::ignition
