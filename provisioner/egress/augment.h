// NO_PROXY with entries added so that other client stacks read it more as Go does. What Go makes of it stays the same.
#pragma once

#include <string>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {

struct AugmentedNoProxy {
  std::string text;                // the list as given, then the additions; the same text if there is none
  std::vector<std::string> added;  // in order
};

// No destination moves away from Go's answer in another client, but for hosts that end in a number and are no plain
// address, such as 0x7f.1 or a.127.0.0.1: no two clients agree on what these are. Adds, unless the list has them:
//   .foo.com       for foo.com: .NET takes a bare name for that host alone
//   [2001:db8::1]  for 2001:db8::1: .NET and urllib want brackets, Go ignores them
//   10.1.2.3       for 10.1.2.3/32, and both forms of an address for an IPv6 network of one: .NET and urllib ignore
//                  networks
//   127.0.0.1, ::1, [::1]  which Go never proxies, while curl, .NET and Python do
// Not "localhost", which in Go also has the names below it, and nothing for "*.foo.com" or for larger networks: no text
// says these to the others without saying more. An empty list and one with "*" stay as they are: an addition would end
// what they mean. What would make the value longer than a Windows variable can be (32,767 characters with its name) is
// left out.
AugmentedNoProxy Augment(const NoProxy& list);

// The same for a source's settings, as if it had said so; an info finding `no-proxy-augmented` names what was added.
// Errors: no-proxy (control characters).
Result<void> AugmentNoProxy(EgressConfig& config);

}  // namespace prov::egress
