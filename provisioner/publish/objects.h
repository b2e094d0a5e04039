// Objects of a cluster as `oc get … -o yaml|json` prints them: found, checked for kind and types, and kept complete, so
// that they can be written again with one part changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json.h"
#include "provisioner/base/result.h"
#include "provisioner/source/object_view.h"

namespace prov::publish {

// Kubernetes stores objects of at most some megabytes. The bounds on nesting and values also bound what indentation
// adds when an object is written as YAML.
inline constexpr JsonLimits kObjectLimits{.input = 16ULL << 20U, .depth = 64, .values = 400'000};

// As `oc get -o json` prints objects.
inline constexpr unsigned kJsonIndent = 4;

struct Object {
  std::unique_ptr<JsonDocument> document;  // owns `root`
  JsonValue* root = nullptr;               // an object, or with `several` an array of objects
  bool is_json = false;                    // as it was written
  bool several = false;                    // YAML documents
  std::string where;                       // the input's name
};

// Any JSON or YAML object. Errors: json, yaml, too-large, kind (no object at all), invalid-config (a key that occurs
// twice in one object).
Result<Object> ReadAnyObject(std::string bytes, const std::string& where);

// The same, or several YAML documents, as manifests are written.
Result<Object> ReadManifest(std::string bytes, const std::string& where);

// The object of this kind and API group ("" for the core group), which may be an item of a List; of several the one
// named "cluster" is taken, else the first. Errors: those of ReadAnyObject, type, kind.
Result<Object> ReadObject(std::string bytes, const std::string& where, std::string_view kind, std::string_view group);

// An object that may be absent, as null is; then so are its members. Errors: type, with "FILE: path" as where.
class ObjectReader {
 public:
  explicit ObjectReader(std::optional<source::ObjectView> view) : view_(std::move(view)) {}

  explicit operator bool() const { return view_.has_value(); }
  const JsonValue& value() const { return view_->value(); }
  Result<ObjectReader> Child(std::string_view name) const;                    // an object, or nothing
  Result<std::string> Text(std::string_view name) const;                      // "" where there is none
  Result<std::vector<std::string>> Texts(std::string_view name) const;        // of an array
  Result<std::vector<ObjectReader>> Children(std::string_view name) const;    // objects of an array
  std::string Where(std::string_view name) const { return view_->At(name); }  // "FILE: $.spec.name"

 private:
  std::optional<source::ObjectView> view_;
};

ObjectReader ReaderOf(const Object& object);

}  // namespace prov::publish
