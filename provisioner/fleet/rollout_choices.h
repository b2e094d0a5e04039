// What a person decides about a rollout: the options of `fleet rollout`, and the keys of the ConfigMap with which a
// controller runs one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/fleet/rollout_plan.h"
#include "provisioner/node/approval.h"

namespace prov::fleet {

// In the namespace of the fleet's pods. While it is there, a controller with --approval runs rollouts.
inline constexpr std::string_view kRolloutConfigMap = "egress-provisioner-rollout";

// The values that were given, by the name of the choice, such as "canary". Only "probe" and "image" may have several.
using RolloutWords = std::map<std::string, std::vector<std::string>, std::less<>>;

struct RolloutChoices {
  RolloutOrder order;       // without digests
  node::Approval approval;  // the same
  bool any_given = false;   // not only defaults
};

// `place` says where a choice was given, such as "--canary". Errors: usage (also a name that is none); image-reference.
Result<RolloutChoices> ParseRolloutChoices(const RolloutWords& words,
                                           const std::function<std::string(std::string_view name)>& place);

// The data of a ConfigMap, an object of the API as JSON; each line of `probe` and `image` is a value. Errors: json,
// type; those of ParseRolloutChoices.
Result<RolloutChoices> ParseRolloutConfigMap(const std::string& body, const std::string& where);

}  // namespace prov::fleet
