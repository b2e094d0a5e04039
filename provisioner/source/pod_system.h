// The operating system of the nodes on which the scheduler can put a pod. Facts:
// docs/egress-systems.md#systems-of-pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json.h"
#include "provisioner/source/object_view.h"

namespace prov::source {

inline constexpr std::string_view kOsLabel = "kubernetes.io/os";

// A field of a pod that admits nodes of one system only.
struct SystemStatement {
  std::string system;  // "linux", "windows", or what a label of the system says
  std::string by;      // "nodeSelector", "nodeAffinity", "the RuntimeClass NAME"

  bool operator==(const SystemStatement&) const = default;
};

// What a pod's spec says to the scheduler; `runtime_class` is the object that runtimeClassName names, if it is known.
// os.name is none of it: only the kubelet reads that. Errors: type.
Result<std::vector<SystemStatement>> SystemsOf(const ObjectView& spec,
                                               const std::optional<ObjectView>& runtime_class = std::nullopt);

// The path, in an object, of the first list of containers with images below its spec; "" if there is none. Finds the
// pod templates of kinds that this program does not know.
std::string FindContainers(const JsonValue& object, std::string_view path);

}  // namespace prov::source
