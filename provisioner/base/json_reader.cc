#include "provisioner/base/json_reader.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/json.h"

namespace prov {
namespace {

// The largest possible manifest of a payload has some 600,000 values.
constexpr JsonLimits kOwnLimits{.input = kMostJsonBytes, .depth = 64, .values = 4'000'000, .repeated_keys = false};

}  // namespace

struct JsonNode::Tree {
  std::unique_ptr<JsonDocument> document;
  std::string where;
};

namespace {
const JsonValue& Of(const void* value) { return *static_cast<const JsonValue*>(value); }
}  // namespace

JsonNode::JsonNode(std::shared_ptr<const Tree> tree, const void* value, std::string path)
    : tree_(std::move(tree)), value_(value), path_(std::move(path)) {}

std::unexpected<Error> JsonNode::Refuse(Code code, std::string message) const {
  return Fail(code, std::move(message), fmt::format("{}: {}", tree_->where, path_));
}

std::unexpected<Error> JsonNode::WrongType(std::string_view wanted) const {
  return Refuse(Code::kType, fmt::format("is not {}", wanted));
}

Result<std::optional<JsonNode>> JsonNode::Find(std::string_view name) const {
  const JsonValue& value = Of(value_);
  if (!value.IsObject()) return WrongType("an object");
  const auto member = value.FindMember(JsonValue(rapidjson::StringRef(name.data(), name.size())));
  if (member == value.MemberEnd() || member->value.IsNull()) return std::nullopt;
  return JsonNode(tree_, &member->value, fmt::format("{}.{}", path_, name));
}

Result<JsonNode> JsonNode::Get(std::string_view name) const {
  if (auto found = PROV_TRY(Find(name))) return *std::move(found);
  return Refuse(Code::kType, fmt::format("has no \"{}\"", name));
}

Result<std::string> JsonNode::Text() const {
  if (!Of(value_).IsString()) return WrongType("a string");
  return std::string(JsonTextOf(Of(value_)));
}

Result<std::string> JsonNode::Bytes() const {
  auto bytes = DecodeBase64(PROV_TRY(Text()));
  if (!bytes) return WrongType("base64");
  return *std::move(bytes);
}

Result<std::int64_t> JsonNode::Integer() const {
  if (!Of(value_).IsInt64()) return WrongType("an integer");
  return Of(value_).GetInt64();
}

Result<bool> JsonNode::Bool() const {
  if (!Of(value_).IsBool()) return WrongType("true or false");
  return Of(value_).GetBool();
}

Result<std::vector<JsonNode>> JsonNode::Items() const {
  if (!Of(value_).IsArray()) return WrongType("an array");
  std::vector<JsonNode> out;
  for (const JsonValue& item : Of(value_).GetArray())
    out.push_back({tree_, &item, fmt::format("{}[{}]", path_, out.size())});
  return out;
}

Result<std::vector<std::string>> JsonNode::Texts() const {
  std::vector<std::string> out;
  for (const JsonNode& item : PROV_TRY(Items())) out.push_back(PROV_TRY(item.Text()));
  return out;
}

Result<std::vector<std::pair<std::string, JsonNode>>> JsonNode::Members() const {
  if (!Of(value_).IsObject()) return WrongType("an object");
  std::vector<std::pair<std::string, JsonNode>> out;
  for (const auto& member : Of(value_).GetObject()) {
    std::string name(JsonTextOf(member.name));
    std::string path = fmt::format("{}.{}", path_, name);
    out.emplace_back(std::move(name), JsonNode(tree_, &member.value, std::move(path)));
  }
  return out;
}

bool JsonNode::IsNull() const { return Of(value_).IsNull(); }

std::string JsonNode::Json() const { return WriteJson(Of(value_), 2); }

Result<JsonNode> ParseJsonDocument(std::string_view text, std::string_view where) {
  auto document = ParseJson(std::string(text), kOwnLimits);
  if (!document) return FailIn(where, std::move(document).error());
  auto tree = std::make_shared<JsonNode::Tree>();
  tree->document = *std::move(document);
  tree->where = where;
  const void* root = &tree->document->root();
  return JsonNode(std::move(tree), root, "$");
}

Result<JsonNode> ParseSchemaOne(std::string_view text, std::string_view where) {
  JsonNode root = PROV_TRY(ParseJsonDocument(text, where));
  const JsonNode schema = PROV_TRY(root.Get("schema"));
  if (PROV_TRY(schema.Integer()) != 1) {
    return schema.Refuse(Code::kVersion, "is not 1: a newer version of provisioner wrote this; use that version");
  }
  return root;
}

}  // namespace prov
