// The meaning of an answer of HNS: whether the call failed, with which code, and with which text.
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

  // The object that was to be opened or queried does not exist: it may have just been deleted, as pods come and go.
  bool IsMissing() const;
  // The same for an object that was to be changed. Other codes of that kind may then concern a policy.
  bool IsEndpointMissing() const;
  // `call` is a name such as "HcnModifyEndpoint"; `where` is the object of the call. Returns an error with the code
  // hns.
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

// Whether these are the properties of an endpoint that represents a pod of another node.
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
