// The EGRESS_* variables of a router, wherever they are set: in a file, in the containers of a pod, in a ConfigMap.
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
  bool unknown = false;    // its value comes from an object that is not among the files
};

using Variables = std::map<std::string, Variable, std::less<>>;

// An object of a file. `where` is the file; every place in messages begins with it.
struct RouterObject {
  source::ObjectView object;
  std::string kind;
  std::string where;

  std::string At(std::string_view path) const;
  // metadata.name or metadata.namespace; "" if absent. Errors: type.
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

// The ConfigMaps of the files, and which of them pods use. A lookup takes the same time however many there are.
class ConfigMaps {
 public:
  // `objects` must outlive it and not be moved.
  explicit ConfigMaps(const std::vector<RouterObject>& objects);

  // The map of this name that may be in the namespace ("": unknown); marks it as used. nullptr: none.
  const RouterObject* Take(std::string_view name, std::string_view name_space);
  bool IsTaken(const RouterObject& map) const { return taken_.contains(&map); }
  std::size_t size() const { return size_; }

 private:
  using BySpace = std::map<std::string, const RouterObject*, std::less<>>;

  std::map<std::string, BySpace, std::less<>> by_name_;
  std::set<const RouterObject*> taken_;
  std::size_t size_ = 0;
};

// The containers, then the init containers, of a pod or of an object that creates pods. Variables may come from `maps`.
// Errors: type, invalid-config (a Secret, a ConfigMap that does not exist). With `faults`, errors of invalid-config are
// added there, and the variable is unknown.
Result<std::vector<RouterContainer>> ReadContainers(const RouterObject& pod, ConfigMaps& maps,
                                                    Faults* faults = nullptr);

// The variables of all containers; of variables with the same name, the first counts.
Variables Merge(const std::vector<RouterContainer>& containers);

// The data of a ConfigMap. Errors: type.
Result<Variables> ReadConfigMapData(const RouterObject& map);

// The list of destinations in the data of a ConfigMap without EGRESS_* variables: under the key of OpenShift's
// documentation, or with `any_key` under the only key. nullptr: none.
const Variable* FindList(const Variables& data, bool any_key);

// The router that these variables describe; nullopt if none is a list of destinations and the mode requires none.
// Errors: destination. With `faults`, errors are added there, and the policy has the valid rest.
Result<std::optional<RouterPolicy>> PolicyOf(const Variables& variables, const std::string& where,
                                             Faults* faults = nullptr);

}  // namespace prov::router
