// The EGRESS_* variables of a router, wherever they are assigned: in a file, in the containers of a pod, in a
// ConfigMap.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/source/object_view.h"

namespace prov::router {

struct Variable {
  std::string text = {};
  std::string where = {};  // "FILE: $.spec.containers[0].env[2].value"
  bool unknown = false;    // taken from something that is not among the files
};

using Variables = std::map<std::string, Variable, std::less<>>;

// An object of a file; `where` is the file, and every place in messages begins with it.
struct RouterObject {
  source::ObjectView object;
  std::string kind;
  std::string where;

  std::string At(std::string_view path) const;
  // metadata.name and metadata.namespace, "" where there are none. Errors: type.
  Result<std::string> Metadata(std::string_view name) const;
};

// One container of a pod.
struct RouterContainer {
  std::string name;
  std::string path;
  bool init = false;
  bool privileged = false;
  bool has_service_account = false;  // serviceAccountName or serviceAccount, which belong to the pod
  Variables variables;               // EGRESS_* only
};

// The ConfigMaps of the files, and which of them pods take variables from. A look-up takes the same time however many
// there are.
class ConfigMaps {
 public:
  // `objects` must outlive it and stay where they are.
  explicit ConfigMaps(const std::vector<RouterObject>& objects);

  // The map of this name that may be in the namespace ("": not told), which then counts as taken; null: none.
  const RouterObject* Take(std::string_view name, std::string_view name_space);
  bool IsTaken(const RouterObject& map) const { return taken_.contains(&map); }
  std::size_t size() const { return size_; }

 private:
  using BySpace = std::map<std::string, const RouterObject*, std::less<>>;

  std::map<std::string, BySpace, std::less<>> by_name_;
  std::set<const RouterObject*> taken_;
  std::size_t size_ = 0;
};

// Those of a pod or of what makes pods: containers, then init containers. `maps` are what variables are taken from.
// Errors: type, invalid-config (a Secret, a ConfigMap that is not there). With `faults`, what is invalid-config is
// added there, and the variable is unknown.
Result<std::vector<RouterContainer>> ReadContainers(const RouterObject& pod, ConfigMaps& maps,
                                                    Faults* faults = nullptr);

// All together; of a name that two have, the first counts.
Variables Merge(const std::vector<RouterContainer>& containers);

// The data of a ConfigMap. Errors: type.
Result<Variables> ReadConfigMapData(const RouterObject& map);

// The list of destinations in the data of a ConfigMap without EGRESS_* variables: under the key that OpenShift's
// documentation uses, or with `any_key` under the only one. Null: none.
const Variable* FindList(const Variables& data, bool any_key);

// The router that these variables describe; nullopt if none is a list of destinations and the mode asks for none.
// Errors: destination. With `faults` the errors are added there, and the policy consists of the valid rest.
Result<std::optional<RouterPolicy>> PolicyOf(const Variables& variables, const std::string& where,
                                             Faults* faults = nullptr);

}  // namespace prov::router
