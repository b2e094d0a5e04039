#include "provisioner/source/source_objects.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/install_config_source.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::source {
namespace {

constexpr std::size_t kMaxDocumentObjects = 100000;
constexpr std::string_view kList = "List";

// Matches "List" and "ProxyList"; such an object has items.
bool IsList(const JsonValue& object, std::string_view kind) {
  const JsonValue* items = JsonMember(&object, "items");
  return kind.ends_with(kList) && items != nullptr && items->IsArray();
}

class Finder {
 public:
  Result<void> AddRoot(const JsonValue& root, const std::string& path) {
    if (!root.IsObject()) return {};
    const std::string_view kind = JsonTextAt(root, {"kind"});
    if (kind.empty() && !IsAksConfig(root)) PROV_TRY(AddArm(root, path));
    if (!IsList(root, kind)) return Add(root, kind, path);
    // In a list of one kind, the API server leaves out the kind of the items.
    const std::string_view items_kind = kind.substr(0, kind.size() - kList.size());
    const JsonValue& items = *JsonMember(&root, "items");
    for (rapidjson::SizeType i = 0; i < items.Size(); ++i) {
      if (!items[i].IsObject()) continue;
      const std::string_view own = JsonTextAt(items[i], {"kind"});
      PROV_TRY(Add(items[i], own.empty() ? items_kind : own, fmt::format("{}.items[{}]", path, i)));
    }
    return {};
  }

  Result<void> AddCluster(const JsonValue& value, const std::string& path) {
    if (value.IsObject() && IsAksConfig(value)) found_.aks_configs.push_back(PROV_TRY(View(value, path)));
    return {};
  }

  SourceObjects& found() { return found_; }

 private:
  // Adds the objects of a list from Azure's API, or of a template.
  Result<void> AddArm(const JsonValue& root, const std::string& path) {
    if (const JsonValue* list = JsonMember(&root, "value"); list != nullptr && list->IsArray()) {
      for (rapidjson::SizeType i = 0; i < list->Size(); ++i)
        PROV_TRY(AddCluster((*list)[i], fmt::format("{}.value[{}]", path, i)));
    }
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
    if (IsAksResource(resource)) {
      PROV_TRY(RefuseExpressions(resource, path));
      found_.aks_configs.push_back(PROV_TRY(View(resource, path)));
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

  Result<void> Add(const JsonValue& object, std::string_view kind, const std::string& path) {
    if (kind == "MachineConfig" || (kind.empty() && JsonMember(&object, "ignition") != nullptr)) {
      found_.machine_config = true;
    } else if (kind == "ControllerConfig") {
      found_.controller_configs.push_back(PROV_TRY(View(object, path)));
    } else if (kind == "Proxy" && IsConfigGroup(object)) {
      found_.proxies.push_back(PROV_TRY(View(object, path)));
    } else if (kind == "ConfigMap") {
      found_.config_maps.push_back(PROV_TRY(ReadConfigMapHead(PROV_TRY(View(object, path)))));
    } else if (kind == "Secret") {
      found_.secrets.push_back(PROV_TRY(View(object, path)));
    } else if (IsPodKind(kind)) {
      found_.pods.push_back({PROV_TRY(View(object, path)), kind});
    } else if (IsAksConfig(object)) {  // `az aks show` prints a kind of its own, "Base"
      found_.aks_configs.push_back(PROV_TRY(View(object, path)));
    } else if (kind == "InstallConfig" || (kind.empty() && IsInstallConfig(object))) {
      found_.install_configs.push_back(PROV_TRY(View(object, path)));
    }
    return {};
  }

  // Other projects have kinds of this name, so check the group.
  static bool IsConfigGroup(const JsonValue& object) {
    const std::string_view version = JsonTextAt(object, {"apiVersion"});
    return version.empty() || version.starts_with("config.openshift.io/");
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
  const JsonValue& root = document.root();
  if (!root.IsArray()) {
    PROV_TRY(finder.AddRoot(root, "$"));
    return std::move(finder.found());
  }
  for (rapidjson::SizeType i = 0; i < root.Size(); ++i) {
    const std::string path = fmt::format("$[{}]", i);
    PROV_TRY(document.several ? finder.AddRoot(root[i], path) : finder.AddCluster(root[i], path));
  }
  return std::move(finder.found());
}

Result<const ObjectView*> ChooseObject(const std::vector<ObjectView>& objects, std::string_view what,
                                       std::string_view name) {
  if (name.empty() && objects.size() == 1) return &objects.front();
  if (name.empty()) {
    return Fail(Code::kNotFound,
                fmt::format("{} objects {} are there; say with --name which one is meant", objects.size(), what),
                objects.front().path());
  }
  const ObjectView* found = nullptr;
  std::size_t count = 0;
  for (const ObjectView& object : objects) {
    if (PROV_TRY(NameOf(object)) != name) continue;
    if (++count == 1) found = &object;
  }
  if (count == 1) return found;
  if (count > 1) {
    return Fail(Code::kNotFound,
                fmt::format("{} objects {} are called \"{}\" (in several namespaces or resource groups?); give a file "
                            "with one of them",
                            count, what, Shorten(name)),
                found->path());
  }
  return Fail(Code::kNotFound, fmt::format("the {} \"{}\" is wanted, and is not there", what, Shorten(name)),
              objects.front().path());
}

}  // namespace prov::source
