#include "provisioner/source/pod_environment_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

constexpr std::array<std::string_view, 9> kKinds = {"PodTemplate", "Deployment",       "DaemonSet",
                                                    "StatefulSet", "ReplicaSet",       "ReplicationController",
                                                    "Job",         "DeploymentConfig", "CronJob"};
constexpr std::array<std::string_view, 4> kCronJobPath = {"spec", "jobTemplate", "spec", "template"};
constexpr std::span<const std::string_view> kUsualPath = std::span(kCronJobPath).subspan(2);
constexpr std::span<const std::string_view> kPodTemplatePath = std::span(kCronJobPath).subspan(3);

}  // namespace

bool IsPodKind(std::string_view kind) { return kind == "Pod" || std::ranges::find(kKinds, kind) != kKinds.end(); }

std::span<const std::string_view> PodPath(std::string_view kind) {
  if (kind == "Pod") return {};
  if (kind == "PodTemplate") return kPodTemplatePath;
  return kind == "CronJob" ? std::span<const std::string_view>(kCronJobPath) : kUsualPath;
}

Result<std::optional<ObjectView>> PodOf(const ObjectView& object, std::string_view kind) {
  std::optional<ObjectView> out = object;
  for (const std::string_view name : PodPath(kind)) {
    out = PROV_TRY(out->Object(name));
    if (!out) break;
  }
  return out;
}

Result<std::optional<std::string_view>> AksOptOutOf(const ObjectView& object) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  const auto annotations = metadata ? PROV_TRY(metadata->Object("annotations")) : std::nullopt;
  if (!annotations) return std::nullopt;
  return PROV_TRY(annotations->Text(kAksOptOut));
}

namespace {

// The variables of one container, in the order of egress::kProxyVariables.
struct Variables {
  struct Value {
    std::string_view text;   // "" also without a `value`, as in Kubernetes
    bool elsewhere = false;  // valueFrom
    std::string where;
  };
  std::array<std::optional<Value>, egress::kProxyVariables.size()> values;
  bool lower_case = false;
  std::optional<Value> lower_url;  // of http_proxy or https_proxy
  bool env_from = false;           // envFrom may bring one of the three: `env` does not have them all
  bool node_env_proxy = false;
  std::vector<std::string_view> names;  // of all variables

  bool any() const {
    return std::ranges::any_of(values, [](const auto& value) { return value.has_value(); });
  }
  bool all() const {
    return std::ranges::all_of(values, [](const auto& value) { return value.has_value(); });
  }
  bool has_url() const {  // the last of egress::kProxyVariables is no URL
    return std::ranges::any_of(std::span(values).first(values.size() - 1),
                               [](const auto& value) { return value && (!value->text.empty() || value->elsewhere); });
  }
};

Result<Variables> ReadVariables(const ObjectView& container) {
  Variables out;
  for (const ObjectView& entry : PROV_TRY(container.Objects("env"))) {
    const std::string_view name = PROV_TRY(entry.TextOr("name", ""));
    const std::string_view text = PROV_TRY(entry.TextOr("value", ""));
    out.names.push_back(name);
    if (name == egress::kNodeVariable) out.node_env_proxy = text == "1";
    const Variables::Value value{text, entry.Find("valueFrom") != nullptr, entry.At("value")};
    for (std::size_t i = 0; i < egress::kProxyVariables.size(); ++i) {
      if (name == egress::kProxyVariables[i]) {
        out.values[i] = value;
      } else if (EqualsIgnoreAsciiCase(name, egress::kProxyVariables[i])) {
        out.lower_case = true;
        const bool url = i + 1 < egress::kProxyVariables.size() && (!text.empty() || value.elsewhere);
        if (url && !out.lower_url) out.lower_url = value;
      }
    }
  }
  out.env_from = !PROV_TRY(container.Objects("envFrom")).empty() && !out.all();
  return out;
}

bool SameVariables(const Variables& a, const Variables& b) {
  return std::ranges::equal(a.values, b.values, [](const auto& x, const auto& y) {
    return x.has_value() == y.has_value() && (!x || (x->text == y->text && x->elsewhere == y->elsewhere));
  });
}

struct Found {
  std::optional<Variables> taken;
  std::string where;  // place of the container
  bool lower_case = false;
  std::string lower_url;              // place of the first URL in lower case; "": none
  std::vector<std::string> env_from;  // places of containers
};

struct ContainerVariables {
  Variables variables;
  std::string where;
};

// Takes the first container with a URL: one that has only NO_PROXY says nothing of the others' proxy.
void Choose(std::vector<ContainerVariables> all, const std::string& pod, Found& out, Findings& findings) {
  if (all.empty()) return;
  const auto with_url =
      std::ranges::find_if(all, [](const ContainerVariables& one) { return one.variables.has_url(); });
  ContainerVariables& taken = with_url == all.end() ? all.front() : *with_url;
  CappedFindings capped(findings, pod);
  for (const ContainerVariables& other : all) {
    if (SameVariables(taken.variables, other.variables)) continue;
    capped.Warn("containers-differ",
                fmt::format("its proxy variables differ from those of {}, which were taken", taken.where), other.where);
  }
  out.where = std::move(taken.where);
  out.taken = std::move(taken.variables);
}

Result<Found> ReadContainers(const ObjectView& spec, Findings& findings) {
  Found out;
  std::vector<ContainerVariables> all;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const ObjectView& container : PROV_TRY(spec.Objects(list))) {
      Variables variables = PROV_TRY(ReadVariables(container));
      out.lower_case = out.lower_case || variables.lower_case;
      if (variables.lower_url && out.lower_url.empty()) out.lower_url = variables.lower_url->where;
      if (variables.env_from) out.env_from.push_back(container.path());
      if (variables.any()) all.push_back({std::move(variables), container.path()});
    }
  }
  Choose(std::move(all), spec.path(), out, findings);
  return out;
}

