// A layer-4 proxy policy of the Host Networking Service (HNS): redirects TCP traffic of an endpoint to a port of the
// pod's own proxy. Its meaning, and how HNS reads it: docs/hns-proxy.md#the-policy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::hns {

inline constexpr std::string_view kPolicyType = "L4WFPPROXY";  // HNS compares it case-sensitively
inline constexpr std::size_t kMostPolicyBytes = std::size_t{1} << 20U;

// The traffic that a policy applies to. An empty text is "any"; lists are separated by commas.
struct FilterTuple {
  std::string protocols = "6";   // TCP, the only one
  std::string local_addresses;   // IPv4 addresses, networks and ranges
  std::string remote_addresses;  // the same
  std::string local_ports;       // ports and ranges ("80-90")
  std::string remote_ports;      // the same
  std::string priority;          // 0-65535; "" and "0" are left out of the document

  bool operator==(const FilterTuple&) const = default;
};

struct Exceptions {
  std::vector<std::string> addresses;
  std::vector<std::string> ports;

  bool operator==(const Exceptions&) const = default;
};

// A policy as given, with numbers as text. A `Port` of 2019 fills both directions.
struct Policy {
  std::string inbound_port;   // "": not redirected
  std::string outbound_port;  // "": not redirected
  FilterTuple filter;
  std::string user_sid;  // the proxy's account, whose own traffic is exempt; "": none
  Exceptions inbound;
  Exceptions outbound;
  std::string where;           // its place, for messages: "policy.json: $[1].Settings", or "" for the command line
  std::string unknown_plugin;  // the type of the CNI plugin whose configuration has it, unless that reads it there

  bool operator==(const Policy&) const = default;
};

// The policies of a file: one object or a list of them, UTF-8, or UTF-16 with a byte order mark. An object has its
// settings below `Settings` or beside `Type`, with `Port` or with `InboundProxyPort` and `OutboundProxyPort`. It may be
// the entry of a CNI configuration (CniEntryJson), or a whole configuration, whose policies of other types are passed
// over. Errors: json; policy (an unknown member, a wrong JSON type, another type of policy, no policy, an entry that
// azure-vnet would not use as intended, or where the plugin reads none); too-large.
Result<std::vector<Policy>> ReadPolicies(std::string bytes, const std::string& where);

// Normalises a policy: removes blanks around texts and list items, and replaces "tcp" by its number and a known account
// ("system", "network-service", "network-configuration-operators", in any case) by its SID. Leaves other text for
// Validate() to refuse. ReadPolicies() calls it.
void Tidy(Policy& policy);

// Finds faults of policies for HNS, at most 20 of a kind: errors are "policy"; warnings are "redirect-loop",
// "hns-cni", "hns-exception-port" and "hns-exception-network". The place of a finding is the policy's place with the
// member, "policy.json: $.FilterTuple.LocalPorts", or the option of the command line, "--localports".
Findings Validate(std::span<const Policy> policies);
// The warnings of Validate(), or its first error as an Error: policy.
Result<Findings> RequireValid(std::span<const Policy> policies);

// The `Settings` of a policy for HNS: compact JSON, members in the order of HNS' own clients, numbers except Priority
// as strings. Leaves out empty texts and lists; FilterTuple and both exceptions are always there.
std::string SettingsJson(const Policy& policy);
// `{"Type":"L4WFPPROXY","Settings":…}` around settings, which are used byte for byte.
std::string EndpointPolicyJson(std::string_view settings);

enum class CniPlugin { kWinOverlay, kAzureVnet };
// The policy with these settings as an entry of `policies` in a CNI configuration of win-overlay, or of
// `AdditionalArgs` in one of azure-vnet, which has the settings beside the type: docs/hns-proxy.md#the-cni-plugin.
std::string CniEntryJson(CniPlugin plugin, std::string_view settings);

enum class Modification { kAdd, kRemove };
// The document for HcnModifyEndpoint. Each of `settings` is a policy's Settings, used byte for byte: from
// SettingsJson() to add, from HNS (ListedSettings) to remove. Must not be empty.
std::string ModifyRequest(Modification kind, std::span<const std::string> settings);

// The Settings of the policies of type L4WFPPROXY in the answer of HcnQueryEndpointProperties, byte for byte. Ignores
// policies of other types. Errors: hns (another document).
Result<std::vector<std::string>> ListedSettings(std::string_view endpoint_properties, const std::string& where);

// Whether two Settings mean the same. `Port` stands for both directions. Missing, null, "", 0, [] and {} are equal, and
// so are numbers and their text. The order of members and of exceptions does not matter. Unknown members must be equal.
// A text that is not JSON equals only the same bytes.
bool SameSettings(std::string_view first, std::string_view second);
// The normalised text that SameSettings() compares.
std::string CanonicalSettings(std::string_view settings);

}  // namespace prov::hns
