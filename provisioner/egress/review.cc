#include "provisioner/egress/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/pki/certificate_review.h"

namespace prov::egress {
namespace {

void Append(Findings& out, Findings more) { std::ranges::move(more, std::back_inserter(out)); }

bool IsSet(const std::optional<Secret>& url) { return url && !url->empty(); }

}  // namespace

void ReportDirect(bool http, bool https, std::string where, Findings& findings) {
  if (http == https) return;
  const std::string_view set = http ? "http" : "https";
  const std::string_view direct = http ? "https" : "http";
  AddWarning(
      findings, http ? FindingCode("https-direct") : FindingCode("http-direct"),
      fmt::format("only the proxy for {} is set, and clients do not use it for {}, so all requests over {} go direct; "
                  "set {}_PROXY ({}Proxy), too, to the same URL if the proxy takes both",
                  set, direct, direct, AsciiUpper(direct), direct),
      std::move(where));
}

// Parses each value by itself, so that one malformed URL does not hide faults of the other.
Result<Findings> ReviewProxySettings(const EgressConfig& config) {
  Findings out;
  EgressConfig http, https, no_proxy;
  http.http_proxy = config.http_proxy;
  https.https_proxy = config.https_proxy;
  no_proxy.no_proxy = config.no_proxy;
  for (EgressConfig* one : {&http, &https, &no_proxy}) {
    one->proxy_file.path = config.proxy_file.path;
    const Result<ProxySettings> settings = ParseProxySettings(*one, out);
    const bool fails_open = !settings && settings.error().code == Code::kFailOpen;
    if (!settings && !fails_open && settings.error().code != Code::kProxyUrl) return std::unexpected(settings.error());
    if (!settings) {
      AddError(out, fails_open ? FindingCode("fail-open") : FindingCode("proxy-url"), settings.error().message,
               settings.error().where);
    } else if (settings->no_proxy) {
      Append(out, LintNoProxy(*settings->no_proxy, config.facts, config.proxy_file.path + ": NO_PROXY"));
    }
  }
  ReportDirect(IsSet(config.http_proxy), IsSet(config.https_proxy), config.proxy_file.path, out);
  if (StatesProxy(config) && !HasUrl(config) && !TrimBlanks(config.no_proxy.value_or("")).empty()) {
    AddWarning(out, "no-proxy-alone",
               "NO_PROXY is set and no proxy is, so all requests go direct; set HTTP_PROXY and HTTPS_PROXY, or leave "
               "NO_PROXY out",
               config.proxy_file.path);
  }
  return out;
}

Result<Findings> Review(const EgressConfig& config, const pki::TrustedDigests& trusted, std::int64_t now_unix) {
  Findings out = config.findings;
  Append(out, PROV_TRY(ReviewProxySettings(config)));
  Append(out, pki::ReviewCertificates(config.certificates, now_unix, config.trust_file.path));
  Append(out, pki::ReviewStores(config.certificates, trusted, config.trust_file.path));
  Append(out, pki::ReviewTrust(config.certificates, trusted, config.trust_file.path));
  return out;
}

}  // namespace prov::egress
