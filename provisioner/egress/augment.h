// Adds entries to NO_PROXY so that other client stacks read it more as Go does. Its meaning to Go does not change.
#pragma once

#include <string>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {

struct AugmentedNoProxy {
  std::string text;                // the list as given, then the additions; unchanged if there are none
  std::vector<std::string> added;  // in order
};

// In no client does a destination move away from Go's answer, except hosts that end in a number and are not plain
// addresses, such as 0x7f.1 or a.127.0.0.1: no two clients agree on these. Adds, unless the list has them:
//   .foo.com       for foo.com: .NET takes a bare name for that host alone
//   [2001:db8::1]  for 2001:db8::1: .NET and urllib want brackets, Go ignores them
//   10.1.2.3       for 10.1.2.3/32, and both forms of an address for an IPv6 network of one: .NET and urllib ignore
//                  networks
//   127.0.0.1, ::1, [::1]  which Go never proxies, while curl, .NET and Python do
// Not added: "localhost", which in Go includes the names below it, and anything for "*.foo.com" or for larger networks,
// because no entry expresses these in the other clients without matching more. An empty list and one with "*" stay as
// they are, because an addition would change their meaning. Additions that would make the value longer than a Windows
// variable can be (32,767 characters with its name) are left out.
AugmentedNoProxy Augment(const NoProxy& list);

// The same for the settings of a source; an info finding `no-proxy-augmented` names what was added.
// Errors: no-proxy (control characters).
Result<void> AugmentNoProxy(EgressConfig& config);

}  // namespace prov::egress
