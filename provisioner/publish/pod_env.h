// The proxy variables that AKS puts into pods, as patches of the objects that make the pods: for clusters whose webhook
// does not (Windows node pools), and to see what it will do. Facts: docs/egress-systems.md#aks-pods.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

enum class PatchKind {
  kStrategic,  // strategic merge patch
  kJson,       // RFC 6902
  kNone,       // only the report
};

struct PodEnvRequest {
  ProxyValues proxy;  // as the patches are to hold them; what is empty is not added
  PatchKind patch = PatchKind::kStrategic;
  bool annotate = false;  // not the variables: the annotation that keeps them away
};

struct PodContainer {
  std::string name;
  bool init = false;
  std::vector<std::string> added;  // names of variables
  std::vector<std::string> kept;   // of proxy variables that it has already, in whatever form
};

struct PodEnvObject {
  std::string kind;
  std::string name;
  std::string name_space;  // "" where the manifest gives none
  bool windows = false;
  bool opted_out = false;  // as the object is now
  std::vector<PodContainer> containers;
  JsonValue patch;  // null: there is nothing to change, or no patch was asked for
};

struct PodEnvReport {
  rapidjson::Document memory;         // owns the patches
  std::vector<PodEnvObject> objects;  // those that are pods or make pods, in their order
  Findings findings;
};

// Each container and init container of a pod that has not opted out gets the variables that it lacks: six for Linux,
// HTTP_PROXY, HTTPS_PROXY and NO_PROXY for Windows (spec.os.name, else nodeSelector), where case makes no difference. A
// "$" that Kubernetes would take for a reference is doubled. A JSON patch goes by index and tests the container's name
// before. `manifest` as ReadManifest() gives it. Findings: pod-opt-out, pod-opt-out-place, pod-opt-out-value, pod-os,
// pod-env-from. Errors: kind (nothing in it is or makes a pod), type, invalid-config, too-large (all patches together).
Result<PodEnvReport> MakePodEnv(const Object& manifest, const PodEnvRequest& request);

// What says "change nothing" to `kubectl patch`: {} or [].
JsonValue EmptyPatch(PatchKind kind);

}  // namespace prov::publish
