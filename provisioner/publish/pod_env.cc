#include "provisioner/publish/pod_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/publish/pod_env_patch.h"
#include "provisioner/publish/pod_trust.h"
#include "provisioner/source/openshift_source.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/pod_system.h"
#include "provisioner/source/source_objects.h"

namespace prov::publish {
namespace {

using source::ObjectView;

constexpr std::size_t kMaxPatchBytes = std::size_t{16} << 20U;  // bytes, of one file's patches

constexpr std::string_view kWindows = "windows";

// The value of a variable as the container gets it; nullopt if it refers to another variable.
std::optional<std::string> Expanded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("$(")) return std::nullopt;
    if (text.substr(i).starts_with("$$")) ++i;
    out += text[i];
  }
  return out;
}

class Maker {
 public:
  Maker(std::vector<source::ConfigMap> config_maps, std::vector<ObjectView> runtime_classes,
        const PodEnvRequest& request, const std::string& where, PodEnvReport& out)
      : request_(request),
        config_maps_(std::move(config_maps)),
        runtime_classes_(std::move(runtime_classes)),
        patches_(request.patch, out.memory.GetAllocator()),
        findings_(out.findings, where) {
    for (const auto& [name, value] : (request.shown ? *request.shown : request.proxy).Variables()) {
      for_windows_.push_back({std::string(name), WithoutReferences(value)});
      for_linux_.push_back(for_windows_.back());
      for_linux_.push_back({AsciiLower(name), for_windows_.back().value});
    }
    if (!request.trust) return;
    trust_for_linux_ = TrustVariables(*request.trust, false);
    trust_for_windows_ = TrustVariables(*request.trust, true);
  }

  Result<PodEnvObject> Make(const ObjectView& object, std::string_view kind);

 private:
  Result<bool> OptsOut(const ObjectView& object, const ObjectView& pod);
  Result<std::optional<ObjectView>> RuntimeClassOf(const ObjectView& spec) const;
  Result<bool> IsWindows(const ObjectView& spec);
  Result<PatchedList> Containers(const ObjectView& spec, std::string_view list, PodEnvObject& out);
  Result<PatchedContainer> Container(const ObjectView& container, PodContainer& out);
  Result<void> AddTrustTo(const ObjectView& container, PodContainer& out, PatchedContainer& patched);
  Result<std::vector<std::string>> ReadVariables(const std::vector<ObjectView>& entries, PodContainer& report,
                                                 PatchedContainer& patched);
  Result<void> AddSources(const ObjectView& container, std::vector<std::string>& names, PodContainer& report,
                          PatchedContainer& patched);
  Result<bool> AddMap(std::string_view map, std::string_view prefix, std::vector<std::string>& names,
                      PodContainer& report, PatchedContainer& patched);
  void Add(const std::vector<PodVariable>& variables, PodContainer& report, PatchedContainer& patched) const;
  Result<void> Count(const PatchedContainer& container, const std::string& path);

  bool Same(std::string_view a, std::string_view b) const { return windows_ ? EqualsIgnoreAsciiCase(a, b) : a == b; }
  // Whether a value that the container has is compared with the request's.
  bool IsCompared(std::string_view name) const {
    const auto same = [&](const PodVariable& variable) { return Same(variable.name, name); };
    return !opted_out_ && !request_.proxy.IsEmpty() && std::ranges::any_of(variables(), same);
  }
  // The variable of the patch that replaces this one; nullptr if it stays. `value`: as the container gets it.
  const PodVariable* Replacement(std::string_view name, std::string_view value) const {
    if (value.empty() || !IsCompared(name)) return nullptr;
    const auto found =
        std::ranges::find_if(variables(), [&](const PodVariable& variable) { return Same(variable.name, name); });
    for (const auto& [wanted_name, wanted] : request_.proxy.Variables()) {
      if (EqualsIgnoreAsciiCase(wanted_name, name)) return wanted == value ? nullptr : &*found;
    }
    return nullptr;
  }
  const std::vector<PodVariable>& variables() const { return windows_ ? for_windows_ : for_linux_; }
  const std::vector<PodVariable>& trust_variables() const { return windows_ ? trust_for_windows_ : trust_for_linux_; }
  bool IsOurs(std::string_view name) const {
    const auto same = [&](const PodVariable& variable) { return Same(variable.name, name); };
    return std::ranges::any_of(variables(), same) || std::ranges::any_of(trust_variables(), same);
  }

  const PodEnvRequest& request_;
  std::vector<source::ConfigMap> config_maps_;
  std::vector<ObjectView> runtime_classes_;
  PodPatcher patches_;
  CappedFindings findings_;
  std::vector<PodVariable> for_linux_;
  std::vector<PodVariable> for_windows_;
  std::vector<PodVariable> trust_for_linux_, trust_for_windows_;
  std::size_t added_ = 0;  // bytes
  // The following describe the current object.
  std::string object_;  // "Deployment n/web", for messages
  std::string name_space_;
  PodVolume volume_;
  std::set<std::string, std::less<>> seen_;  // names of containers
  bool windows_ = false;
  bool host_process_ = false;
  bool opted_out_ = false;
};

