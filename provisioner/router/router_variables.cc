#include "provisioner/router/router_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::router {
namespace {

using source::ObjectView;

constexpr std::string_view kPrefix = "EGRESS_";

Result<bool> IsPrivileged(const ObjectView& container) {
  const auto context = PROV_TRY(container.Object("securityContext"));
  if (!context) return false;
  const JsonValue* value = context->Find("privileged");
  return value != nullptr && value->IsBool() && value->GetBool();
}

class ContainerReader {
 public:
  ContainerReader(const RouterObject& pod, ConfigMaps& maps, Faults* faults)
      : pod_(pod), maps_(maps), faults_(faults) {}

  Result<RouterContainer> Read(const ObjectView& container, bool init) {
    RouterContainer out;
    out.name = PROV_TRY(container.TextOr("name", ""));
    out.path = container.path();
    out.init = init;
    out.privileged = PROV_TRY(IsPrivileged(container));
    out.has_service_account = container.Has("serviceAccountName") || container.Has("serviceAccount");
    for (const ObjectView& entry : PROV_TRY(container.Objects("envFrom"))) PROV_TRY(TakeAll(entry, out.variables));
    for (const ObjectView& entry : PROV_TRY(container.Objects("env"))) {
      const std::string name(PROV_TRY(entry.TextOr("name", "")));
      if (!name.starts_with(kPrefix)) continue;
      const auto from = PROV_TRY(entry.Object("valueFrom"));
      if (!from) {
        out.variables[name] = {std::string(PROV_TRY(entry.TextOr("value", ""))), pod_.At(entry.At("value"))};
      } else {
        PROV_TRY(TakeFrom(name, *from, out.variables));
      }
    }
    return out;
  }

 private:
  Result<const RouterObject*> Find(std::string_view name) const {
    return maps_.Take(name, PROV_TRY(pod_.Metadata("namespace")));
  }

  Result<void> TakeAll(const ObjectView& entry, Variables& out) const {
    const auto reference = PROV_TRY(entry.Object("configMapRef"));
    if (!reference) return {};
    const std::string prefix(PROV_TRY(entry.TextOr("prefix", "")));
    const RouterObject* map = PROV_TRY(Find(PROV_TRY(reference->TextOr("name", ""))));
    if (map == nullptr) return {};  // unknown whether it has variables of ours
    for (auto& [name, variable] : PROV_TRY(ReadConfigMapData(*map))) {
      if (std::string whole = prefix + name; whole.starts_with(kPrefix)) out[std::move(whole)] = variable;
    }
    return {};
  }

  Result<void> TakeFrom(const std::string& name, const ObjectView& from, Variables& out) const {
    auto value = ValueFrom(name, from);
    if (!value && faults_ != nullptr && value.error().code == Code::kInvalidConfig) {
      out[name] = {.where = value.error().where, .unknown = true};
      faults_->push_back(std::move(value).error());
      return {};
    }
    if (auto found = PROV_TRY(std::move(value))) out[name] = *std::move(found);
    return {};
  }

  // nullopt: an optional value that is absent.
  Result<std::optional<Variable>> ValueFrom(std::string_view name, const ObjectView& from) const {
    const auto reference = PROV_TRY(from.Object("configMapKeyRef"));
    if (!reference) {
      return Fail(Code::kInvalidConfig,
                  fmt::format("{} is taken from something else than a ConfigMap; give the value itself", name),
                  pod_.At(from.path()));
    }
    const std::string map_name(PROV_TRY(reference->TextOr("name", "")));
    const std::string key(PROV_TRY(reference->TextOr("key", "")));
    const RouterObject* map = PROV_TRY(Find(map_name));
    if (map != nullptr) {
      const Variables data = PROV_TRY(ReadConfigMapData(*map));
      if (const auto found = data.find(key); found != data.end()) return found->second;
    }
    if (const JsonValue* optional = reference->Find("optional"); optional != nullptr && optional->IsTrue())
      return std::nullopt;
    return Fail(Code::kInvalidConfig,
                map == nullptr
                    ? fmt::format("{} is taken from the ConfigMap \"{}\", which is not among the files; give its file, "
                                  "too",
                                  name, Shorten(map_name))
                    : fmt::format("{} is taken from the key \"{}\" of the ConfigMap \"{}\", which has no such key",
                                  name, Shorten(key), Shorten(map_name)),
                pod_.At(from.path()));
  }

  const RouterObject& pod_;
  ConfigMaps& maps_;
  Faults* faults_;
};

std::string_view TextOf(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string_view() : found->second.text;
}

// The kind of router by its variables; nullopt: no router.
std::optional<RouterKind> KindOfVariables(const Variables& variables) {
  for (const RouterKind kind : {RouterKind::kHttpProxy, RouterKind::kDnsProxy}) {
    if (variables.contains(VariableOf(kind)) || TextOf(variables, "EGRESS_ROUTER_MODE") == NameOf(kind)) return kind;
  }
  const bool redirect = variables.contains(VariableOf(RouterKind::kRedirect)) || variables.contains("EGRESS_SOURCE");
  return redirect ? std::optional(RouterKind::kRedirect) : std::nullopt;
}

}  // namespace

