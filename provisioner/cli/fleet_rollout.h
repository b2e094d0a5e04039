// `fleet rollout`, `fleet hold` and `fleet resume`.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/controller/rollout_keeper.h"
#include "provisioner/fleet/rollout_plan.h"
#include "provisioner/node/settings.h"

namespace prov::cli {

// Those of `fleet rollout`, of which `fleet reboot` has two.
OptionGroup RolloutOptionSpecs();

// --namespace of the fleet's pods. Errors: usage.
Result<std::string> FleetNamespace(const Arguments& arguments);

// "open: wave 2, 3 confirmed, 36 waiting".
std::string RolloutLine(const fleet::RolloutProgress& progress,
                        const std::map<fleet::RolloutStanding, std::size_t>& counts);

// The settings of a rollout, as the nodes would read them, refused where `bake` would refuse them. Errors: those of
// ReadSettings, Derive, GuardAgainstUnreadTrust, GuardAgainstEmpty and Review.
Result<controller::RolloutSettings> ReadRolloutSettings(machine::Host& host, const node::SettingsSpec& spec);

// How far a rollout is, in one line; as the object that `fleet rollout` prints.
std::string RolloutStepLine(const controller::RolloutView& view);
std::string RolloutStepJson(const controller::RolloutView& view);

// `word`: one of the three; `cluster`: kube://. Errors: usage; those of reading the source and of
// controller::RunRollout.
Result<Outcome> RunFleetRollout(const Arguments& arguments, machine::Host& host, const std::string& word,
                                const std::string& cluster);

}  // namespace prov::cli
