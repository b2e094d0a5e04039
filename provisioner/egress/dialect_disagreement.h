// Findings about a NO_PROXY that the clients of one Windows node read differently.
#pragma once

#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {

// One warning `clients-disagree` for each way in which Go, curl, .NET and WinHTTP, which every node has, disagree about
// a destination that an entry covers: an address in a network, a name, a name below it; and about 127.0.0.1, unless the
// list has "*". Each names up to five entries, counts the others, and gives a remedy. Examines only the first 32,767
// bytes: a Windows variable holds no more, and a longer list could cost an attacker's victim time.
Findings ReviewDisagreements(const NoProxy& list, std::string_view where);

}  // namespace prov::egress
