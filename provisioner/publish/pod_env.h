// The proxy variables that AKS puts into pods, as patches of the objects that make the pods: for pods that AKS' webhook
// does not change (Windows node pools), and to preview its changes. Facts: docs/egress-systems.md#aks-pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

// A ConfigMap with certificates for containers to trust, and the key that holds them all as PEM.
struct PodTrust {
  std::string config_map;
  std::string key;
};
// "configmap/NAME[:KEY]"; the key that OpenShift fills is the default. Errors: usage, with `where`.
Result<PodTrust> ParsePodTrust(std::string_view text, const std::string& where);

struct PodEnvRequest {
  ProxyValues proxy;  // as the patches are to hold them; what is empty is not added
  PatchKind patch = PatchKind::kStrategic;
  bool annotate = false;  // not the variables: the annotation that keeps them away
  std::optional<PodTrust> trust = {};
  bool lists_all = false;  // another volume of the trust volume's name is something that lacks, and no error
};

struct PodContainer {
  std::string name;
  bool init = false;
  std::vector<std::string> added;  // names of variables
  std::vector<std::string> kept;   // of these variables, those that it has already, in whatever form
  bool mounts = false;             // gets the ConfigMap at its place
  bool imports = false;            // gets a hook that imports certificates into Windows' store

  bool Lacks() const { return !added.empty() || mounts || imports; }
};

struct PodEnvObject {
  std::string kind;
  std::string name;
  std::string name_space;  // "" where the manifest gives none
  bool windows = false;
  bool opted_out = false;  // as the object is now
  std::vector<PodContainer> containers;
  bool adds_volume = false;
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
// before. With `trust`, each container also gets the ConfigMap mounted and the variables by which programs find a
// bundle, and on Windows a postStart hook that imports its *.cer, where it has no hook and is no HostProcess container,
// which has the store of its node; who opted out of the proxy variables gets these all the same. `manifest` as
// ReadManifest() gives it. Findings: pod-opt-out, pod-opt-out-place, pod-opt-out-value, pod-os, pod-env-from. Errors:
// kind (nothing in it is or makes a pod), type, invalid-config, too-large (all patches together).
Result<PodEnvReport> MakePodEnv(const Object& manifest, const PodEnvRequest& request);

// The empty patch for `kubectl patch`, which changes nothing: {} or [].
JsonValue EmptyPatch(PatchKind kind);

}  // namespace prov::publish
