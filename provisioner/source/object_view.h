// A read-only view of one object of a parsed document, for the readers of Kubernetes objects and of files that users
// write.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::source {

// How to handle a repeated key, of which readers take different values.
enum class RepeatedKeys { kRefused, kLastCounts };

// Getters treat null as absent, as Kubernetes does; IsNull() tells the two apart. Errors are type, with the JSON path.
// The document must outlive the view.
class ObjectView {
 public:
  // `repeated` applies to the objects inside as well. Errors: type unless `value` is an object; invalid-config for a
  // repeated key that is refused.
  static Result<ObjectView> Of(const JsonValue& value, std::string path,
                               RepeatedKeys repeated = RepeatedKeys::kRefused);

  const std::string& path() const { return path_; }
  const JsonValue& value() const { return *value_; }
  std::string At(std::string_view name) const;  // the path of a member, "$.data[\"ca-bundle.crt\"]"

  bool Has(std::string_view name) const;     // present, also as null
  bool IsNull(std::string_view name) const;  // present as null
  std::vector<std::string_view> Names() const;

  Result<std::optional<std::string_view>> Text(std::string_view name) const;
  Result<std::string_view> TextOr(std::string_view name, std::string_view other) const;
  Result<std::optional<ObjectView>> Object(std::string_view name) const;
  Result<std::optional<std::vector<std::string_view>>> Texts(std::string_view name) const;  // an array of strings
  Result<std::vector<std::string>> TextsOrNone(std::string_view name) const;                // the same; empty if absent
  // An array of objects; empty if absent. Errors: too-large (over 100,000).
  Result<std::vector<ObjectView>> Objects(std::string_view name) const;
  // Any value; nullptr if it is absent or null.
  const JsonValue* Find(std::string_view name) const { return JsonMember(value_, name); }

 private:
  ObjectView(const JsonValue& value, std::string path, RepeatedKeys repeated)
      : value_(&value), path_(std::move(path)), repeated_(repeated) {}

  const JsonValue* value_;
  std::string path_;
  RepeatedKeys repeated_;
};

// Whether an object has the member, also as null.
bool HasMember(const JsonValue& object, std::string_view name);

// The API group of a Kubernetes object; "" for the core group.
std::string_view GroupOf(const JsonValue& object);
// Whether it is of this group, which has to be checked: several projects have kinds of one name. An object without
// apiVersion may be of any.
bool IsOfGroup(const JsonValue& object, std::string_view group);

// metadata.name of a Kubernetes object; "" if it is absent. Errors: type.
Result<std::string_view> ObjectName(const ObjectView& object);

// A value of a document, with its kind ("" if it is no object or has none) and its path.
struct DocumentValue {
  const JsonValue* value;
  std::string_view kind;
  std::string path;
};

// Visits the values that a document has in place of objects: the only one, the items of a List, also of one within it,
// or those of several documents, of which empty ones are skipped. In a list of one kind, the API server leaves out the
// kind of the items. Stops at the first error, and returns it. Errors: too-large (Lists too deep).
Result<void> VisitValues(const JsonDocument& document, const std::function<Result<void>(const DocumentValue&)>& visit);

}  // namespace prov::source
