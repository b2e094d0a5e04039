// mcs://HOST[:PORT][/POOL]: a cluster's Machine Config Server. Facts:
// docs/openshift.md#machine-config-server.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/source/remote_request.h"

namespace prov::source {

inline constexpr std::string_view kMcsScheme = "mcs://";

// The Accept header that gets a config of the newest spec with this major
// version that a server has: without it, or with a version that the server does
// not know, it serves 2.2.0 or refuses.
std::string AcceptOf(unsigned spec_major);

// What to ask the server for the pool (port 22623 and `default_pool` where the
// URI has none). It is known by `roots` only: it has a CA of its own. Errors:
// scheme (the URI), usage (no roots).
Result<RemoteRequest> McsRequest(const std::string& uri, const std::string& default_pool,
                                 std::vector<std::string> roots);

// Whether the answer is of a Machine Config Server: kind, where it says that it
// is something else than JSON.
Result<void> CheckMcsAnswer(const net::FetchAnswer& answer, const std::string& where);

}  // namespace prov::source
