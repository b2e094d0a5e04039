// Where the clients of one Windows node read the same NO_PROXY differently, in a few findings.
#pragma once

#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {

// One warning `clients-disagree` for each way in which Go, curl, .NET and WinHTTP, which every node has, disagree about
// a destination that an entry is about: an address in a network, a name, a name below it; and about 127.0.0.1, unless
// the list has "*". Each names up to five entries and counts the others, and says what can be done. Only the first
// 32,767 bytes are looked at: no variable of Windows holds more, and a list may be long to cost time.
Findings ReviewDisagreements(const NoProxy& list, std::string_view where);

}  // namespace prov::egress
