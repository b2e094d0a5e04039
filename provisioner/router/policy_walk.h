// The walk over the files of routers, which belong together: detects the form of each file, and hands out each part
// that may describe a router.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

enum class FileForm { kObjects, kAssignments, kList };

// Detects the form by the lines: objects have members such as apiVersion; assignments begin with EGRESS_.
FileForm FormOf(std::string_view bytes);

// What is done with the parts.
class PolicyParts {
 public:
  virtual ~PolicyParts() = default;

  // Returns the text to read of a file with assignments or objects.
  virtual std::string Prepare(std::string text, const std::string& where) = 0;

  virtual Result<void> List(std::string_view text, const std::string& where) = 0;
  virtual Result<void> Assignments(std::string_view text, const std::string& where) = 0;
  // An object of the cluster itself: Network, Infrastructure, EgressIP. Before all routers that are objects.
  virtual Result<void> Cluster(const RouterObject& object) = 0;
  virtual Result<void> EgressRouter(const RouterObject& object) = 0;
  // A pod, or what makes pods; marks the maps that it uses.
  virtual Result<void> Pod(const RouterObject& object, ConfigMaps& maps) = 0;
  // A ConfigMap that no pod uses. `alone`: it is the only one, and there is no other router.
  virtual Result<void> Map(const RouterObject& map, bool alone) = 0;

  // Whether there was no router so far, not even an invalid one.
  virtual bool IsEmpty() const = 0;

  // Gets an error of one of these functions, or of a file; its place begins with the file, or is an option. An error
  // that it returns ends the walk.
  virtual Result<void> Failed(Error error) = 0;
};

// Lists and assignments first, in the order of the files, then the objects of the
// cluster, EgressRouters and pods, then ConfigMaps.
Result<void> WalkFiles(const std::vector<PolicyFile>& files, PolicyParts& parts);

}  // namespace prov::router
