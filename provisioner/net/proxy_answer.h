// Reads what a proxy's answers say: which authentication it requires, why it refuses, and the remedy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prov::net {

// Collects the header lines of answers.
class ProxyAnswer {
 public:
  // Adds a line of a response's header, beginning with the status line; for all responses of a transfer, in order.
  void AddLine(std::string_view line);

  // The values of Proxy-Authenticate in the newest response with any. At most 16, of at most 1 KiB each.
  const std::vector<std::string>& challenges() const { return challenges_; }
  // Squid's name for its own error in the newest response ("ERR_DNS_FAIL"); "": it is no such error, or not squid.
  const std::string& reason() const { return reason_; }

 private:
  std::vector<std::string> challenges_;
  bool challenges_are_old_ = false;  // from a response before the newest
  std::string reason_;
};

// The authentication schemes in Proxy-Authenticate headers ("basic", "digest", "negotiate", ...): in lower case, in
// order, each once, at most 16. A header may hold several. Leaves out what is not a token.
std::vector<std::string> AuthenticationSchemes(std::span<const std::string> header_values);

// The sentence for a 407: what the proxy requires, and the remedy. `credentials`: the proxy's URL has some, which the
// proxy refused.
std::string ExplainChallenge(const std::string& proxy, std::span<const std::string> schemes, bool credentials);

// "" or a warning about programs that can't authenticate with these schemes. libcurl supports Digest; Go's clients
// support only Basic.
std::string ReviewSchemesForGo(const std::string& proxy, std::span<const std::string> schemes);

}  // namespace prov::net
