// What an answer of HNS means: whether the call failed, with which code, and in which words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/compute_network.h"

namespace prov::hns {

// A call that failed.
struct Refusal {
  std::uint32_t code = 0;
  std::string text;  // HNS' own words; "" where it had none

  // What was to be opened or queried is not there: it may have gone a moment ago, as pods do.
  bool IsMissing() const;
  // The same of what was to be changed. Other codes of that kind may then speak of a policy.
  bool IsEndpointMissing() const;
  // `call` such as "HcnModifyEndpoint"; `where` is whom it was about. An error of code hns.
  Error ToError(std::string_view call, std::string where) const;
};

// nullopt: the call succeeded. An error record makes it a failure whatever the status says.
std::optional<Refusal> RefusalOf(const machine::NetworkAnswer& answer);
// The text of a call that succeeded. Errors: hns.
Result<std::string> TextOf(machine::NetworkAnswer answer, std::string_view call, const std::string& where);

// A list of GUIDs, as HNS enumerates its objects. Errors: hns (it is none).
Result<std::vector<std::string>> ReadIds(std::string_view text, const std::string& where);
// What HNS tells of a namespace.
struct NamespaceProperties {
  std::vector<std::string> endpoints;  // among its resources
  bool is_of_node = false;             // the compartment of the node itself, not of a pod
};
// Errors: hns.
Result<NamespaceProperties> ReadNamespace(std::string_view properties, const std::string& where);

// Whether these are the properties of an endpoint that stands for a pod of another node.
bool IsOfAnotherNode(std::string_view endpoint_properties);

struct Version {
  std::int64_t major = 0;
  std::int64_t minor = 0;

  bool HasProxyPolicies() const { return major > 13 || (major == 13 && minor >= 2); }
  std::string Text() const;  // "13.2"
};
// From what GET /globals/version answers. Errors: hns.
Result<Version> ReadVersion(const machine::NetworkAnswer& answer);

}  // namespace prov::hns
