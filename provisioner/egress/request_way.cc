#include "provisioner/egress/request_way.h"

namespace prov::egress {

std::string RequestWay::Via() const { return decision.route == Route::kDirect ? "direct" : decision.proxy; }

Result<RequestWay> WayOf(const EgressConfig& config, const std::string& url) {
  const Secret http = config.http_proxy.value_or(Secret());
  const Secret https = config.https_proxy.value_or(Secret());
  RequestWay out{PROV_TRY(Decide(http, https, config.no_proxy.value_or(""), url)), {}};
  if (out.decision.route == Route::kProxy)
    out.proxy_url = PROV_TRY(ParseRequestTarget(url)).scheme == "https" ? https : http;
  return out;
}

std::vector<std::string> RootsOf(const EgressConfig& config, const pki::TrustedDigests& trusted) {
  std::vector<std::string> out;
  for (const pki::Certificate& certificate : config.certificates) {
    if (pki::WhyUntrusted(certificate, trusted).empty()) out.push_back(certificate.der);
  }
  return out;
}

}  // namespace prov::egress
