// What the header lines of answers say about a proxy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prov::net {

class ProxyAnswer {
 public:
  // A line of a response's head, its status line first; of all responses of a transfer, in their order.
  void AddLine(std::string_view line);

  // The values of Proxy-Authenticate of the newest response that had some. At most 16, of at most 1 KiB each.
  const std::vector<std::string>& challenges() const { return challenges_; }
  // Squid's name for why the newest response is an error of its own ("ERR_DNS_FAIL"); "": it isn't, or is not squid's.
  const std::string& reason() const { return reason_; }

 private:
  std::vector<std::string> challenges_;
  bool challenges_are_old_ = false;  // of a response before the newest
  std::string reason_;
};

}  // namespace prov::net
