// The structure of an Ignition config: the types of the members that this room knows, and the rules for single entries.
// Unknown members are ignored, as Ignition does.
#pragma once

#include <optional>
#include <string_view>

#include "ignition/json_path.h"
#include "ignition/resource.h"
#include "ignition/version.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Members of an object by type: null when absent or null, the error type when it is something else. `object` may be
// null.
Result<const JsonValue*> ObjectMember(const JsonValue* object, std::string_view name, const JsonPath& at);
Result<const JsonValue*> ArrayMember(const JsonValue* object, std::string_view name, const JsonPath& at);
Result<std::optional<std::string_view>> StringMember(const JsonValue* object, std::string_view name,
                                                     const JsonPath& at);
Result<std::optional<bool>> BoolMember(const JsonValue* object, std::string_view name, const JsonPath& at);
// The error type unless `value` is an object.
Result<void> RequireObject(const JsonValue& value, const JsonPath& at);

// ignition.version of a config; `root` must be an object. Missing or no string: version.
Result<std::string_view> VersionText(const JsonValue& root, const JsonPath& at);

// Everything below storage and systemd, one entry at a time: types (type), paths, modes, overwrite without source
// (invalid-config). Not the contents themselves. Linear in the size of the config.
Result<void> CheckEntries(const JsonValue& root, SpecVersion version, const JsonPath& at);

// A resource object (contents, an append entry, a config reference); `object` may be null. Types are checked.
Result<Resource> ReadResourceMembers(const JsonValue* object, const JsonPath& at);

// nullptr if `path` is an absolute, clean path (no empty, "." or ".." parts, no slash at the end, no NUL); else a text
// that says what is wrong with it.
const char* PathProblem(std::string_view path);

}  // namespace prov::ignition
