// Objects of a cluster as `oc get … -o yaml|json` prints them: found, checked for kind and types, and kept complete, so
// that they can be written again with one part changed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ignition/json.h"
#include "provisioner/base/result.h"

namespace prov::publish {

using ignition::JsonValue;

// Kubernetes stores objects of at most some megabytes. The bounds on nesting and values also bound what indentation
// adds when an object is written as YAML.
inline constexpr ignition::Limits kObjectLimits{
    .input = 16ULL << 20U, .file = 16ULL << 20U, .depth = 64, .values = 400'000};

struct Object {
  std::unique_ptr<ignition::JsonDocument> document;  // owns `root`
  JsonValue* root = nullptr;                         // an object, or with `several` an array of objects
  bool is_json = false;                              // as it was written
  bool several = false;                              // YAML documents
  std::string where;                                 // the input's name
};

// Any JSON or YAML object. Errors: json, yaml, too-large, kind (no object at all), invalid-config (a key that occurs
// twice in one object).
Result<Object> ReadAnyObject(std::string bytes, const std::string& where);

// The same, or several YAML documents, as manifests are written.
Result<Object> ReadManifest(std::string bytes, const std::string& where);

// The object of this kind and API group ("" for the core group), which may be an item of a List; of several the one
// named "cluster" is taken, else the first. Errors: those of ReadAnyObject, type, kind.
Result<Object> ReadObject(std::string bytes, const std::string& where, std::string_view kind, std::string_view group);

// Members by name; absent and null are the same. Errors: type, with "FILE: path" as where.
class ObjectReader {
 public:
  ObjectReader(const JsonValue* value, std::string where, std::string path)
      : value_(value), where_(std::move(where)), path_(std::move(path)) {}

  explicit operator bool() const { return value_ != nullptr; }
  const JsonValue& value() const { return *value_; }
  Result<ObjectReader> Child(std::string_view name) const;                  // an object, or nothing
  Result<std::string> Text(std::string_view name) const;                    // "" where there is none
  Result<std::vector<std::string>> Texts(std::string_view name) const;      // of an array
  Result<std::vector<ObjectReader>> Children(std::string_view name) const;  // objects of an array
  std::string Where(std::string_view name = {}) const;                      // "FILE: $.spec.name"

 private:
  Result<const JsonValue*> Array(std::string_view name) const;

  const JsonValue* value_;
  std::string where_;
  std::string path_;
};

ObjectReader ReaderOf(const Object& object);

}  // namespace prov::publish
