#include "provisioner/node/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/net/http_failure.h"
#include "provisioner/net/http_status.h"
#include "provisioner/node/present_settings.h"

namespace prov::node {
namespace {

constexpr int kTries = 3;
constexpr std::int64_t kBetweenTries = 1000;  // milliseconds

// Makes the requests of one run.
class Prober {
 public:
  Prober(net::Http& http, Clock& clock, const egress::EgressConfig& config, const ProbeOptions& options,
         Findings& findings)
      : http_(http),
        clock_(clock),
        config_(config),
        options_(options),
        end_(clock.NowUnix() + options.total_seconds),
        findings_(findings),
        of_machine_(config.source.kind == kMachineKind || config.source.kind == kImageKind) {
    if (config.source.kind == kMachineKind) return;  // the requests trust what it trusts
    roots_ = egress::RootsOf(config, options.trusted);
    if (!roots_.empty()) return;
    AddInfo(
        findings_, "probe-trust",
        fmt::format("{} has no certificates: the probes trust what this machine trusts, and a node may trust others",
                    of_machine_ ? "the ROOT store of the image" : "the source"));
  }

  Result<Probed> Run(const std::string& url) {
    egress::RequestWay way = PROV_TRY(egress::WayOf(config_, url));
    net::HttpRequest request;
    request.url = url;
    request.roots = roots_;
    request.up_to_roots = true;
    request.of_machine = of_machine_;
    request.proxy_url = std::move(way.proxy_url);
    return Request(request, way);
  }

 private:
  Probed Request(net::HttpRequest& request, const egress::RequestWay& way) {
    Probed out;
    out.url = egress::RedactUrl(request.url);
    out.via = way.Via();
    if (way.decision.route == egress::Route::kInvalid) {
      out.error = Error{Code::kProxyUrl, way.decision.note, out.url};
      return out;
    }
    net::HttpNotes notes;
    request.notes = &notes;
    bool again = true;
    while (again) again = Try(request, out) && out.tries < kTries && clock_.Wait(kBetweenTries);
    request.notes = nullptr;  // `notes` goes out of scope
    return out;
  }

  // Makes one request. Returns whether another try may succeed.
  bool Try(net::HttpRequest& request, Probed& out) {
    const std::int64_t now = clock_.NowUnix();
    if (now >= end_) {
      if (out.tries == 0) {
        out.error = Error{Code::kNetwork,
                          fmt::format("was not requested: the probes before it took the {} seconds that there are for "
                                      "all of them",
                                      options_.total_seconds),
                          out.url};
      }
      return false;
    }
    net::HttpNotes& notes = *request.notes;
    notes = {};
    request.timeout_seconds = static_cast<int>(std::min<std::int64_t>(options_.timeout_seconds, end_ - now));
    ++out.tries;
    const Result<int> answer = http_.Get(request);
    out.status = answer ? std::optional(*answer) : std::nullopt;
    out.error.reset();
    if (!answer) out.error = answer.error();
    if (answer && *answer >= net::http_status::kBadRequest) {
      out.error = Error{Code::kNetwork, net::ExplainStatus(*answer), out.url};
    }
    if (out.ok()) std::ranges::move(notes.findings, std::back_inserter(findings_));
    return !out.ok() && notes.is_temporary;
  }

  net::Http& http_;
  Clock& clock_;
  const egress::EgressConfig& config_;
  std::vector<std::string> roots_;
  ProbeOptions options_;
  std::int64_t end_;
  Findings& findings_;
  bool of_machine_;  // the settings are those that are set there, not those of a source
};

}  // namespace

Result<void> CheckProbeUrls(const std::vector<std::string>& urls) {
  for (const std::string& url : urls) {
    auto target = egress::ParseRequestTarget(url);
    const std::string where = "--probe " + egress::RedactUrl(url);
    if (!target) return Fail(target.error().code, std::move(target.error().message), where);
    if (target->scheme != "http" && target->scheme != "https") {
      return Fail(Code::kUsage, "a probe's URL starts with http:// or https://", where);
    }
    const std::size_t at = url.find('@');
    if (at != std::string::npos && at < url.find_first_of("/?#", url.find("://") + 3)) {
      return Fail(Code::kUsage,
                  "a probe's URL has no credentials, which a log or another process may see: leave them out, and probe "
                  "a URL that needs none",
                  where);
    }
  }
  return {};
}

Result<std::vector<Probed>> Probe(net::Http& http, Clock& clock, const egress::EgressConfig& config,
                                  const std::vector<std::string>& urls, const ProbeOptions& options,
                                  Findings& findings) {
  std::vector<Probed> out;
  if (urls.empty()) return out;
  PROV_TRY(CheckProbeUrls(urls));
  Prober prober(http, clock, config, options, findings);
  for (const std::string& url : urls) out.push_back(PROV_TRY(prober.Run(url)));
  return out;
}

Result<void> ProbeAll(machine::Host& host, const egress::EgressConfig& config, const std::vector<std::string>& urls,
                      const ProbeOptions& options, Findings& findings) {
  if (urls.empty()) return {};
  PROV_TRY(CheckProbeUrls(urls));
  Prober prober(host.http(), host.clock(), config, options, findings);
  for (const std::string& url : urls) {
    const Probed probed = PROV_TRY(prober.Run(url));
    if (!probed.ok()) return std::unexpected(*probed.error);
    AddInfo(findings, "probe",
            fmt::format("answered with status {}, {}", *probed.status,
                        probed.via == "direct" ? probed.via : "through the proxy " + probed.via),
            probed.url);
  }
  return {};
}

}  // namespace prov::node
