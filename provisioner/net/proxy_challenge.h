// What a proxy that answers 407 wants, and what to do about it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace prov::net {

// The authentication schemes that Proxy-Authenticate headers offer ("basic", "digest", "negotiate", ...): in lower
// case, in their order, each once, at most 16. A header may hold several; what is no token is left out.
std::vector<std::string> AuthenticationSchemes(std::span<const std::string> header_values);

// The sentence for a 407. `credentials`: the proxy's URL has some, which did not do.
std::string ExplainChallenge(const std::string& proxy, std::span<const std::string> schemes, bool credentials);

// What programs make of a proxy whose credentials were taken by these schemes: "" or a warning. libcurl knows Digest,
// Go's clients know Basic only.
std::string ReviewSchemesForGo(const std::string& proxy, std::span<const std::string> schemes);

}  // namespace prov::net