Result<bool> Maker::OptsOut(const ObjectView& object, const ObjectView& pod) {
  const auto value = PROV_TRY(source::AksOptOutOf(pod));
  if (!value && object.path() != pod.path() && PROV_TRY(source::AksOptOutOf(object))) {
    findings_.Warn("pod-opt-out-place",
                   fmt::format("the annotation {} counts only on the pod: it belongs into the template's metadata",
                               source::kAksOptOut),
                   object.At("metadata"));
  }
  if (!value) return false;
  if (*value != "true") {
    findings_.Warn("pod-opt-out-value",
                   fmt::format("the annotation {} counts only with the text \"true\"", source::kAksOptOut),
                   pod.At("metadata"));
    return false;
  }
  findings_.Add(Severity::kInfo, "pod-opt-out",
                fmt::format("the annotation {} keeps the variables away: nothing is added", source::kAksOptOut),
                pod.At("metadata"));
  return true;
}

Result<std::optional<ObjectView>> Maker::RuntimeClassOf(const ObjectView& spec) const {
  const std::string_view name = PROV_TRY(spec.TextOr("runtimeClassName", ""));
  for (const ObjectView& one : runtime_classes_) {
    if (PROV_TRY(source::ObjectName(one)) == name) return one;
  }
  return std::nullopt;
}

Result<bool> Maker::IsWindows(const ObjectView& spec) {
  std::vector<source::SystemStatement> systems;
  if (const auto os = PROV_TRY(spec.Object("os"))) {
    const std::string_view name = PROV_TRY(os->TextOr("name", ""));
    if (!name.empty()) systems.push_back({std::string(name), "os.name"});
  }
  const auto runtime_class = PROV_TRY(RuntimeClassOf(spec));
  std::ranges::move(PROV_TRY(source::SystemsOf(spec, runtime_class)), std::back_inserter(systems));
  const std::string_view class_name = PROV_TRY(spec.TextOr("runtimeClassName", ""));
  if (systems.empty() && !runtime_class && !class_name.empty()) {
    findings_.Warn("pod-runtime-class",
                   fmt::format("the RuntimeClass \"{}\" may choose Windows nodes and was not read, so the pod "
                               "counts as one for Linux; add what `kubectl get runtimeclass {} -o yaml` prints",
                               Shorten(class_name), Shorten(class_name)),
                   spec.At("runtimeClassName"));
  }
  if (systems.empty()) return false;
  const source::SystemStatement& first = systems.front();
  const auto other = std::ranges::find_if(systems, [&](const auto& one) { return one.system != first.system; });
  if (other != systems.end()) {
    findings_.Warn("pod-os",
                   fmt::format("{} says \"{}\" and {} \"{}\": no node can run the pod; {} counts", first.by,
                               Shorten(first.system), other->by, Shorten(other->system), first.by),
                   spec.path());
  }
  return first.system == kWindows;
}

// Finds stale values in a container's env, and returns the names that it has.
Result<std::vector<std::string>> Maker::ReadVariables(const std::vector<ObjectView>& entries, PodContainer& report,
                                                      PatchedContainer& patched) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const ObjectView& entry : entries) names.emplace_back(PROV_TRY(entry.TextOr("name", "")));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    // Of several with one name, Kubernetes takes the last.
    if (std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), names[i]) != names.end()) continue;
    if (entries[i].Find("valueFrom") != nullptr) {
      if (IsCompared(names[i])) {
        findings_.Warn("pod-env-from",
                       fmt::format("{} comes from another object (valueFrom): it is kept, whatever its value is",
                                   Shorten(names[i])),
                       entries[i].path());
      }
      continue;
    }
    const std::optional<std::string> value = Expanded(PROV_TRY(entries[i].TextOr("value", "")));
    const PodVariable* replacement = value ? Replacement(names[i], *value) : nullptr;
    if (replacement == nullptr) continue;
    report.stale.push_back(names[i]);
    patched.replaced.push_back({{names[i], replacement->value}, i});
  }
  return names;
}

