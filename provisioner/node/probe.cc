#include "provisioner/node/probe.h"

#include <fmt/format.h>

#include "provisioner/egress/decision.h"

namespace prov::node {
namespace {

constexpr int kTries = 3;
constexpr std::int64_t kBetweenTries = 1000;  // milliseconds
constexpr int kFirstBadStatus = 400;

Result<machine::HttpRequest> RequestFor(const egress::EgressConfig& config, const std::string& url) {
  const Secret http = config.http_proxy.value_or(Secret());
  const Secret https = config.https_proxy.value_or(Secret());
  const egress::Decision decision = PROV_TRY(egress::Decide(http, https, config.no_proxy.value_or(""), url));
  if (decision.route == egress::Route::kInvalid) return Fail(Code::kProxyUrl, decision.note, url);
  machine::HttpRequest out{.url = url, .proxy_url = {}, .roots = {}};
  if (decision.route == egress::Route::kProxy) out.proxy_url = url.starts_with("https:") ? https : http;
  for (const egress::Certificate& certificate : config.certificates) out.roots.push_back(certificate.der);
  return out;
}

Result<int> GetOnce(machine::Http& http, const machine::HttpRequest& request) {
  const int status = PROV_TRY(http.Get(request));
  if (status < kFirstBadStatus) return status;
  return Fail(Code::kNetwork,
              fmt::format("the answer has status {}{}", status,
                          status == 407 ? ": the proxy wants other credentials than those in its URL" : ""),
              request.url);
}

Result<int> Get(machine::Host& host, const machine::HttpRequest& request) {
  Result<int> answer = GetOnce(host.http(), request);
  for (int i = 1; i < kTries && !answer; ++i) {
    if (!host.clock().Wait(kBetweenTries)) break;
    answer = GetOnce(host.http(), request);
  }
  return answer;
}

enum class TrialState { kWaiting, kConfirmed, kTakenBack };

Result<TrialState> Look(machine::Host& host, const Applied& tried) {
  const auto open = PROV_TRY(host.Open(machine::Access::kRead));
  machine::Machine machine = open->Ports();
  const auto journal = PROV_TRY(reconcile::LoadJournal(machine.state));
  if (journal && journal->trial) return TrialState::kWaiting;
  const auto applied = PROV_TRY(LoadApplied(machine.state));
  return applied && applied->digest == tried.digest ? TrialState::kConfirmed : TrialState::kTakenBack;
}

Result<std::optional<Trial>> OpenTrial(machine::Host& host) {
  const auto open = PROV_TRY(host.Open(machine::Access::kRead));
  return LoadTrial(open->Ports().state);
}

}  // namespace

Result<void> ProbeAll(machine::Host& host, const egress::EgressConfig& config, const std::vector<std::string>& urls,
                      Findings& findings) {
  for (const std::string& url : urls) {
    const machine::HttpRequest request = PROV_TRY(RequestFor(config, url));
    const int status = PROV_TRY(Get(host, request));
    AddInfo(
        findings, "probe",
        fmt::format("answered with status {}{}", status, request.proxy_url ? " through the proxy" : " without a proxy"),
        url);
  }
  return {};
}

Result<bool> AwaitConfirmation(machine::Host& host, std::int64_t seconds) {
  const auto trial = PROV_TRY(OpenTrial(host));
  if (!trial) return false;
  const std::int64_t end = host.clock().NowUnix() + seconds;
  while (true) {
    const TrialState state = PROV_TRY(Look(host, trial->applied));
    if (state != TrialState::kWaiting) return state == TrialState::kConfirmed;
    if (host.clock().NowUnix() >= end || !host.clock().Wait(1000)) return false;
  }
}

}  // namespace prov::node
