#include "provisioner/source/source_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "provisioner/base/command_output.h"
#include "provisioner/base/text.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/document_kinds.h"
#include "provisioner/source/mirror_objects.h"

namespace prov::source {
namespace {

constexpr std::size_t kMaxDocumentObjects = 100000;
constexpr std::string_view kRoot = "$";  // the place of a value that is the whole document

// Says what a value is that came in the place of an object: an error message of a command, which is a text, for YAML
// often a mapping of one member, or the API server's Status; nullopt: none.
std::optional<std::string> DescribeFailure(const JsonValue& value, std::string_view kind) {
  if (value.IsString()) return DescribeCommandOutput(JsonTextOf(value));
  if (!value.IsObject()) return std::nullopt;
  if (kind == "Status" && JsonTextAt(value, {"status"}) == "Failure")
    return DescribeErrorMessage(JsonTextAt(value, {"message"}));
  if (!kind.empty() || value.MemberCount() != 1 || !value.MemberBegin()->value.IsString()) return std::nullopt;
  constexpr std::size_t kMostShown = 500;
  const auto& [name, text] = *value.MemberBegin();
  return DescribeCommandOutput(
      fmt::format("{}: {}", Shorten(JsonTextOf(name), kMostShown), Shorten(JsonTextOf(text), kMostShown)));
}

// A value beside others that is no object would be lost without a word.
Result<void> RefuseNoObject(const JsonValue& value, const std::string& path) {
  if (value.IsNull() || (value.IsArray() && value.Empty()) || path == kRoot) return {};
  return Fail(Code::kKind,
              fmt::format("an object is expected beside others, found {}{}", JsonTypeName(value),
                          value.IsArray() ? "; give a List, or the objects in a row" : ""),
              path);
}

class Finder {
 public:
  Result<void> Add(const DocumentValue& one) {
    const auto& [value, kind, path] = one;
    if (path != kRoot) {
      if (auto failure = DescribeFailure(*value, kind)) return Fail(Code::kKind, *std::move(failure), path);
    }
    if (value->IsArray() && std::ranges::any_of(value->GetArray(), IsAksObject)) return AddClusters(*value, path);
    if (!value->IsObject()) return RefuseNoObject(*value, path);
    if (const OtherKind* other = OtherKindOf(*value, kind)) found_.others.emplace(other, path);
    for (const ObjectKind& row : ObjectKinds()) {
      if (row.recognises(*value, kind)) return Put(row, one);
    }
    if (IsMirrorObject(*value, kind)) found_.mirror_objects.push_back({PROV_TRY(View(*value, path)), kind});
    return kind.empty() ? AddArm(*value, path) : Result<void>();
  }

  SourceObjects& found() { return found_; }

 private:
  Result<void> Put(const ObjectKind& row, const DocumentValue& one) {
    if (row.objects == nullptr) {
      found_.machine_config = true;
      return {};
    }
    (found_.*row.objects).push_back({PROV_TRY(View(*one.value, one.path)), one.kind});
    return {};
  }

  Result<void> PutCluster(const JsonValue& value, const std::string& path) {
    found_.aks_configs.push_back({PROV_TRY(View(value, path)), ""});
    return {};
  }

  static bool IsAksObject(const JsonValue& value) { return value.IsObject() && IsAksConfig(value); }

  // What az aks list prints.
  Result<void> AddClusters(const JsonValue& list, const std::string& path) {
    for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
      if (IsAksObject(list[i])) PROV_TRY(PutCluster(list[i], fmt::format("{}[{}]", path, i)));
    }
    return {};
  }

  // Adds the clusters of a list from Azure's API, or of a template.
  Result<void> AddArm(const JsonValue& root, const std::string& path) {
    const JsonValue* list = JsonMember(&root, "value");
    if (list != nullptr && list->IsArray()) PROV_TRY(AddClusters(*list, path + ".value"));
    return AddTemplate(root, path);
  }