// Looks in the ConfigMaps of the same file; returns false if the map is not there. A variable in env overrides a stale
// value of the map.
Result<bool> Maker::AddMap(std::string_view map, std::string_view prefix, std::vector<std::string>& names,
                           PodContainer& report, PatchedContainer& patched) {
  for (const source::ConfigMap& candidate : config_maps_) {
    const bool here = candidate.name_space.empty() || name_space_.empty() || candidate.name_space == name_space_;
    if (candidate.name != map || !here) continue;
    const auto data = PROV_TRY(candidate.object.Object("data"));
    if (!data) return true;
    for (const std::string_view key : data->Names()) {
      const std::string name = fmt::format("{}{}", prefix, key);
      if (std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      if (!IsCompared(name)) continue;
      const PodVariable* replacement = Replacement(name, PROV_TRY(data->TextOr(key, "")));
      if (replacement == nullptr) continue;
      report.stale.push_back(name);
      patched.added.push_back({name, replacement->value});
    }
    return true;
  }
  return false;
}

// Adds what envFrom brings, as far as it is known.
Result<void> Maker::AddSources(const ObjectView& container, std::vector<std::string>& names, PodContainer& report,
                               PatchedContainer& patched) {
  for (const ObjectView& entry : PROV_TRY(container.Objects("envFrom"))) {
    const auto map = PROV_TRY(entry.Object("configMapRef"));
    const auto secret = PROV_TRY(entry.Object("secretRef"));
    const std::string_view prefix = PROV_TRY(entry.TextOr("prefix", ""));
    const std::string_view name = map ? PROV_TRY(map->TextOr("name", "")) : "";
    if (map && PROV_TRY(AddMap(name, prefix, names, report, patched))) continue;
    if (opted_out_) continue;
    report.env_from = true;
    findings_.Warn("pod-env-from",
                   fmt::format("{} of {} may hold proxy variables, and is not looked into: those that are added count "
                               "more; a pod with a proxy of its own has to opt out",
                               map      ? fmt::format("the ConfigMap \"{}\", which is not in the file,", Shorten(name))
                               : secret ? "a Secret"
                                        : "what envFrom refers to",
                               object_),
                   entry.path());
  }
  return {};
}

// Adds the variables that the container lacks.
void Maker::Add(const std::vector<PodVariable>& variables, PodContainer& report, PatchedContainer& patched) const {
  for (const PodVariable& variable : variables) {
    const auto same = [&](const std::string& name) { return Same(variable.name, name); };
    if (std::ranges::any_of(report.kept, same) || std::ranges::any_of(report.stale, same) || variable.value.empty())
      continue;
    report.added.push_back(variable.name);
    patched.added.push_back(variable);
  }
}

Result<void> Maker::Count(const PatchedContainer& container, const std::string& path) {
  for (const PodVariable& variable : container.added) added_ += variable.value.size() + 256;
  for (const ReplacedVariable& one : container.replaced) added_ += one.variable.value.size() + 256;
  if (added_ <= kMaxPatchBytes) return {};
  return Fail(Code::kTooLarge,
              "so many containers lack the variables that the patches would have more than 16 MiB; give fewer objects "
              "at a time",
              path);
}

Result<PatchedContainer> Maker::Container(const ObjectView& container, PodContainer& out) {
  out.name = PROV_TRY(container.TextOr("name", ""));
  if (out.name.empty())
    return Fail(Code::kInvalidConfig, "the container has no name, which Kubernetes wants", container.path());
  if (!seen_.insert(out.name).second) {
    return Fail(Code::kInvalidConfig,
                fmt::format("two containers have the name \"{}\", which Kubernetes refuses", Shorten(out.name)),
                container.path());
  }
  const auto entries = PROV_TRY(container.Objects("env"));
  PatchedContainer patched{.name = out.name, .has_env = !entries.empty(), .added = {}};
  std::vector<std::string> names = PROV_TRY(ReadVariables(entries, out, patched));
  PROV_TRY(AddSources(container, names, out, patched));
  const auto holds = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  for (const std::string& name : names) {
    if (IsOurs(name) && !holds(out.stale, name) && !holds(out.kept, name)) out.kept.push_back(name);
  }
  if (!opted_out_) Add(variables(), out, patched);
  if (request_.trust) PROV_TRY(AddTrustTo(container, out, patched));
  PROV_TRY(Count(patched, container.path()));
  return patched;
}

Result<void> Maker::AddTrustTo(const ObjectView& container, PodContainer& out, PatchedContainer& patched) {
  PROV_TRY(AddTrust(container, {windows_, host_process_}, volume_, out, patched));
  if (!out.untrusted) {
    Add(trust_variables(), out, patched);
    return {};
  }
  findings_.Warn(
      "pod-trust-taken",
      fmt::format("the container \"{}\" of {} gets no certificates: {}", Shorten(out.name), object_,
                  volume_.is_taken ? fmt::format("another volume has the name {}; rename that volume", kTrustVolume)
                                   : "it mounts another volume where the bundle is mounted; move that mount"),
      container.path());
  return {};
}

Result<PatchedList> Maker::Containers(const ObjectView& spec, std::string_view list, PodEnvObject& out) {
  PatchedList patched{.list = list, .containers = {}};
  for (const ObjectView& container : PROV_TRY(spec.Objects(list))) {
    PodContainer report{.name = {}, .init = list == "initContainers", .added = {}, .stale = {}, .kept = {}};
    patched.containers.push_back(PROV_TRY(Container(container, report)));
    out.containers.push_back(std::move(report));
  }
  return patched;
}

Result<PodEnvObject> Maker::Make(const ObjectView& object, std::string_view kind) {
  PodEnvObject out;
  out.kind = kind;
  if (const auto metadata = PROV_TRY(object.Object("metadata"))) {
    out.name = PROV_TRY(metadata->TextOr("name", ""));
    out.name_space = PROV_TRY(metadata->TextOr("namespace", ""));
  }
  const auto pod = PROV_TRY(source::PodOf(object, kind));
  const auto spec = pod ? PROV_TRY(pod->Object("spec")) : std::nullopt;
  if (!spec)
    return Fail(Code::kType, fmt::format("this {} has no pod's spec, which it must have", kind), object.path());
  name_space_ = out.name_space;
  object_ =
      fmt::format("{} {}{}{}", kind, Shorten(out.name_space), out.name_space.empty() ? "" : "/", Shorten(out.name));
  seen_.clear();
  windows_ = out.windows = PROV_TRY(IsWindows(*spec));
  host_process_ = request_.trust && PROV_TRY(IsHostProcess(*spec));
  opted_out_ = out.opted_out = PROV_TRY(OptsOut(object, *pod));
  volume_ = request_.trust ? PROV_TRY(TrustVolumeOf(*spec, *request_.trust)) : PodVolume();
  std::vector<PatchedList> lists;
  for (const std::string_view list : {"containers", "initContainers"})
    lists.push_back(PROV_TRY(Containers(*spec, list, out)));
  out.adds_volume = volume_.is_added;
  out.patch = patches_.Environment(source::PodPath(kind), lists, volume_);
  return out;
}

// Returns the RuntimeClasses, and reports objects with a pod template whose kind is not known.
Result<std::vector<ObjectView>> ReadOthers(const Object& manifest, Findings& findings) {
  std::vector<ObjectView> runtime_classes;
  CappedFindings capped(findings, manifest.where);
  PROV_TRY(source::VisitValues(*manifest.document, [&](const source::DocumentValue& one) -> Result<void> {
    if (!one.value->IsObject() || source::IsPodKind(one.kind)) return {};
    if (one.kind == "RuntimeClass") {
      runtime_classes.push_back(PROV_TRY(ObjectView::Of(*one.value, one.path)));
    } else if (const std::string place = source::FindContainers(*one.value, one.path); !place.empty()) {
      capped.Warn("pod-kind",
                  fmt::format("the kind {} has containers and is not known here, so nothing is looked at or added; add "
                              "the variables by hand",
                              Shorten(one.kind)),
                  place);
    }
    return {};
  }));
  return runtime_classes;
}

Result<PodEnvReport> MakeAll(const Object& manifest, const PodEnvRequest& request) {
  PodEnvReport out;
  const source::SourceObjects found = PROV_TRY(source::FindObjects(*manifest.document));
  std::vector<ObjectView> runtime_classes = PROV_TRY(ReadOthers(manifest, out.findings));
  for (const Object* other : request.others)
    std::ranges::move(PROV_TRY(ReadOthers(*other, out.findings)), std::back_inserter(runtime_classes));
  if (found.pods.empty()) {
    const bool unknown = !out.findings.empty();
    return Fail(
        Code::kKind,
        fmt::format("nothing in it is a pod or makes pods{}; give a Deployment, DaemonSet, StatefulSet, ReplicaSet, "
                    "Job or CronJob",
                    unknown ? " of a known kind: " + out.findings.front().message : ""),
        unknown ? out.findings.front().where : "");
  }
  {
    Maker maker(PROV_TRY(source::ReadConfigMapHeads(found.config_maps)), std::move(runtime_classes), request,
                manifest.where,
                out);  // its destructor adds the last findings
    for (const source::FoundObject& pod : found.pods) out.objects.push_back(PROV_TRY(maker.Make(pod.object, pod.kind)));
  }
  return out;
}

std::string InFile(const Object& manifest, const std::string& where) {
  return where.empty() || where == manifest.where ? manifest.where : fmt::format("{}: {}", manifest.where, where);
}

}  // namespace

std::string WithoutReferences(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '$' || text[i + 1] == '(')) out += '$';
    out += text[i];
  }
  return out;
}

Result<PodEnvReport> MakePodEnv(const Object& manifest, const PodEnvRequest& request) {
  Result<PodEnvReport> out = MakeAll(manifest, request);
  if (!out) {
    out.error().where = InFile(manifest, out.error().where);
    return out;
  }
  for (Finding& finding : out->findings) finding.where = InFile(manifest, finding.where);
  return out;
}

}  // namespace prov::publish
