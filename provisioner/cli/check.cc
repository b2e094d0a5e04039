// `check`: is what a source says valid, and will it do what is meant?
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/review.h"

namespace prov::cli {
namespace {

std::size_t Count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

std::string Json(const Findings& findings, bool valid) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("valid", valid);
  json.Member("errors", Count(findings, Severity::kError)).Member("warnings", Count(findings, Severity::kWarning));
  WriteFindings(json, findings);
  json.Key("probes").BeginArray().EndArray();
  return json.EndObject().Take();
}

std::string Text(const egress::EgressConfig& config, const Findings& findings, bool valid) {
  return fmt::format("{}: {}: {} certificate(s), {} error(s), {} warning(s)\n",
                     Printable(config.source.name.empty() ? config.source.kind : config.source.name),
                     valid ? "valid" : "not valid", config.certificates.size(), Count(findings, Severity::kError),
                     Count(findings, Severity::kWarning));
}

egress::ClusterFacts Facts(const Arguments& arguments, egress::ClusterFacts facts) {
  facts.api_host = arguments.Get("api-host", facts.api_host);
  facts.metadata_address = arguments.Get("metadata-address", facts.metadata_address);
  if (arguments.Has("service-range")) facts.service_ranges = arguments.List("service-range");
  return facts;
}

Result<Outcome> Run(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  egress::EgressConfig config = PROV_TRY(ReadSource(host, arguments)).config;
  config.facts = Facts(arguments, std::move(config.facts));
  Findings findings = PROV_TRY(egress::Review(config, {}, NowUnix()));
  const bool strict = arguments.Has("strict");
  const bool valid = std::ranges::none_of(findings, [&](const Finding& f) {
    return f.severity == Severity::kError || (strict && f.severity == Severity::kWarning);
  });
  const int exit = valid ? 0 : InfoOf(Code::kProxyUrl).exit;
  if (json) return Outcome{exit, Json(findings, valid), {}};
  std::string text = Text(config, findings, valid);
  return Outcome{exit, std::move(text), std::move(findings)};
}

}  // namespace

Command CheckCommand() {
  Command command;
  command.spec = {
      "check",
      "Say whether a source's egress settings are valid and will do what is meant.",
      "SOURCE",
      "Exit 0: valid, perhaps with warnings; 11: an error (with --strict, also a warning).",
      "  $ provisioner check rendered-worker.json --service-range 172.30.0.0/16\n"
      "  warning [no-proxy-service-range]: ... (/etc/mco/proxy.env: NO_PROXY)\n"
      "  rendered-worker-3d1c...: valid: 3 certificate(s), 0 error(s), 1 warning(s)",
      {PoolOption(),
       NameOption(),
       {"strict", "", "a warning makes the source invalid, too"},
       {"api-host", "HOST",
        "the cluster's internal API host, which NO_PROXY should hold (default: as the source tells)"},
       {"service-range", "CIDR", "a service network that NO_PROXY should hold; may be repeated"},
       {"metadata-address", "IP", "the cloud's metadata address, which NO_PROXY should hold, e.g. 169.254.169.254"},
       OutputOption(),
       HelpOption()}};
  AddRemoteOptions(command.spec);
  command.run = Run;
  return command;
}

}  // namespace prov::cli
