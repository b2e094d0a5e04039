// The settings that are really set on a machine or in an image, whoever set them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
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

// What such a service has for containerd alone, without the prefix; none for services that do not start containerd.
// An empty value counts: containerd then has none. Errors: those of the port.
Result<std::vector<std::string>> ReadEntriesForContainerd(machine::Registry& registry, std::string_view service);
// That such entries give containerd other values than `start`, with which the service starts (containerd-own-proxy);
// nullopt: they do not, or `start` is empty, so that the proxy is meant for containerd alone.
std::optional<Finding> ReviewEntriesForContainerd(const std::string& service, const std::vector<std::string>& start,
                                                  const std::vector<std::string>& for_containerd);

// Sets the proxy and NO_PROXY of `config` to those in the entries.
void SetProxy(const std::vector<std::string>& entries, egress::EgressConfig& config);

// The kinds of such settings (SourceInfo::kind): on a running machine, requests trust what the machine trusts.
inline constexpr std::string_view kMachineKind = "machine", kImageKind = "image";

// What containerd would start with, by its service or that of RKE2 or k0s, or, without any, what the machine variables
// say; and the certificates that are ours and in their stores, in an image with those of its ROOT store; the version of
// Windows; and the config_path of the service containerd, as Windows has it. Findings: present-trust. Errors: those of
// the ports.
Result<egress::EgressConfig> ReadPresentSettings(OpenNode& node);

}  // namespace prov::node
