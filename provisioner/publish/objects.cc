#include "provisioner/publish/objects.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/text.h"

namespace prov::publish {
namespace {

using source::GroupOf;

JsonValue* Pick(JsonValue& items, std::string_view kind, std::string_view group) {
  JsonValue* first = nullptr;
  for (JsonValue& item : items.GetArray()) {
    if (JsonTextAt(item, {"kind"}) != kind || GroupOf(item) != group) continue;
    if (JsonTextAt(item, {"metadata", "name"}) == "cluster") return &item;
    if (first == nullptr) first = &item;
  }
  return first;
}

std::string Described(std::string_view kind, std::string_view group) {
  return group.empty() ? std::string(kind) : fmt::format("{} of {}", kind, group);
}

// The first repeated key at any level; kObjectLimits limits the nesting.
std::optional<std::string_view> RepeatedKey(const JsonValue& value) {
  if (value.IsArray()) {
    for (const JsonValue& item : value.GetArray()) {
      if (const auto twice = RepeatedKey(item)) return twice;
    }
  }
  if (!value.IsObject()) return std::nullopt;
  if (const auto twice = RepeatedMember(value)) return twice;
  for (auto member = value.MemberBegin(); member != value.MemberEnd(); ++member) {
    if (const auto twice = RepeatedKey(member->value)) return twice;
  }
  return std::nullopt;
}

Result<Object> ParseObject(std::string bytes, const std::string& where, ignition::Documents documents) {
  DecodeMarked(bytes);  // the parser refuses malformed text
  const bool is_json = ignition::BeginsAsJson(bytes);
  auto document = ignition::ParseJsonOrYaml(std::move(bytes), kObjectLimits, documents);
  if (!document) return FailIn(where, std::move(document).error());
  if (const auto twice = RepeatedKey((*document)->root())) {
    return Fail(Code::kInvalidConfig,
                fmt::format("the key \"{}\" occurs twice in one object, and readers differ in which one they take",
                            Shorten(*twice)),
                where);
  }
  const bool several = (*document)->several;
  Object out{.document = *std::move(document), .root = nullptr, .is_json = is_json, .several = several, .where = where};
  out.root = &out.document->dom;
  if (several || out.root->IsObject()) return out;
  return Fail(Code::kKind, fmt::format("holds {}, not an object of a cluster", JsonTypeName(*out.root)), where);
}

}  // namespace

Result<Object> ReadAnyObject(std::string bytes, const std::string& where) {
  return ParseObject(std::move(bytes), where, ignition::Documents::kOne);
}

Result<Object> ReadManifest(std::string bytes, const std::string& where) {
  return ParseObject(std::move(bytes), where, ignition::Documents::kSeveral);
}

Result<Object> ReadObject(std::string bytes, const std::string& where, std::string_view kind, std::string_view group) {
  Object out = PROV_TRY(ReadAnyObject(std::move(bytes), where));
  std::string_view found = JsonTextAt(*out.root, {"kind"});
  if (found == kind && GroupOf(*out.root) == group) return out;
  if (found.ends_with("List") && out.root->HasMember("items") && (*out.root)["items"].IsArray()) {
    out.root = Pick((*out.root)["items"], kind, group);
    if (out.root != nullptr) return out;
    return Fail(Code::kKind, fmt::format("the list holds no {}", Described(kind, group)), where);
  }
  return Fail(Code::kKind,
              fmt::format("holds {}, and {} is needed, as `oc get -o yaml` prints it",
                          found.empty() ? "no object with a kind"
                                        : "the kind " + Described(Shorten(found), Shorten(GroupOf(*out.root))),
                          Described(kind, group)),
              where);
}

source::ObjectView ViewOf(const Object& object) {
  // ReadAnyObject has refused repeated keys already.
  return source::ObjectView::Of(*object.root, object.where + ": $", source::RepeatedKeys::kLastCounts).value();
}

void SetMember(JsonValue& object, std::string_view name, JsonValue value, rapidjson::Document::AllocatorType& memory) {
  const auto found = object.FindMember(JsonReference(name));
  if (found != object.MemberEnd()) {
    found->value = value;
  } else {
    object.AddMember(JsonValue(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory), value, memory);
  }
}

}  // namespace prov::publish
