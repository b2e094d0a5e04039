// The settings that are really set on a machine or in an image, whoever set them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/node/open_node.h"

namespace prov::node {

// "HTTP_PROXY=http://proxy:3128" for each of the three machine variables that has a text.
Result<std::vector<std::string>> ReadMachineEntries(machine::Registry& registry);
// The value of a variable in such entries, whatever the case of its name; "": unset.
std::string ValueIn(const std::vector<std::string>& entries, std::string_view name);
// The three variables that a process of a service would get if it started in a new boot: Windows merges the service's
// own entries over those of the machine.
std::vector<std::string> StartEntries(const std::vector<std::string>& of_machine, const std::vector<std::string>& own);
// The same of what is set. Without a service, those of the machine.
Result<std::vector<std::string>> ReadStartEntries(machine::Registry& registry, std::string_view service);

// Sets the proxy and NO_PROXY of `config` to those in the entries.
void SetProxy(const std::vector<std::string>& entries, egress::EgressConfig& config);

// The kinds of such settings (SourceInfo::kind): on a running machine, requests trust what the machine trusts.
inline constexpr std::string_view kMachineKind = "machine", kImageKind = "image";

// What containerd would start with, or, without containerd, what the machine variables say; and the certificates that
// are ours and in their stores, in an image with those of its ROOT store; the version of Windows; and containerd's
// config_path, as Windows has it. Findings: present-trust. Errors: those of the ports.
Result<egress::EgressConfig> ReadPresentSettings(OpenNode& node);

}  // namespace prov::node
