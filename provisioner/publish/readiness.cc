#include "provisioner/publish/readiness.h"

#include <fmt/format.h>

#include "provisioner/publish/request_uri.h"

namespace prov::publish {
namespace {

constexpr int kTries = 3;
constexpr std::int64_t kBetweenTries = 1000;  // milliseconds
constexpr std::size_t kMostEndpoints = 20;

void TryOnce(const net::HttpRequest& request, net::Http& http, Probe& probe) {
  ++probe.tries;
  const Result<int> answer = http.Get(request);
  if (!answer) {
    probe.status = 0;
    probe.error = fmt::format("endpoint probe failed for endpoint '{}' using proxy '{}': {}", probe.url, probe.via,
                              answer.error().message);
    return;
  }
  probe.status = *answer;
  probe.ok = *answer >= 200 && *answer < 400;
  // The operator's message ends with this blank.
  probe.error = probe.ok ? std::string()
                         : fmt::format("endpoint probe failed with statuscode '{}' for endpoint '{}' using proxy '{}' ",
                                       *answer, probe.url, probe.via);
}

Probe ProbeOne(const ProxySpec& spec, const std::string& endpoint, const std::vector<std::string>& roots,
               const ProbePorts& ports) {
  const Secret& proxy = ProxyFor(spec.values, CheckUri(endpoint).value_or(""));
  Probe probe{.url = ShownUri(endpoint), .via = ShownUri(proxy.Reveal()), .error = {}};
  const net::HttpRequest request{.url = endpoint, .proxy_url = proxy, .roots = roots};
  TryOnce(request, ports.http, probe);
  while (!probe.ok && probe.tries < kTries && ports.clock.Wait(kBetweenTries)) TryOnce(request, ports.http, probe);
  return probe;
}

}  // namespace

std::vector<Probe> ProbeReadiness(const ProxySpec& spec, std::span<const pki::Certificate> roots,
                                  const ProbePorts& ports) {
  std::vector<std::string> trusted;
  trusted.reserve(roots.size());
  for (const pki::Certificate& root : roots) trusted.push_back(root.der);
  std::vector<Probe> out;
  for (const std::string& endpoint : spec.readiness_endpoints) {
    if (out.size() == kMostEndpoints) break;
    out.push_back(ProbeOne(spec, endpoint, trusted, ports));
    if (!out.back().ok) break;
  }
  return out;
}

}  // namespace prov::publish
