#include "provisioner/egress/usable_proxies.h"

namespace prov::egress {

Result<ProxySettings> ParseUsableProxies(const EgressConfig& config, Findings& findings) {
  Result<ProxySettings> settings = ParseProxySettings(config, findings);
  if (settings) return settings;
  if (settings.error().code != Code::kProxyUrl && settings.error().code != Code::kFailOpen) return settings;
  const Error& error = settings.error();
  return Fail(Code::kFailOpen,
              error.message + "; nothing was written, because clients would go around the proxy without an error",
              error.where);
}

}  // namespace prov::egress
