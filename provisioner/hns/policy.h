// A layer-4 proxy policy of the Host Networking Service (HNS): which TCP traffic of an endpoint goes to which port of
// the pod's own proxy. What it means and how HNS takes it: docs/hns-proxy.md#the-policy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::hns {

inline constexpr std::string_view kPolicyType = "L4WFPPROXY";  // HNS compares it letter by letter
inline constexpr std::size_t kMostPolicyBytes = std::size_t{1} << 20U;

// Which traffic a policy applies to. An empty text is "any"; lists are separated by commas.
struct FilterTuple {
  std::string protocols = "6";   // TCP, the only one
  std::string local_addresses;   // IPv4 addresses, networks and ranges
  std::string remote_addresses;  // the same
  std::string local_ports;       // ports and ranges ("80-90")
  std::string remote_ports;      // the same
  std::string priority;          // 0-65535; "" and "0" are not sent

  bool operator==(const FilterTuple&) const = default;
};

struct Exceptions {
  std::vector<std::string> addresses;
  std::vector<std::string> ports;

  bool operator==(const Exceptions&) const = default;
};

// One policy as it was given, with numbers as text. A `Port` of 2019 is both directions here.
struct Policy {
  std::string inbound_port;   // "": that direction isn't redirected
  std::string outbound_port;  // the same
  FilterTuple filter;
  std::string user_sid;  // the account of the proxy, whose own traffic is exempt; "" = nobody's
  Exceptions inbound;
  Exceptions outbound;
  std::string where;  // its place, for messages: "policy.json: $[1].Settings", or "" for the command line

  bool operator==(const Policy&) const = default;
};

// The policies of a file: one object or a list of them, UTF-8 or UTF-16 with a byte order mark. An object has its
// settings below `Settings` or beside `Type`, with `Port` or with `InboundProxyPort` and `OutboundProxyPort`. Errors:
// json; policy (an unknown member, a wrong JSON type, another type of policy, none at all); too-large.
Result<std::vector<Policy>> ReadPolicies(std::string bytes, const std::string& where);

// Blanks around texts and between the items of lists go, "tcp" becomes its number and the name of a known account
// ("system", "network-service", "network-configuration-operators", in any case) its SID. Anything else stays as it is,
// for Validate() to refuse. ReadPolicies() has done it.
void Tidy(Policy& policy);

// What is wrong with policies that shall go to HNS, at most 20 of a kind: errors are "policy"; warnings are
// "redirect-loop", "hns-exception-port" and "hns-exception-network". The place of a finding is the policy's and the
// member, "policy.json: $.FilterTuple.LocalPorts", or the option of the command line, "--localports".
Findings Validate(std::span<const Policy> policies);
// The warnings of Validate(), or its first error as an Error: policy.
Result<Findings> RequireValid(std::span<const Policy> policies);

// The `Settings` of a policy as HNS gets them: compact JSON, members in the order in which HNS' own clients write them,
// numbers but Priority as strings; empty texts and lists are left out, FilterTuple and both exceptions are always
// there.
std::string SettingsJson(const Policy& policy);
// `{"Type":"L4WFPPROXY","Settings":…}` around settings, which are taken byte for byte.
std::string EndpointPolicyJson(std::string_view settings);

enum class Modification { kAdd, kRemove };
// The document for HcnModifyEndpoint. Each of `settings` is a policy's Settings, taken byte for byte: SettingsJson() to
// add, what HNS told (ListedSettings) to remove. There must be one at least: HNS isn't asked to remove nothing.
std::string ModifyRequest(Modification kind, std::span<const std::string> settings);

// The Settings of the policies of type L4WFPPROXY in the answer of HcnQueryEndpointProperties, each byte for byte;
// policies of other types are not ours. Errors: hns (not such a document).
Result<std::vector<std::string>> ListedSettings(std::string_view endpoint_properties, const std::string& where);

// Whether two Settings mean the same. `Port` stands for both directions. Missing, null, "", 0, [] and {} are the same.
// Numbers and their text are the same. The order of members and of exceptions does not matter. Members that this
// program does not know must be equal. A text that is not JSON equals only the same bytes.
bool SameSettings(std::string_view first, std::string_view second);
// The text by which SameSettings() compares.
std::string CanonicalSettings(std::string_view settings);

}  // namespace prov::hns
