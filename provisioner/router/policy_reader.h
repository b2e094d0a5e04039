// The files of routers: which form each has, and the objects in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ignition/json.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

enum class FileForm { kObjects, kAssignments, kList };

// By its lines: objects have members such as apiVersion, assignments begin with EGRESS_.
FileForm FormOf(std::string_view bytes);

// What FormOf() calls objects, of all files together.
struct RouterObjects {
  std::vector<std::unique_ptr<ignition::JsonDocument>> documents;  // own what `objects` view
  std::vector<RouterObject> objects;
};

// Adds those of one file: a single object, a List, or several YAML documents. Errors: json, yaml, type, kind,
// too-large.
Result<void> AddObjects(std::string bytes, const std::string& where, RouterObjects& out);

// EGRESS_* of an environment file; others are passed over. Findings: env-line, env-duplicate. Errors: destination (a
// quote that is never closed), those of ParseEnvironmentFile().
Result<Variables> ReadAssignments(std::string_view bytes, const std::string& where, Findings& findings);

// Which router a list looks like that none of them takes.
RouterKind LikelyKind(std::string_view text);

// A plain list. Without a kind it is seen by the lines. Errors: destination; kind where they suit several routers.
Result<RouterPolicy> ReadList(std::string_view text, const std::string& where, std::optional<RouterKind> kind);

}  // namespace prov::router
