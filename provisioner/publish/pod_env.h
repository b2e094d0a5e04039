// The proxy variables that AKS adds to pods, as patches of the objects that create the pods: for pods that AKS' webhook
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

// A ConfigMap with certificates for containers to trust, and the key with all of them as PEM.
struct PodTrust {
  std::string config_map;
  std::string key;
};
// Parses "configmap/NAME[:KEY]"; the default key is the one that OpenShift fills. Errors: usage, with `where`.
Result<PodTrust> ParsePodTrust(std::string_view text, const std::string& where);

struct PodEnvRequest {
  ProxyValues proxy;  // the values for the patches; empty ones are not added
  PatchKind patch = PatchKind::kStrategic;
  std::optional<PodTrust> trust = {};
  std::vector<const Object*> others = {};  // documents besides the manifest, with RuntimeClasses
  std::optional<ProxyValues> shown = {};   // what the patches hold in the place of `proxy`, without passwords
};

struct PodContainer {
  std::string name;
  bool init = false;
  std::vector<std::string> added;  // names of variables
  std::vector<std::string> stale;  // of these variables, those whose value is replaced
  std::vector<std::string> kept;   // of these variables, the others that the container already has, in any form
  bool mounts = false;             // the ConfigMap is mounted
  bool imports = false;            // a hook is added that imports certificates into Windows' store
  bool untrusted = false;          // nothing can make it trust the ConfigMap: its place or name is another volume's
  bool env_from = false;           // envFrom brings variables from what was not looked into

  // Whether a patch would change it.
  bool Lacks() const { return !added.empty() || !stale.empty() || mounts || imports; }
};

struct PodEnvObject {
  std::string kind;
  std::string name;
  std::string name_space;  // "" if the manifest has none
  bool windows = false;
  bool opted_out = false;  // the object's present state
  std::vector<PodContainer> containers;
  bool adds_volume = false;
  JsonValue patch;  // null: nothing to change, or no patch was requested
};

struct PodEnvReport {
  rapidjson::Document memory;         // owns the patches
  std::vector<PodEnvObject> objects;  // the pods and the objects that create pods, in order
  Findings findings;
};

// Each container and init container of a pod that has not opted out gets the variables that it lacks: six for Linux;
// HTTP_PROXY, HTTPS_PROXY and NO_PROXY for Windows (by spec.os.name, else by what the scheduler reads, see
// source::SystemsOf(), with the RuntimeClasses of the manifest and of `others`), where case does not matter. One with
// another value than the request's, such as the former proxy, is replaced, also by an empty text; a value is kept that
// is empty, refers to another variable or comes from valueFrom, and so is each if the request has no proxy. A
// "$" that Kubernetes would read as a reference is doubled. A JSON patch addresses containers by index, and tests the
// name first. With `trust`, each container also gets the ConfigMap mounted and the variables with which programs find a
// bundle. On Windows it also gets a postStart hook that imports the ConfigMap's *.cer, unless it has a hook already or
// is a HostProcess container, whose store is the node's. Opting out of the proxy variables does not affect `trust`. A
// container that mounts another volume at the place, and all of a pod in which one has the volume's name, get nothing
// of `trust`: the variables would name a file that is not there. The admission policy decides the same
// (pod-policy.yaml). `manifest` comes from ReadManifest(). Findings: pod-opt-out, pod-opt-out-place, pod-opt-out-value,
// pod-os, pod-env-from, pod-kind, pod-runtime-class, pod-trust-taken. Errors: kind (no object is a pod or creates
// pods), type, invalid-config, too-large (all patches together).
Result<PodEnvReport> MakePodEnv(const Object& manifest, const PodEnvRequest& request);

// Escapes a text for a variable's `value`: Kubernetes reads $(NAME) there as a reference and $$ as one $.
std::string WithoutReferences(std::string_view text);

// The patch for `kubectl patch` that changes nothing: {} or [].
JsonValue EmptyPatch(PatchKind kind);

}  // namespace prov::publish
