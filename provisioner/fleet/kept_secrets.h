// The Secrets with user data for new machines that controllers keep in a cluster, or should: what each reports, and
// whether it is current.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/fleet/nodes.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// The label app.kubernetes.io/name of a controller's Deployment.
inline constexpr std::string_view kControllerName = "egress-provisioner-controller";
// A controller says once in an hour that it has read its source (ObjectKeeper::kHeartbeatSeconds).
inline constexpr std::int64_t kSilentSeconds = 7200;

struct KeptSecret {
  FleetNode reported;  // damage: also why it is not there, or not the controller's
  std::string source;  // of its controller, as its Deployment has it; "": no Deployment names this Secret
  std::string idle;    // "NAMESPACE/NAME" of that Deployment, if none of its pods is available
};

// By namespace and name: those with the label source::kKeepsLabel, and those that a Deployment's args name, which may
// be missing. Who may not list Secrets gets only those of Deployments that are idle. What could not be looked at is a
// finding: fleet-secrets.
std::vector<KeptSecret> ReadKeptSecrets(source::KubeClient& client, Findings& findings);

// Whether what the Secret reports is a statement about now: a controller runs, as far as this is known, and has made it
// lately. If not, adds a finding: fleet-secret-silent. After controller --once, where no Deployment keeps the Secret,
// nobody promised to, so an old statement is an info alone.
bool IsKept(const KeptSecret& secret, std::int64_t now, Findings& findings);

}  // namespace prov::fleet
