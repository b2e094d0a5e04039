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
// The three variables that a process of the service would get if it started in a new boot: Windows merges the service's
// own value over those of the machine. Without a service, those of the machine.
Result<std::vector<std::string>> ReadStartEntries(machine::Registry& registry, std::string_view service);

// Sets the proxy and NO_PROXY of `config` to those in the entries.
void SetProxy(const std::vector<std::string>& entries, egress::EgressConfig& config);

// These entries and the certificates that are ours and in their stores, as a config. Without any of ours, the
// certificates are those of an image's ROOT store, or none on a running machine, whose requests trust its own store
// anyway. Findings: present-trust. Errors: those of the ports.
Result<egress::EgressConfig> ReadPresentSettings(OpenNode& node, std::string_view service = {});

}  // namespace prov::node
