// Reads the files of routers: the form of each, and the objects in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "provisioner/base/json.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

enum class FileForm { kObjects, kAssignments, kList };

// Decides by the lines: objects have members such as apiVersion, assignments begin with EGRESS_.
FileForm FormOf(std::string_view bytes);

// The objects in all files for which FormOf() says objects.
struct RouterObjects {
  std::vector<std::unique_ptr<JsonDocument>> documents;  // own what `objects` view
  std::vector<RouterObject> objects;
};

// Adds those of one file: a single object, a List, or several YAML documents. Errors: json, yaml, type, kind,
// too-large.
Result<void> AddObjects(std::string bytes, const std::string& where, RouterObjects& out);

// EGRESS_* of an environment file; others are passed over. Findings: env-line, env-duplicate. Errors: destination (a
// quote that is never closed), those of ParseEnvironmentFile().
Result<Variables> ReadAssignments(std::string_view bytes, const std::string& where, Findings& findings);

// The kind of router whose list this looks like, for a list that none accepts.
RouterKind LikelyKind(std::string_view text);

// A plain list. Without a kind, the lines decide. Errors: destination; kind if they fit several routers.
Result<RouterPolicy> ReadList(std::string_view text, const std::string& where, std::optional<RouterKind> kind);

}  // namespace prov::router
