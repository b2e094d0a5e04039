// --this-machine and --root in the place of SOURCE: the settings that are really set there.
#pragma once

#include <string_view>

#include "provisioner/cli/options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/machine/host.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {

// The names of both options, for CommandSpec::instead.
inline constexpr std::string_view kMachineSource = "this-machine root";
OptionGroup MachineSourceOptionSpecs();

// Reads the source, which must be a payload that fits the pin, or what the options name.
// Errors: usage; those of node::ReadSource, Targets::Open and node::ReadPresentSettings.
Result<node::SourceContent> ReadSourceOrMachine(const Arguments& arguments, const source::SourceSpec& spec,
                                                machine::Host& host, const payload::Pin& pin = {});

// Makes paths of this system of `config.hosts_toml`, as node::ReadPresentSettings has it of this target. What has none,
// as in a WIM file, becomes its `unknown`. No link is followed on the way to them. Errors: those of the ports.
Result<void> LocateHostsToml(const Targets::One& one, const TargetOptions& given, node::OpenNode& node,
                             egress::EgressConfig& config);

}  // namespace prov::cli
