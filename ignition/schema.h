// The structure of an Ignition config: the types of the members that this program reads, and the rules for single
// entries. Ignores unknown members, as Ignition does.
#pragma once

#include <optional>
#include <string_view>

#include "ignition/json_path.h"
#include "ignition/resource.h"
#include "ignition/version.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Members of an object by type: null if absent or null. `object` may be null. Errors: type.
Result<const JsonValue*> ObjectMember(const JsonValue* object, std::string_view name, const JsonPath& at);
Result<const JsonValue*> ArrayMember(const JsonValue* object, std::string_view name, const JsonPath& at);
Result<std::optional<std::string_view>> StringMember(const JsonValue* object, std::string_view name,
                                                     const JsonPath& at);
Result<std::optional<bool>> BoolMember(const JsonValue* object, std::string_view name, const JsonPath& at);
// Errors: type unless `value` is an object.
Result<void> RequireObject(const JsonValue& value, const JsonPath& at);

// ignition.version of a config; `root` must be an object. Errors: version (missing, or not a string).
Result<std::string_view> VersionText(const JsonValue& root, const JsonPath& at);

// Checks everything below storage and systemd, one entry at a time: types (type), paths, modes, overwrite without
// source (invalid-config). Does not check contents. Linear in the size of the config.
Result<void> CheckEntries(const JsonValue& root, SpecVersion version, const JsonPath& at);

// Reads a resource object (contents, an append entry, a config reference); `object` may be null. Errors: type.
Result<Resource> ReadResourceMembers(const JsonValue* object, const JsonPath& at);

// nullptr if `path` is an absolute, clean path (no empty, "." or ".." parts, no slash at the end, no NUL); otherwise
// the fault as text.
const char* PathProblem(std::string_view path);

}  // namespace prov::ignition
