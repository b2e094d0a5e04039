#include "provisioner/publish/inject.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/publish/request_uri.h"
#include "provisioner/publish/trust_merge.h"

namespace prov::publish {
namespace {

constexpr std::size_t kMostContainers = 100;                     // in one annotation
constexpr std::size_t kMaxAddedBytes = std::size_t{128} << 20U;  // to one file

using JsonMemory = rapidjson::Document::AllocatorType;

JsonValue* Find(JsonValue& object, std::string_view name) {
  const auto found = object.FindMember(JsonReference(name));
  return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

JsonValue* FindObject(JsonValue& object, std::string_view name) {
  JsonValue* value = Find(object, name);
  return value != nullptr && value->IsObject() ? value : nullptr;
}

std::string_view TextAt(JsonValue& object, std::string_view name) {
  const JsonValue* value = Find(object, name);
  return value != nullptr && value->IsString() ? JsonTextOf(*value) : std::string_view();
}

// metadata.labels or metadata.annotations.
JsonValue* MetadataPart(JsonValue& object, std::string_view name) {
  JsonValue* metadata = FindObject(object, "metadata");
  return metadata == nullptr ? nullptr : FindObject(*metadata, name);
}

class Injector {
 public:
  Injector(Object& object, const Injection& injection, Findings& findings)
      : memory_(object.document->dom.GetAllocator()),
        where_(object.where),
        injection_(injection),
        findings_(findings, where_) {}

  Result<void> One(JsonValue& object, const std::string& path);
  Result<void> All(JsonValue& objects, const std::string& path);
  InjectionReport Take() { return std::move(report_); }

 private:
  Result<void> ConfigMap(JsonValue& object, const std::string& path);
  Result<void> Workload(JsonValue& object, std::string_view names, const std::string& path);
  Result<bool> Containers(JsonValue& pod, std::string_view list, std::string_view name, const std::string& path);
  Result<void> Container(JsonValue& container, const std::string& path);
  Result<void> Count(std::size_t bytes, const std::string& path);
  bool EndsInThem(const JsonValue& environment) const;
  std::string Where(const std::string& path) const { return fmt::format("{}: {}", where_, path); }

  JsonMemory& memory_;
  std::string where_;
  const Injection& injection_;
  CappedFindings findings_;
  InjectionReport report_;
  std::size_t added_ = 0;
  bool changed_ = false;  // the current workload
};

Result<void> Injector::Count(std::size_t bytes, const std::string& path) {
  added_ += bytes;
  if (added_ <= kMaxAddedBytes) return {};
  return Fail(Code::kTooLarge,
              "so many objects ask for the bundle or the proxy that the file would grow by more than "
              "128 MiB; give fewer of them at a time",
              Where(path));
}

Result<void> Injector::ConfigMap(JsonValue& object, const std::string& path) {
  if (injection_.bundle.empty()) {
    return Fail(Code::kNotFound,
                "asks for the merged bundle, and no certificates were given, so what it has would be emptied; give "
                "--system-ca, the operator's system bundle",
                Where(path));
  }
  JsonValue* data = Find(object, "data");
  if (data != nullptr && !data->IsObject()) return WrongJsonType(*data, "an object", Where(path + ".data"));
  if (data == nullptr) {
    SetMember(object, "data", JsonValue(rapidjson::kObjectType), memory_);
    data = Find(object, "data");
  }
  if (TextAt(*data, kBundleKey) == injection_.bundle && Find(*data, kBundleKey) != nullptr) return {};
  PROV_TRY(Count(injection_.bundle.size(), path));
  SetMember(*data, kBundleKey, JsonReference(injection_.bundle), memory_);
  ++report_.config_maps;
  return {};
}

bool Injector::EndsInThem(const JsonValue& environment) const {
  const auto variables = injection_.proxy.Variables();
  if (environment.Size() < variables.size()) return false;
  for (rapidjson::SizeType i = 0; i < variables.size(); ++i) {
    const JsonValue& entry = environment[environment.Size() - static_cast<rapidjson::SizeType>(variables.size()) + i];
    if (!entry.IsObject()) return false;
    const JsonValue* name = JsonMember(&entry, "name");
    const JsonValue* value = JsonMember(&entry, "value");
    const bool same_name = name != nullptr && name->IsString() && JsonTextOf(*name) == variables[i].first;
    const std::string_view text = value != nullptr && value->IsString() ? JsonTextOf(*value) : std::string_view();
    if (!same_name || text != variables[i].second) return false;
  }
  return true;
}

Result<void> Injector::Container(JsonValue& container, const std::string& path) {
  JsonValue* environment = Find(container, "env");
  if (environment != nullptr && !environment->IsArray()) {
    return WrongJsonType(*environment, "an array", Where(path + ".env"));
  }
  if (environment == nullptr) {
    SetMember(container, "env", JsonValue(rapidjson::kArrayType), memory_);
    environment = Find(container, "env");
  }
  if (EndsInThem(*environment)) return {};
  for (JsonValue& entry : environment->GetArray()) {
    const std::string_view name = entry.IsObject() ? TextAt(entry, "name") : std::string_view();
    for (const auto& [variable, value] : injection_.proxy.Variables()) {
      if (name != variable) continue;
      findings_.Warn(
          "inject-duplicate",
          fmt::format("the container has {} already; the operator adds another behind it, which counts", variable),
          Where(path + ".env"));
    }
  }
  for (const auto& [name, value] : injection_.proxy.Variables()) {
    PROV_TRY(Count(value.size() + 64, path));
    JsonValue entry(rapidjson::kObjectType);
    entry.AddMember("name", JsonReference(name), memory_);
    // Kubernetes leaves out an empty value, which means the same.
    if (!value.empty()) entry.AddMember("value", JsonReference(value), memory_);
    environment->PushBack(entry, memory_);
  }
  changed_ = true;
  return {};
}

// Whether a container of this name is in the list.
Result<bool> Injector::Containers(JsonValue& pod, std::string_view list, std::string_view name,
                                  const std::string& path) {
  JsonValue* containers = Find(pod, list);
  if (containers == nullptr) return false;
  if (!containers->IsArray()) {
    return WrongJsonType(*containers, "an array", Where(fmt::format("{}.{}", path, list)));
  }
  bool found = false;
  std::size_t index = 0;
  for (JsonValue& container : containers->GetArray()) {
    const std::string place = fmt::format("{}.{}[{}]", path, list, index++);
    if (!container.IsObject()) return WrongJsonType(container, "an object", Where(place));
    if (TextAt(container, "name") != name) continue;
    found = true;
    PROV_TRY(Container(container, place));
  }
  return found;
}

Result<void> Injector::Workload(JsonValue& object, std::string_view names, const std::string& path) {
  if (injection_.proxy.IsEmpty()) return {};
  const std::vector<std::string_view> wanted = Split(names, ',');
  if (wanted.size() > kMostContainers) {
    return Fail(Code::kTooLarge, fmt::format("names more than {} containers", kMostContainers),
                Where(fmt::format("{}.metadata.annotations.{}", path, kInjectProxyAnnotation)));
  }
  JsonValue* pod = &object;
  std::string place = path;
  for (const char* part : {"spec", "template", "spec"}) {
    pod = FindObject(*pod, part);
    place += fmt::format(".{}", part);
    if (pod == nullptr) return Fail(Code::kType, "must be an object", Where(place));
  }
  changed_ = false;
  for (const std::string_view name : wanted) {
    const bool in_containers = PROV_TRY(Containers(*pod, "containers", name, place));
    const bool in_init = PROV_TRY(Containers(*pod, "initContainers", name, place));
    if (in_containers || in_init) continue;
    report_.errors.push_back(
        fmt::format("requested injection for non-existent container: {}", GoQuote(ShownUri(Shorten(name)))));
    return {};
  }
  if (changed_) ++report_.workloads;
  return {};
}

Result<void> Injector::All(JsonValue& objects, const std::string& path) {
  std::size_t index = 0;
  for (JsonValue& object : objects.GetArray()) {
    const std::string place = fmt::format("{}[{}]", path, index++);
    if (!object.IsObject()) return WrongJsonType(object, "an object", Where(place));
    PROV_TRY(One(object, place));
  }
  return {};
}

// A List may contain Lists. The reader limits the nesting.
Result<void> Injector::One(JsonValue& object, const std::string& path) {
  const std::string_view kind = TextAt(object, "kind");
  JsonValue* items = kind.ends_with("List") ? Find(object, "items") : nullptr;
  if (items != nullptr && items->IsArray()) return All(*items, path + ".items");
  JsonValue* labels = MetadataPart(object, "labels");
  const JsonValue* label = labels == nullptr ? nullptr : Find(*labels, kInjectBundleLabel);
  if (label != nullptr && kind == "ConfigMap") {
    if (label->IsString() && JsonTextOf(*label) == "true") return ConfigMap(object, path);
    findings_.Warn("inject-label",
                   fmt::format("the label {} counts only with the text \"true\" (quoted in YAML)", kInjectBundleLabel),
                   Where(path));
  }
  JsonValue* annotations = MetadataPart(object, "annotations");
  const std::string_view names =
      annotations == nullptr ? std::string_view() : TextAt(*annotations, kInjectProxyAnnotation);
  if (names.empty()) return {};
  if (kind == "Deployment" || kind == "DaemonSet") return Workload(object, names, path);
  findings_.Warn("inject-kind",
                 fmt::format("the annotation {} counts only on a Deployment or DaemonSet", kInjectProxyAnnotation),
                 Where(path));
  return {};
}

}  // namespace

Result<InjectionReport> Inject(Object& object, const Injection& injection, Findings& findings) {
  Injector injector(object, injection, findings);
  if (object.several) {
    PROV_TRY(injector.All(*object.root, "$"));
  } else {
    PROV_TRY(injector.One(*object.root, "$"));
  }
  return injector.Take();
}

}  // namespace prov::publish
