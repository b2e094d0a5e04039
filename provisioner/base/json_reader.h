// A view of the tree of json.h, with the path of each value for messages. For documents whose members this program
// knows: those that it writes itself, and answers of Windows and of the cluster's API. A SOURCE is read with
// source/object_view.h, an Ignition config with ignition/schema.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "provisioner/base/result.h"

namespace prov {

// A value of a parsed document; keeps the document alive. The errors of the getters are type, with "WHERE: $.path" as
// where.
class JsonNode {
 public:
  // The member of an object. An absent or null one is an error.
  Result<JsonNode> Get(std::string_view name) const;
  // nullopt if the member is absent or null. Only a value that is not an object is an error.
  Result<std::optional<JsonNode>> Find(std::string_view name) const;
  // The member, converted by `read`, as in Find("at", &JsonNode::Integer); nullopt if it is absent or null. Errors:
  // also those of `read`.
  template <class Read>
  auto Find(std::string_view name, Read read) const
      -> Result<std::optional<typename std::invoke_result_t<Read, const JsonNode&>::value_type>> {
    const auto found = PROV_TRY(Find(name));
    if (!found) return std::nullopt;
    return PROV_TRY(std::invoke(read, *found));
  }

  // The member, converted by `read`. An absent or null one is an error. Errors: also those of `read`.
  template <class Read>
  auto Get(std::string_view name, Read read) const -> std::invoke_result_t<Read, const JsonNode&> {
    return std::invoke(read, PROV_TRY(Get(name)));
  }

  Result<std::string> Text() const;
  Result<std::int64_t> Integer() const;
  Result<bool> Bool() const;
  Result<std::string> Bytes() const;                                      // of a string in base64
  Result<std::vector<JsonNode>> Items() const;                            // of an array
  Result<std::vector<std::string>> Texts() const;                         // of an array of strings
  Result<std::vector<std::pair<std::string, JsonNode>>> Members() const;  // of an object, in order
  bool IsNull() const;

  // The value as a document of its own, in JsonWriter's form.
  std::string Json() const;

  // An error about this value, with the caller's message.
  std::unexpected<Error> Refuse(Code code, std::string message) const;

 private:
  struct Tree;
  friend Result<JsonNode> ParseJsonDocument(std::string_view text, std::string_view where);
  JsonNode(std::shared_ptr<const Tree> tree, const void* value, std::string path);
  std::unexpected<Error> WrongType(std::string_view wanted) const;

  std::shared_ptr<const Tree> tree_;
  const void* value_;  // a rapidjson::Value of the tree
  std::string path_;
};

// Parses a complete document: UTF-8, at most 64 levels deep, no repeated keys. Errors: json, with "WHERE: line 3,
// column 7" as where; too-large (millions of values).
Result<JsonNode> ParseJsonDocument(std::string_view text, std::string_view where);

// The same for a document whose `schema` must be 1. Errors: also version, so that a newer program's file is recognised.
Result<JsonNode> ParseSchemaOne(std::string_view text, std::string_view where);

}  // namespace prov
