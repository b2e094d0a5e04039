// What a proxy's answers say about it: which authentication it requires, why it refuses, and what to do about that.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prov::net {

// Reads the header lines of answers.
class ProxyAnswer {
 public:
  // A line of a response's head, its status line first; of all responses of a transfer, in their order.
  void AddLine(std::string_view line);

  // The values of Proxy-Authenticate in the newest response that had any. At most 16, of at most 1 KiB each.
  const std::vector<std::string>& challenges() const { return challenges_; }
  // Squid's name for why the newest response is an error of its own ("ERR_DNS_FAIL"); "": it isn't, or is not squid's.
  const std::string& reason() const { return reason_; }

 private:
  std::vector<std::string> challenges_;
  bool challenges_are_old_ = false;  // of a response before the newest
  std::string reason_;
};

// The authentication schemes that Proxy-Authenticate headers offer ("basic", "digest", "negotiate", ...): in lower
// case, in their order, each once, at most 16. A header may hold several; what is no token is left out.
std::vector<std::string> AuthenticationSchemes(std::span<const std::string> header_values);

// The sentence for a 407: what the proxy wants, and what to do about it. `credentials`: the proxy's URL has some, which
// did not do.
std::string ExplainChallenge(const std::string& proxy, std::span<const std::string> schemes, bool credentials);

// "" or a warning about programs that can't authenticate with these schemes. libcurl knows Digest, Go's clients know
// Basic only.
std::string ReviewSchemesForGo(const std::string& proxy, std::span<const std::string> schemes);

}  // namespace prov::net
