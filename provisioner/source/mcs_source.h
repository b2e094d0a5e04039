// mcs://HOST[:PORT][/POOL]: a cluster's Machine Config Server. Facts:
// docs/openshift.md#machine-config-server.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/source/remote_request.h"

namespace prov::source {

inline constexpr std::string_view kMcsScheme = "mcs://";

// The Accept header for the newest spec of this major version that the server has. Without the header, or with an
// unknown version, the server sends 2.2.0 or refuses.
std::string AcceptOf(unsigned spec_major);

// The request for the pool (port 22623 and `default_pool` if the URI has none). The server's CA is its own, so only
// `roots` are trusted. Errors: scheme (the URI), usage (no roots).
Result<RemoteRequest> McsRequest(const std::string& uri, const std::string& default_pool,
                                 std::vector<std::string> roots);

// Checks that the answer comes from a Machine Config Server. Errors: kind if its type is not JSON.
Result<void> CheckMcsAnswer(const net::FetchAnswer& answer, const std::string& where);

}  // namespace prov::source
