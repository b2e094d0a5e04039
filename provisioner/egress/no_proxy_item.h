// One item of a noProxy list as the systems take it that publish such lists. Facts:
// docs/openshift.md#proxy-status, docs/egress-systems.md#aks-httpproxyconfig.
#pragma once

#include <string_view>

namespace prov::egress {

// As OpenShift's network operator takes it: a DNS name in lower case (a dot in front and one behind are allowed), an
// address or a network. AKS documents the same.
bool IsNoProxyItem(std::string_view item);

// An IP address or a network in CIDR notation.
bool IsAddressOrRange(std::string_view text);

}  // namespace prov::egress
