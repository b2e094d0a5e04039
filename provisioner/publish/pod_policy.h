// The objects with which an API server gives the variables to pods when they are created: a MutatingAdmissionPolicy
// (Kubernetes 1.36 and later), its binding and the ConfigMap of its parameters. The policy is constant
// (templates/kubernetes/pods). Facts: docs/fleet.md#pods-at-creation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/pod_params.h"

namespace prov::publish {

inline constexpr std::string_view kPodPolicyName = "egress-provisioner-pods";

// A member of matchExpressions of a label selector.
struct LabelRequirement {
  std::string key;
  std::string what;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;

  bool operator==(const LabelRequirement&) const = default;
};

// Parses "env=prod,tier!=web,trusted,!canary", as `kubectl get -l` takes it, without its sets; an empty text selects
// everything. Errors: usage, with `where`.
Result<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text, const std::string& where);

// The namespace and the name of a ConfigMap.
struct PodParamsPlace {
  std::string name_space = "egress-provisioner";
  std::string name = "pod-params";
};
// Parses "NAMESPACE/NAME". Errors: usage, with `where`.
Result<PodParamsPlace> ParsePodParamsPlace(std::string_view text, const std::string& where);

struct PodPolicy {
  PodParamsPlace params_place = {};
  std::optional<std::vector<LabelRequirement>> namespaces =
      {};  // whose pods; nullopt: all but those that AKS keeps out
  PodParams params = {};
  std::string version = {};  // of this program
};

// Whether the policy leaves the pods of a namespace alone whatever the binding selects: its name has a prefix that is
// reserved for Kubernetes or OpenShift.
bool IsPlatformNamespace(std::string_view name);

// The policy, the binding and the ConfigMap, in this order; the same policy gives the same object.
Result<Object> MakePodPolicy(const PodPolicy& policy);

// The objects as YAML documents, or as one List in JSON, as `kubectl apply -f` takes both.
std::string WritePodPolicy(const Object& objects, bool json);

}  // namespace prov::publish
