// The objects of a document that can be sources, found by their kind or, without one, by their members.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/object_view.h"

namespace prov::source {

struct OtherKind;

struct FoundObject {
  ObjectView object;
  std::string_view kind;  // its own or, in a list of one kind, the list's; "": none
};

// The objects of each kind, in the order of the document.
struct SourceObjects {
  bool machine_config = false;  // at least one, or an Ignition config; ignition/document.h reads these
  std::vector<FoundObject> controller_configs;
  std::vector<FoundObject> proxies;
  std::vector<FoundObject> hosted_clusters;
  std::vector<FoundObject> aks_configs;
  std::vector<AksPool> aks_pools;
  std::vector<FoundObject> rancher_clusters;
  std::vector<FoundObject> install_configs;
  std::vector<FoundObject> config_maps;
  std::vector<FoundObject> trust_bundles;  // ClusterTrustBundles
  std::vector<FoundObject> pods;           // also what makes pods
  std::vector<FoundObject> secrets;
  std::vector<FoundObject> mirror_objects;                    // no source of their own; mirror_objects.h reads them
  std::set<std::pair<const OtherKind*, std::string>> others;  // of a kind that is reported, with the path of each
};

// Finds the sources in a single object, in a List (also of one kind), in several YAML documents, or in what Azure
// prints (a list of clusters, a template). Skips objects of other kinds. Errors: type, invalid-config; kind (a value
// beside others that is no object, or an error message of a command); too-large (over 100,000).
Result<SourceObjects> FindObjects(const JsonDocument& document);

// The object called `name`; with "" the only one. `what` is their kind, for messages. Errors: not-found, also if
// several have that name.
Result<const FoundObject*> ChooseObject(std::span<const FoundObject> objects, std::string_view what,
                                        std::string_view name);

// "a, b and 3 more".
std::string ListInShort(std::span<const std::string_view> names);

}  // namespace prov::source