std::string RouterObject::At(std::string_view path) const { return fmt::format("{}: {}", where, path); }

Result<std::string> RouterObject::Metadata(std::string_view name) const {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  return std::string(metadata ? PROV_TRY(metadata->TextOr(name, "")) : "");
}

ConfigMaps::ConfigMaps(const std::vector<RouterObject>& objects) {
  for (const RouterObject& object : objects) {
    if (object.kind != "ConfigMap") continue;
    ++size_;
    // One with malformed metadata has no name that a pod could refer to.
    by_name_[object.Metadata("name").value_or("")].emplace(object.Metadata("namespace").value_or(""), &object);
  }
}

const RouterObject* ConfigMaps::Take(std::string_view name, std::string_view name_space) {
  const auto named = by_name_.find(name);
  if (named == by_name_.end()) return nullptr;
  const BySpace& maps = named->second;
  auto found = name_space.empty() ? maps.begin() : maps.find(name_space);
  if (found == maps.end()) found = maps.find("");
  if (found == maps.end()) return nullptr;
  taken_.insert(found->second);
  return found->second;
}

Result<std::vector<RouterContainer>> ReadContainers(const RouterObject& pod, ConfigMaps& maps, Faults* faults) {
  std::vector<RouterContainer> out;
  const auto holder = PROV_TRY(source::PodOf(pod.object, pod.kind));
  const auto spec = holder ? PROV_TRY(holder->Object("spec")) : std::nullopt;
  if (!spec) return out;
  ContainerReader reader(pod, maps, faults);
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const ObjectView& container : PROV_TRY(spec->Objects(list)))
      out.push_back(PROV_TRY(reader.Read(container, list == "initContainers")));
  }
  return out;
}

Variables Merge(const std::vector<RouterContainer>& containers) {
  Variables out;
  for (const RouterContainer& container : containers)
    out.insert(container.variables.begin(), container.variables.end());
  return out;
}

Result<Variables> ReadConfigMapData(const RouterObject& map) {
  Variables out;
  const auto data = PROV_TRY(map.object.Object("data"));
  if (!data) return out;
  for (const std::string_view name : data->Names())
    out[std::string(name)] = {std::string(PROV_TRY(data->TextOr(name, ""))), map.At(data->At(name))};
  return out;
}

const Variable* FindList(const Variables& data, bool any_key) {
  auto found = data.find("destination");
  if (found == data.end() && any_key && data.size() == 1) found = data.begin();
  return found == data.end() ? nullptr : &found->second;
}

namespace {

// Handles an error of one part of a router; with `faults`, the rest is read all the same.
Result<void> Note(Result<void> part, Faults* faults) {
  if (part || faults == nullptr) return part;
  faults->push_back(std::move(part).error());
  return {};
}

Result<void> CheckMode(const Variables& variables) {
  const std::string mode(TextOf(variables, "EGRESS_ROUTER_MODE"));
  if (mode.empty() || mode == "init" || mode == "legacy" || mode == "unit-test" || RouterKindOf(mode)) return {};
  return Fail(Code::kDestination,
              fmt::format("Unrecognized EGRESS_ROUTER_MODE '{}': use init, http-proxy or dns-proxy", Shorten(mode)),
              variables.find("EGRESS_ROUTER_MODE")->second.where);
}

}  // namespace

Result<std::optional<RouterPolicy>> PolicyOf(const Variables& variables, const std::string& where, Faults* faults) {
  const auto kind = KindOfVariables(variables);
  if (!kind) return std::nullopt;
  RouterPolicy out{.kind = *kind, .where = where};
  const auto known = [&](std::string_view name) -> const Variable* {
    const auto found = variables.find(name);
    return found == variables.end() || found->second.unknown ? nullptr : &found->second;
  };
  if (const Variable* source = known("EGRESS_SOURCE"))
    PROV_TRY(Note(ReadSource(source->text, source->where, out), faults));
  if (const Variable* gateway = known("EGRESS_GATEWAY"))
    PROV_TRY(Note(ReadGateway(gateway->text, gateway->where, out), faults));
  PROV_TRY(Note(CheckMode(variables), faults));
  const auto list = variables.find(VariableOf(*kind));
  if (list != variables.end()) out.where = list->second.where;
  if (list != variables.end() && list->second.unknown) return out;
  const std::string_view text = TextOf(variables, VariableOf(*kind));
  if (faults == nullptr) {
    PROV_TRY(ReadDestinations(text, out));
  } else {
    std::ranges::move(CheckDestinations(text, out), std::back_inserter(*faults));
  }
  return out;
}

}  // namespace prov::router