  // The resources of a template are an array, or an object with names of the author's choice.
  Result<void> AddTemplate(const JsonValue& root, const std::string& path) {
    const JsonValue* resources = JsonMember(&root, "resources");
    if (resources == nullptr) return {};
    if (resources->IsArray()) {
      for (rapidjson::SizeType i = 0; i < resources->Size(); ++i)
        PROV_TRY(AddResource((*resources)[i], fmt::format("{}.resources[{}]", path, i)));
    }
    if (!resources->IsObject()) return {};
    for (auto member = resources->MemberBegin(); member != resources->MemberEnd(); ++member)
      PROV_TRY(AddResource(member->value, fmt::format("{}.resources.{}", path, Shorten(JsonTextOf(member->name)))));
    return {};
  }

  Result<void> AddResource(const JsonValue& resource, const std::string& path) {
    if (!resource.IsObject()) return {};
    AddWindowsPools(resource, path, found_.aks_pools);
    if (IsAksResource(resource)) {
      PROV_TRY(RefuseExpressions(resource, path));
      PROV_TRY(PutCluster(resource, path));
    }
    // A nested deployment, such as a module of Bicep.
    const JsonValue* inner = JsonAt(resource, {"properties", "template"});
    if (inner == nullptr || !inner->IsObject()) return {};
    return AddTemplate(*inner, path + ".properties.template");
  }

  Result<ObjectView> View(const JsonValue& value, const std::string& path) {
    if (++count_ > kMaxDocumentObjects)
      return Fail(Code::kTooLarge, fmt::format("more than {} objects are in the document", kMaxDocumentObjects), path);
    return ObjectView::Of(value, path);
  }

  SourceObjects found_;
  std::size_t count_ = 0;
};

Result<std::string_view> NameOf(const ObjectView& object) {
  if (object.Find("metadata") == nullptr) return PROV_TRY(object.TextOr("name", ""));  // as in Azure's objects
  return ObjectName(object);
}

}  // namespace

Result<SourceObjects> FindObjects(const JsonDocument& document) {
  Finder finder;
  PROV_TRY(VisitValues(document, [&](const DocumentValue& value) { return finder.Add(value); }));
  return std::move(finder.found());
}

std::string ListInShort(std::span<const std::string_view> names) {
  constexpr std::size_t kMost = 20;
  std::string out;
  for (const std::string_view name : names.first(std::min(names.size(), kMost)))
    out += fmt::format("{}{}", out.empty() ? "" : ", ", Shorten(name));
  return names.size() > kMost ? fmt::format("{} and {} more", out, names.size() - kMost) : out;
}

Result<const FoundObject*> ChooseObject(std::span<const FoundObject> objects, std::string_view what,
                                        std::string_view name) {
  if (name.empty() && objects.size() == 1) return &objects.front();
  if (name.empty()) {
    std::vector<std::string_view> names;
    for (const FoundObject& one : objects) {
      if (const std::string_view other = NameOf(one.object).value_or(""); !other.empty()) names.push_back(other);
    }
    return Fail(Code::kNotFound,
                fmt::format("{} objects {} are there{}{}; say with --name which one is meant", objects.size(), what,
                            names.empty() ? "" : ": ", ListInShort(names)),
                objects.front().object.path());
  }
  const FoundObject* found = nullptr;
  std::size_t count = 0;
  for (const FoundObject& one : objects) {
    if (PROV_TRY(NameOf(one.object)) != name) continue;
    if (++count == 1) found = &one;
  }
  if (count == 1) return found;
  if (count > 1) {
    return Fail(Code::kNotFound,
                fmt::format("{} objects {} are called \"{}\" (in several namespaces or resource groups?); give a file "
                            "with one of them",
                            count, what, Shorten(name)),
                found->object.path());
  }
  return Fail(Code::kNotFound, fmt::format("the {} \"{}\" is wanted, and is not there", what, Shorten(name)),
              objects.front().object.path());
}

}  // namespace prov::source
