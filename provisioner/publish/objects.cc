#include "provisioner/publish/objects.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::publish {
namespace {

std::string_view TextOrNone(const JsonValue& object, std::string_view name) {
  const JsonValue* value = ignition::Member(&object, name);
  return value != nullptr && value->IsString() ? ignition::TextOf(*value) : std::string_view();
}

// "config.openshift.io/v1" has the group config.openshift.io, "v1" the core group.
std::string_view GroupOf(const JsonValue& object) {
  const std::string_view version = TextOrNone(object, "apiVersion");
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
}

std::string_view ObjectName(const JsonValue& object) {
  const JsonValue* metadata = ignition::Member(&object, "metadata");
  return metadata != nullptr && metadata->IsObject() ? TextOrNone(*metadata, "name") : std::string_view();
}

JsonValue* Pick(JsonValue& items, std::string_view kind, std::string_view group) {
  JsonValue* first = nullptr;
  for (JsonValue& item : items.GetArray()) {
    if (!item.IsObject() || TextOrNone(item, "kind") != kind || GroupOf(item) != group) continue;
    if (ObjectName(item) == "cluster") return &item;
    if (first == nullptr) first = &item;
  }
  return first;
}

std::string Described(std::string_view kind, std::string_view group) {
  return group.empty() ? std::string(kind) : fmt::format("{} of {}", kind, group);
}

// The first one anywhere; nesting is bounded by kObjectLimits.
std::optional<std::string_view> RepeatedKey(const JsonValue& value) {
  if (value.IsArray()) {
    for (const JsonValue& item : value.GetArray()) {
      if (const auto twice = RepeatedKey(item)) return twice;
    }
  }
  if (!value.IsObject()) return std::nullopt;
  if (const auto twice = ignition::RepeatedMember(value)) return twice;
  for (auto member = value.MemberBegin(); member != value.MemberEnd(); ++member) {
    if (const auto twice = RepeatedKey(member->value)) return twice;
  }
  return std::nullopt;
}

Result<Object> ParseObject(std::string bytes, const std::string& where, ignition::Documents documents) {
  DecodeMarked(bytes);  // what is damaged is refused by the parser
  const bool is_json = ignition::BeginsAsJson(bytes);
  auto document = ignition::ParseJsonOrYaml(std::move(bytes), kObjectLimits, documents);
  if (!document) {
    Error error = std::move(document).error();
    error.where = error.where.empty() ? where : fmt::format("{}: {}", where, error.where);
    return std::unexpected(std::move(error));
  }
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
  return Fail(Code::kKind, fmt::format("holds {}, not an object of a cluster", ignition::TypeName(*out.root)), where);
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
  std::string_view found = TextOrNone(*out.root, "kind");
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

std::string ObjectReader::Where(std::string_view name) const {
  return name.empty() ? fmt::format("{}: {}", where_, path_) : fmt::format("{}: {}.{}", where_, path_, name);
}

Result<ObjectReader> ObjectReader::Child(std::string_view name) const {
  const JsonValue* child = ignition::Member(value_, name);
  if (child != nullptr && !child->IsObject()) {
    return ignition::WrongType(*child, "an object", Where(name));
  }
  return ObjectReader(child, where_, fmt::format("{}.{}", path_, name));
}

Result<std::string> ObjectReader::Text(std::string_view name) const {
  const JsonValue* child = ignition::Member(value_, name);
  if (child == nullptr) return std::string();
  if (!child->IsString()) {
    return ignition::WrongType(*child, "a string", Where(name));
  }
  return std::string(ignition::TextOf(*child));
}

Result<const JsonValue*> ObjectReader::Array(std::string_view name) const {
  const JsonValue* child = ignition::Member(value_, name);
  if (child == nullptr || child->IsArray()) return child;
  return ignition::WrongType(*child, "an array", Where(name));
}

Result<std::vector<std::string>> ObjectReader::Texts(std::string_view name) const {
  std::vector<std::string> out;
  const JsonValue* array = PROV_TRY(Array(name));
  if (array == nullptr) return out;
  for (const JsonValue& item : array->GetArray()) {
    if (!item.IsString()) {
      return ignition::WrongType(item, "a string", fmt::format("{}[{}]", Where(name), out.size()));
    }
    out.emplace_back(ignition::TextOf(item));
  }
  return out;
}

Result<std::vector<ObjectReader>> ObjectReader::Children(std::string_view name) const {
  std::vector<ObjectReader> out;
  const JsonValue* array = PROV_TRY(Array(name));
  if (array == nullptr) return out;
  for (const JsonValue& item : array->GetArray()) {
    const std::string path = fmt::format("{}.{}[{}]", path_, name, out.size());
    if (!item.IsObject()) {
      return ignition::WrongType(item, "an object", fmt::format("{}: {}", where_, path));
    }
    out.emplace_back(&item, where_, path);
  }
  return out;
}

ObjectReader ReaderOf(const Object& object) { return {object.root, object.where, "$"}; }

}  // namespace prov::publish
