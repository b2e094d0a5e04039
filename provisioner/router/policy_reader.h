// Reads the files of routers: detects the form of each file, and finds the objects in it.
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

// Detects the form by the lines: objects have members such as apiVersion; assignments begin with EGRESS_.
FileForm FormOf(std::string_view bytes);

// The objects of all files that have the form of objects.
struct RouterObjects {
  std::vector<std::unique_ptr<JsonDocument>> documents;  // own the values that `objects` refer to
  std::vector<RouterObject> objects;
};

// Adds the objects of one file: a single object, a List, or several YAML documents. Errors: json, yaml, type, kind,
// too-large.
Result<void> AddObjects(std::string bytes, const std::string& where, RouterObjects& out);

// The EGRESS_* assignments of an environment file; ignores others. Findings: env-line, env-duplicate. Errors:
// destination (an unterminated quote), those of ParseEnvironmentFile().
Result<Variables> ReadAssignments(std::string_view bytes, const std::string& where, Findings& findings);

// The kind of router that an invalid list resembles most.
RouterKind LikelyKind(std::string_view text);

// Reads a plain list. Without `kind`, the lines decide. Errors: destination; kind if they fit several routers.
Result<RouterPolicy> ReadList(std::string_view text, const std::string& where, std::optional<RouterKind> kind);

}  // namespace prov::router
