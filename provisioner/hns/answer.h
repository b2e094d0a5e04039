// Interprets the answers of HNS: whether a call failed, its code, and its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/compute_network.h"

namespace prov::hns {

// The code of a call that HNS says it did, and those with which it refuses to open an endpoint, or any other object,
// that does not exist.
inline constexpr std::uint32_t kDone = 0;
inline constexpr std::uint32_t kEndpointMissing = 0x803B0002U;
inline constexpr std::uint32_t kNotFound = 0x80070490U;  // ERROR_NOT_FOUND
// A code as messages show it: "0x803b0002".
std::string CodeText(std::uint32_t code);

// A call that failed.
struct Refusal {
  std::uint32_t code = 0;
  std::string text;  // HNS' own message; "" if there is none

  // Whether the object to be opened or queried does not exist. It may have just been deleted, because pods come and go.
  bool IsMissing() const;
  // The same for the endpoint to be changed. Other such codes may then refer to a policy.
  bool IsEndpointMissing() const;
  // The error of a call, with the code hns. `call` is a name such as "HcnModifyEndpoint"; `where` is the object of the
  // call.
  Error ToError(std::string_view call, std::string where) const;
};

// nullopt: the call succeeded. With an error record it failed, whatever the status is.
std::optional<Refusal> RefusalOf(const machine::NetworkAnswer& answer);
// The text of a successful call. Errors: hns.
Result<std::string> TextOf(machine::NetworkAnswer answer, std::string_view call, const std::string& where);

// A list of GUIDs, in which HNS enumerates its objects. Errors: hns (another document).
Result<std::vector<std::string>> ReadIds(std::string_view text, const std::string& where);
// The properties of a namespace.
struct NamespaceProperties {
  std::vector<std::string> endpoints;  // among its resources
  bool is_of_node = false;             // the node's own compartment, not that of a pod
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
// Parses the answer to GET /globals/version. Errors: hns.
Result<Version> ReadVersion(const machine::NetworkAnswer& answer);

}  // namespace prov::hns
