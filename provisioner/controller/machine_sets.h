// The MachineSets of the Machine API whose new Windows Machines do not get the kept user data.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

struct MachineSetFault {
  std::string machine_set;
  std::string message;  // names the Secret that it has, and what to do

  bool operator==(const MachineSetFault&) const = default;
};

// Of the MachineSets in the namespace of `ours` those for Windows (label machine.openshift.io/os-id of their Machines)
// whose template names another Secret. Errors: those of KubeClient; json, type.
Result<std::vector<MachineSetFault>> ReviewMachineSets(source::KubeClient& client, const source::KubeObject& ours);

}  // namespace prov::controller
