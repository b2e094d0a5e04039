// The MachineSets of the Machine API whose new Windows Machines do not get the kept user data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

// What is there while a kept object can't be made current.
enum class KeptHolds { kUnknown, kEarlier, kNothing, kForeign, kMissing };

struct MachineSetFault {
  std::string machine_set;
  std::string message;   // names the Secret that it has, and what to do
  std::string uid = {};  // of the MachineSet; "": the server says none
  // What the Secret that is kept holds, if it is named and not current; nullopt: another one is named.
  std::optional<KeptHolds> ours = {};

  // Whether both say the same of the same MachineSet, maybe in other words.
  bool IsLike(const MachineSetFault& other) const { return machine_set == other.machine_set && ours == other.ours; }
  bool operator==(const MachineSetFault&) const = default;
};

inline constexpr std::string_view kMachineSetVersion = "machine.openshift.io/v1beta1";

// The Secret that is kept.
struct OurSecret {
  source::KubeObject object;
  KeptHolds holds = KeptHolds::kEarlier;
  std::string failure = {};              // why it could not be made current; "": it is, or is about to be
  std::vector<std::string> others = {};  // Secrets of the same namespace that MachineSets may also name
};

// Of the MachineSets for Windows (label machine.openshift.io/os-id of their Machines) in the namespace of `ours`: those
// whose template names none of these Secrets, and while ours can't be made current those that name ours. Errors: those
// of KubeClient; json, type.
Result<std::vector<MachineSetFault>> ReviewMachineSets(source::KubeClient& client, const OurSecret& ours);

}  // namespace prov::controller
