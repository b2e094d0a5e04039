// The objects of a document that can be sources, found by their kind or, without one, by their members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/source/object_view.h"
#include "provisioner/source/openshift_source.h"

namespace prov::source {

struct PodObject {
  ObjectView object;
  std::string_view kind;
};

struct SourceObjects {
  bool machine_config = false;  // at least one, or an Ignition config; ignition/document.h reads these
  std::vector<ObjectView> controller_configs;
  std::vector<ObjectView> proxies;
  std::vector<ObjectView> aks_configs;
  std::vector<ObjectView> install_configs;
  std::vector<ConfigMap> config_maps;
  std::vector<PodObject> pods;
  std::vector<ObjectView> secrets;
};

// Finds the sources in a single object, in a List (also of one kind) or in several YAML documents. From a plain array
// (az aks list) takes only AKS clusters. Skips objects of other kinds. Errors: type, invalid-config; too-large (over
// 100,000).
Result<SourceObjects> FindObjects(const JsonDocument& document);

// The object called `name`; with "" the only one. Errors: not-found, also if several have that name.
Result<const ObjectView*> ChooseObject(const std::vector<ObjectView>& objects, std::string_view what,
                                       std::string_view name);

}  // namespace prov::source
