// Objects of a cluster as `oc get … -o yaml|json` prints them. They are found, checked for kind and types, and kept
// complete, so that they can be written again with one part changed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "provisioner/base/json.h"
#include "provisioner/base/result.h"
#include "provisioner/source/object_view.h"

namespace prov::publish {

// Kubernetes stores objects of at most a few megabytes. The limits on nesting and values also limit the indentation
// that writing an object as YAML adds.
inline constexpr JsonLimits kObjectLimits{.input = 16ULL << 20U, .depth = 64, .values = 400'000};

// The indentation of `oc get -o json`.
inline constexpr unsigned kJsonIndent = 4;

struct Object {
  std::unique_ptr<JsonDocument> document;  // owns `root`
  JsonValue* root = nullptr;               // an object, or with `several` an array of objects
  bool is_json = false;                    // the input was JSON
  bool several = false;                    // YAML documents
  std::string where;                       // name of the input
};

// Reads any JSON or YAML object. Errors: json, yaml, too-large, kind (not an object), invalid-config (a repeated key).
Result<Object> ReadAnyObject(std::string bytes, const std::string& where);

// Reads an object, or several YAML documents.
Result<Object> ReadManifest(std::string bytes, const std::string& where);

// Reads the object of this kind and API group ("" for the core group), which may be an item of a List. Of several,
// takes the one named "cluster", else the first. Errors: those of ReadAnyObject, type, kind.
Result<Object> ReadObject(std::string bytes, const std::string& where, std::string_view kind, std::string_view group);

// The view with "FILE: $" as its path.
source::ObjectView ViewOf(const Object& object);

// A string value that refers to `text`, which must outlive it.
inline JsonValue JsonReference(std::string_view text) {
  return JsonValue(rapidjson::StringRef(text.data(), static_cast<rapidjson::SizeType>(text.size())));
}
// Sets a member of an object, or adds it at the end.
void SetMember(JsonValue& object, std::string_view name, JsonValue value, rapidjson::Document::AllocatorType& memory);

}  // namespace prov::publish