Result<void> AssignContainerVariables(const Variables& variables, egress::EgressConfig& out) {
  for (std::size_t i = 0; i < egress::kProxyVariables.size(); ++i) {
    const auto& value = variables.values[i];
    if (!value) continue;
    if (value->elsewhere) {
      return Fail(Code::kInvalidConfig,
                  fmt::format("{} is taken from another object (valueFrom), which is not in the file",
                              egress::kProxyVariables[i]),
                  value->where);
    }
    if (value->text.find("$(") != std::string_view::npos) {
      AddWarning(out.findings, "env-reference",
                 "the value refers to another variable with $(NAME), which only a pod resolves; it is taken as it "
                 "stands",
                 value->where);
    }
    if (i == 0) out.http_proxy = Secret(std::string(value->text));
    if (i == 1) out.https_proxy = Secret(std::string(value->text));
    if (i == 2) out.no_proxy = std::string(value->text);
  }
  return {};
}

// Without a URL in the variables that count, one elsewhere must not be taken for none. Errors: kind.
Result<void> LookElsewhere(const Found& found, egress::EgressConfig& out) {
  const bool has_url = found.taken->has_url();
  if (!has_url && !found.lower_url.empty()) {
    return Fail(Code::kKind,
                "the URL of the proxy is there in lower case only, and only HTTP_PROXY and HTTPS_PROXY count; write "
                "them in upper case, empty if there is no proxy",
                found.lower_url);
  }
  for (const std::string& container : found.env_from) {
    if (has_url && container != found.where) continue;
    ReportNotRead(Subject::kProxy, "envFrom",
                  has_url ? "its variables are not in the file"
                          : "its variables are not in the file, so the source makes no statement about the proxy",
                  container + ".envFrom", out);
  }
  return {};
}

std::unexpected<Error> NoVariables(const Found& found, std::string_view kind, std::string where) {
  return Fail(Code::kKind,
              fmt::format("no container of this {} assigns HTTP_PROXY, HTTPS_PROXY or NO_PROXY{}", Shorten(kind),
                          found.lower_case ? " (only in lower case, which is not read)" : ""),
              std::move(where));
}

}  // namespace

bool HasProxyVariables(const ObjectView& object, std::string_view kind) {
  const auto read = [&]() -> Result<bool> {
    const auto pod = PROV_TRY(PodOf(object, kind));
    const auto spec = pod ? PROV_TRY(pod->Object("spec")) : std::nullopt;
    if (!spec) return false;
    Findings ignored;
    const Found found = PROV_TRY(ReadContainers(*spec, ignored));
    return found.taken || found.lower_case;
  };
  return read().value_or(false);
}

Result<Reading> ReadPodEnvironment(const ObjectView& object, std::string_view kind) {
  Reading out;
  out.config.source = {"PodTemplate", std::string(PROV_TRY(ObjectName(object))), ""};
  const auto pod = PROV_TRY(PodOf(object, kind));
  const auto spec = pod ? PROV_TRY(pod->Object("spec")) : std::nullopt;
  if (!spec) return NoVariables({}, kind, object.path());
  const Found found = PROV_TRY(ReadContainers(*spec, out.config.findings));
  const bool opts_out = PROV_TRY(AksOptOutOf(*pod)) == "true";
  if (opts_out) {
    AddWarning(out.config.findings, "pod-opt-out",
               fmt::format("the annotation {} keeps AKS' proxy variables away from this pod: what it says may not be "
                           "what the cluster's nodes need",
                           kAksOptOut),
               pod->At("metadata"));
  }
  if (!found.taken) {
    if (opts_out) return out;
    return NoVariables(found, kind, spec->path());
  }
  if (found.lower_case) {
    AddInfo(out.config.findings, "env-lower-case", "lower-case variables are there, too; they are not read",
            found.where);
  }
  PROV_TRY(AssignContainerVariables(*found.taken, out.config));
  PROV_TRY(LookElsewhere(found, out.config));
  out.config.node_env_proxy = found.taken->node_env_proxy;
  ReportOtherVariables(found.taken->names, found.where + ".env", out.config);
  StateProxy(out.config, found.where + ".env");
  return out;
}

}  // namespace prov::source
