#include "provisioner/source/object_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ignition/limits.h"
#include "provisioner/base/text.h"

namespace prov::source {
namespace {

// A view needs many times the memory of an empty object's two bytes in the document.
constexpr rapidjson::SizeType kMaxArrayObjects = 100000;

bool IsPlainName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Result<void> RefuseRepeatedKeys(const JsonValue& object, const std::string& path) {
  const auto twice = RepeatedMember(object);
  if (!twice) return {};
  return Fail(Code::kInvalidConfig,
              fmt::format("the key \"{}\" occurs twice, and readers differ in which one they take", Shorten(*twice)),
              path);
}

}  // namespace

Result<ObjectView> ObjectView::Of(const JsonValue& value, std::string path, RepeatedKeys repeated) {
  if (!value.IsObject()) return WrongJsonType(value, "an object", std::move(path));
  if (repeated == RepeatedKeys::kRefused) PROV_TRY(RefuseRepeatedKeys(value, path));
  return ObjectView(value, std::move(path), repeated);
}

std::string ObjectView::At(std::string_view name) const {
  const std::string_view shown = Shorten(name);
  return IsPlainName(name) ? fmt::format("{}.{}", path_, shown) : fmt::format("{}[\"{}\"]", path_, shown);
}

bool ObjectView::Has(std::string_view name) const { return HasMember(*value_, name); }

bool ObjectView::IsNull(std::string_view name) const { return Find(name) == nullptr && Has(name); }

std::vector<std::string_view> ObjectView::Names() const {
  std::vector<std::string_view> names;
  for (auto member = value_->MemberBegin(); member != value_->MemberEnd(); ++member)
    names.push_back(JsonTextOf(member->name));
  return names;
}

Result<std::optional<std::string_view>> ObjectView::Text(std::string_view name) const {
  const JsonValue* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsString()) return WrongJsonType(*value, "a string", At(name));
  return JsonTextOf(*value);
}

Result<std::string_view> ObjectView::TextOr(std::string_view name, std::string_view other) const {
  return PROV_TRY(Text(name)).value_or(other);
}

Result<std::optional<ObjectView>> ObjectView::Object(std::string_view name) const {
  const JsonValue* value = Find(name);
  if (value == nullptr) return std::nullopt;
  return PROV_TRY(Of(*value, At(name), repeated_));
}

Result<std::optional<std::vector<std::string_view>>> ObjectView::Texts(std::string_view name) const {
  const JsonValue* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsArray()) return WrongJsonType(*value, "an array of strings", At(name));
  std::vector<std::string_view> out;
  for (rapidjson::SizeType i = 0; i < value->Size(); ++i) {
    const JsonValue& item = (*value)[i];
    if (!item.IsString()) return WrongJsonType(item, "a string", fmt::format("{}[{}]", At(name), i));
    out.push_back(JsonTextOf(item));
  }
  return out;
}

Result<std::vector<std::string>> ObjectView::TextsOrNone(std::string_view name) const {
  const auto texts = PROV_TRY(Texts(name)).value_or(std::vector<std::string_view>());
  return std::vector<std::string>(texts.begin(), texts.end());
}

Result<std::vector<ObjectView>> ObjectView::Objects(std::string_view name) const {
  std::vector<ObjectView> out;
  const JsonValue* value = Find(name);
  if (value == nullptr) return out;
  if (!value->IsArray()) return WrongJsonType(*value, "an array of objects", At(name));
  if (value->Size() > kMaxArrayObjects)
    return Fail(Code::kTooLarge, fmt::format("more than {} entries are in the array", kMaxArrayObjects), At(name));
  for (rapidjson::SizeType i = 0; i < value->Size(); ++i)
    out.push_back(PROV_TRY(Of((*value)[i], fmt::format("{}[{}]", At(name), i), repeated_)));
  return out;
}

bool HasMember(const JsonValue& object, std::string_view name) {
  return std::any_of(object.MemberBegin(), object.MemberEnd(),
                     [&](const auto& member) { return JsonTextOf(member.name) == name; });
}

std::string_view GroupOf(const JsonValue& object) {
  const std::string_view version = JsonTextAt(object, {"apiVersion"});
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
}

bool IsOfGroup(const JsonValue& object, std::string_view group) {
  return GroupOf(object) == group || JsonTextAt(object, {"apiVersion"}).empty();
}

Result<std::string_view> ObjectName(const ObjectView& object) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  if (!metadata) return "";
  return metadata->TextOr("name", "");
}

namespace {

using Visit = std::function<Result<void>(const DocumentValue&)>;

// `kind` is the value's own, or that which the list around it says.
Result<void> VisitItems(const JsonValue& value, std::string_view kind, const std::string& path, const Visit& visit,
                        unsigned level = 0) {
  constexpr std::string_view kList = "List";
  const JsonValue* items = kind.ends_with(kList) ? JsonMember(&value, "items") : nullptr;
  if (items == nullptr || !items->IsArray()) return visit({&value, kind, path});
  if (level == ignition::kMostListLevels)
    return Fail(Code::kTooLarge, fmt::format("Lists are within each other more than {} levels deep", level), path);
  const std::string_view items_kind = kind.substr(0, kind.size() - kList.size());
  for (rapidjson::SizeType i = 0; i < items->Size(); ++i) {
    const std::string_view own = JsonTextAt((*items)[i], {"kind"});
    PROV_TRY(VisitItems((*items)[i], own.empty() ? items_kind : own, fmt::format("{}.items[{}]", path, i), visit,
                        level + 1));
  }
  return {};
}

}  // namespace

Result<void> VisitValues(const JsonDocument& document, const Visit& visit) {
  const JsonValue& root = document.root();
  if (!document.several) return VisitItems(root, JsonTextAt(root, {"kind"}), "$", visit);
  for (rapidjson::SizeType i = 0; i < root.Size(); ++i) {
    if (!root[i].IsNull()) PROV_TRY(VisitItems(root[i], JsonTextAt(root[i], {"kind"}), document.PlaceOf(i), visit));
  }
  return {};
}

}  // namespace prov::source
