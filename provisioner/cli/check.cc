// `check`: checks whether a source is valid, and whether it works as intended.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/check_image.h"
#include "provisioner/cli/check_secret.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/machine_source.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/egress/dialect_disagreement.h"
#include "provisioner/egress/review.h"
#include "provisioner/egress/win_http_bypass.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/payload/node_files.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kProbeTimeout = 10;
constexpr std::int64_t kLongestProbeTimeout = 600;
// All probes together have at least this many timeouts: the number that fits into two minutes by default.
constexpr std::int64_t kProbeTimeouts = 12;

// `"probes": [{"url","via","ok","status","error",...}]` as a member of the open object.
void WriteProbes(JsonWriter& json, const std::vector<node::Probed>& probes) {
  json.Key("probes").BeginArray();
  for (const node::Probed& probe : probes) {
    json.BeginObject().Member("url", probe.url).Member("via", probe.via).Member("ok", probe.ok());
    json.Member("status", probe.status).Key("error");
    if (probe.error) {
      json.String(probe.error->message).Member("code", InfoOf(probe.error->code).name);
    } else {
      json.Null();
    }
    json.Member("tries", probe.tries).EndObject();
  }
  json.EndArray();
}

// One line for each probe, and one more for each failure, safe for a terminal.
std::string ProbeText(const std::vector<node::Probed>& probes) {
  std::string out;
  for (const node::Probed& probe : probes) {
    const std::string way = probe.via == "direct" ? probe.via : "through " + probe.via;
    const std::string result = probe.ok() ? fmt::format("ok, status {}", *probe.status) : std::string("FAILED");
    out += fmt::format("probe {} {}: {}\n", Printable(probe.url), Printable(way), result);
    if (probe.error) out += fmt::format("  {}\n", Printable(probe.error->message));
  }
  return out;
}

std::size_t CountFailed(const std::vector<node::Probed>& probes) {
  return static_cast<std::size_t>(std::ranges::count(probes, false, &node::Probed::ok));
}

std::string CheckJson(const Findings& findings, bool valid, const std::vector<node::Probed>& probes,
                      const ImageCheck& images) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteValidity(json, findings, valid);
  WriteProbes(json, probes);
  json.Member("probeFailed", CountFailed(probes) > 0);
  if (images.asked()) images.Write(json);
  return json.EndObject().Text();
}

std::string CheckText(const egress::EgressConfig& config, const Findings& findings, bool valid,
                      const std::vector<node::Probed>& probes, const ImageCheck& images) {
  const std::size_t failed = CountFailed(probes);
  std::string requests = failed > 0 ? fmt::format("{} of {} probe(s) failed", failed, probes.size()) : "";
  if (const std::string lost = images.Summary(); !lost.empty()) requests += (requests.empty() ? "" : ", ") + lost;
  if (!requests.empty()) requests += "; the settings are ";
  return fmt::format("{}: {}{}: {} certificate(s), {}\n",
                     Printable(config.source.name.empty() ? config.source.kind : config.source.name), requests,
                     valid ? "valid" : "not valid", config.certificates.size(), DescribeCounts(findings));
}

// Findings about the parts of the proxies that WinHTTP's and WinINET's settings can't hold. The disagreements cover
// NO_PROXY, for all clients.
Findings LostOnWindows(const egress::EgressConfig& config) {
  constexpr std::array<FindingCode, 3> kKept = {"winhttp-https-proxy", "winhttp-credentials", "winhttp-idn"};
  Findings out;
  const auto settings = egress::ParseProxySettings(config, out);
  if (!settings) return {};  // Review() reports why
  const egress::NoProxy* list = settings->no_proxy ? &*settings->no_proxy : nullptr;
  egress::TranslateForWinHttp(settings->http, settings->https, list, false, out);
  std::erase_if(out,
                [&](const Finding& f) { return std::ranges::find(kKept, f.code, &FindingCode::name) == kKept.end(); });
  return out;
}

// Findings about requests that the clients of a node decide differently; none without a proxy.
Findings Disagreements(const egress::EgressConfig& config) {
  const bool proxied = !config.http_proxy.value_or(Secret()).empty() || !config.https_proxy.value_or(Secret()).empty();
  const std::string where = config.proxy_file.path + ": NO_PROXY";
  const auto list = egress::NoProxy::Parse(config.no_proxy.value_or(""), where);
  if (!proxied || !list) return {};
  Findings out = LostOnWindows(config);
  std::ranges::move(egress::ReviewDisagreements(*list, where), std::back_inserter(out));
  return out;
}

// Adds the reason for which bake and apply would refuse settings that the review takes: both derive their state as
// here.
void AddRefusal(const egress::EgressConfig& config, const reconcile::DesiredOptions& options, Findings& findings) {
  if (!IsValid(findings)) return;
  const auto desired = reconcile::MakeDesiredState(config, options);
  if (!desired) {
    AddError(findings, "refused", desired.error().message, desired.error().where);
  } else if (desired->files_fault) {
    AddError(findings, "refused", desired->files_fault->message, desired->files_fault->where);
  } else if (const auto sets = node::GuardAgainstEmpty(config, *desired); !sets) {
    AddWarning(findings, "sets-nothing", sets.error().message, sets.error().where);
  }
}

// --probe and --probe-timeout.
OptionGroup ProbeOptionSpecs() {
  return {{"probe", "URL",
           "request this URL as a node would: through the proxy and with only the certificates of the source; may be "
           "repeated",
           Group::kChecks, true},
          {"probe-timeout", "SECONDS", "how long one request of --probe may take (default: 10)", Group::kChecks}};
}

struct ProbeRequests {
  std::vector<std::string> urls;
  int timeout_seconds = 10;  // for each probe
};

Result<ProbeRequests> ParseProbes(const Arguments& arguments) {
  const std::int64_t timeout = PROV_TRY(Number(arguments, "probe-timeout", kProbeTimeout));
  if (timeout < 1 || timeout > kLongestProbeTimeout) {
    return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", kLongestProbeTimeout), "--probe-timeout");
  }
  ProbeRequests out{arguments.All("probe"), static_cast<int>(timeout)};
  if (!out.urls.empty() || arguments.Has("image") || !arguments.Has("probe-timeout")) return out;
  return Fail(Code::kUsage, "needs --probe URL or --image REF", "--probe-timeout");
}

// Makes the requests of --probe. Makes none unless `settings_are_valid`, because invalid settings are not usable
// (finding probe-skipped). Leaves out certificates as nodes do, with `trusted` as exceptions. A failed probe is a
// result, not an error. Errors: usage (a malformed URL), no-proxy.
Result<std::vector<node::Probed>> RunProbes(const ProbeRequests& requests, machine::Host& host,
                                            const egress::EgressConfig& config, const pki::TrustedDigests& trusted,
                                            bool settings_are_valid, Findings& findings) {
  if (!requests.urls.empty() && !settings_are_valid) {
    AddInfo(findings, "probe-skipped", "no probe was made, because the settings are not valid; correct them first");
    return std::vector<node::Probed>();
  }
  const node::ProbeOptions options{.timeout_seconds = requests.timeout_seconds,
                                   .total_seconds = kProbeTimeouts * requests.timeout_seconds,
                                   .trusted = trusted};
  return node::Probe(host.http(), host.clock(), config, requests.urls, options, findings);
}

struct CheckCommandOptions {
  bool json = false;
  bool strict = false;
  pki::TrustedDigests trusted;
  source::SourceSpec source;
  payload::Pin pin;
  ProbeRequests probes;
  ImageCheck images;
};

Result<CheckCommandOptions> ParseCheckCommandOptions(const Arguments& arguments) {
  CheckCommandOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.strict = arguments.Has("strict");
  out.trusted = PROV_TRY(NamedCertificates(arguments));
  out.source = PROV_TRY(ParseSourceSpec(arguments));
  out.pin = PROV_TRY(GivenPin(arguments));
  out.probes = PROV_TRY(ParseProbes(arguments));
  out.images = PROV_TRY(ImageCheck::Read(arguments, out.probes.timeout_seconds));
  return out;
}

// Facts about the cluster; without an option, the source's.
void SetGivenFacts(const Arguments& arguments, egress::ClusterFacts& facts) {
  facts.api_host = arguments.Get("api-host", facts.api_host);
  facts.metadata_address = arguments.Get("metadata-address", facts.metadata_address);
  if (arguments.Has("service-range")) facts.service_ranges = arguments.List("service-range");
}

// --signer and --node: the files of one node that bake --nodes --sign wrote.
Result<Outcome> CheckNode(const Arguments& arguments) {
  const payload::Pin pin = PROV_TRY(GivenPin(arguments));
  if (pin.signers.empty())
    return Fail(Code::kUsage, "needs --signer CERT, whose signature the files of the node have", "--node");
  const std::string& folder = arguments.positional();
  const std::string node = arguments.Get("node");
  const payload::Manifest manifest = PROV_TRY(payload::CheckNodeFiles(folder, pin, node));
  if (PROV_TRY(WantsJson(arguments))) return Outcome{0, CheckJson({}, true, {}, {}), {}};
  return Outcome{0,
                 fmt::format("{}: {} file(s) of the node {}, generation {}, as {} signed them\n", Printable(folder),
                             manifest.files.size(), Printable(manifest.node), manifest.generation,
                             Printable(payload::NameOfSigner(pin.signers.front()))),
                 {}};
}

Result<Outcome> RunCheck(const Arguments& arguments, machine::Host& host) {
  if (arguments.Has("secret")) return CheckSecret(arguments, host);
  if (arguments.Has("node")) return CheckNode(arguments);
  if (arguments.Has("append-to")) {
    return Fail(Code::kUsage, "needs --secret FILE, the Secret to compare it with", "--append-to");
  }
  CheckCommandOptions options = PROV_TRY(ParseCheckCommandOptions(arguments));
  node::SourceContent content = PROV_TRY(ReadSourceOrMachine(arguments, options.source, host, options.pin));
  egress::EgressConfig& config = content.config;
  pki::TrustedDigests& trusted = content.options.trusted;  // of a payload
  trusted.insert(options.trusted.begin(), options.trusted.end());
  SetGivenFacts(arguments, config.facts);
  Findings findings = PROV_TRY(egress::Review(config, trusted, host.clock().NowUnix()));
  AddRefusal(config, content.options, findings);
  const auto probes = PROV_TRY(RunProbes(options.probes, host, config, trusted, IsValid(findings), findings));
  if (options.images.asked() && IsValid(findings)) PROV_TRY(options.images.Run(host, config, trusted, findings));
  const bool valid = IsValid(findings, options.strict);
  // Added after --strict counted, because the settings are right: every OpenShift list has a network, which clients
  // read differently, and many proxies need credentials, which WinHTTP can't hold.
  std::ranges::move(Disagreements(config), std::back_inserter(findings));
  const bool no_network = CountFailed(probes) > 0 || options.images.reached_nothing();
  const int exit = !valid                         ? InfoOf(Code::kProxyUrl).exit
                   : no_network                   ? InfoOf(Code::kNetwork).exit
                   : !options.images.all_arrive() ? kExitDifferences
                                                  : 0;
  if (options.json) return Outcome{exit, CheckJson(findings, valid, probes, options.images), {}};
  if (options.images.only_hosts())
    return Outcome{exit, options.images.Text(arguments.Has("verbose")), std::move(findings)};
  std::string text = ProbeText(probes) + options.images.Text(arguments.Has("verbose")) +
                     CheckText(config, findings, valid, probes, options.images);
  return Outcome{exit, std::move(text), std::move(findings)};
}

}  // namespace

Command CheckCommand() {
  CommandSpec spec = {
      "check",
      "Check that the egress settings of a source are valid and that clients use them as intended.",
      "SOURCE",
      "Exit codes: 0: valid, perhaps with warnings; 11: an error (with --strict, also a warning, except\n"
      "clients-disagree and winhttp-...); 4: an image does not arrive; 14: a probe failed, or no server of any image\n"
      "could be asked.\n"
      "--probe makes a real request with the source's settings and none of this machine's, as a Go client on a node\n"
      "would: through the proxy with its credentials, or directly if NO_PROXY says so, and trusting only the\n"
      "certificates of the source (those of this system if the source has none, and with --this-machine). A status\n"
      "below 400 is a success. Failures that may be temporary are tried three times. Only a self-signed CA counts as\n"
      "a root, as on nodes: a chain that ends at an intermediate CA fails.\n"
      "--image prints the hosts of a pull, and its requests if the image does not arrive, or with --verbose.\n"
      "--secret compares a Secret that bake made with SOURCE, with the operator's Secret, or both, and checks nothing\n"
      "else. Give the options of SOURCE that bake had. Exit code 4: the Secret is stale; bake it again. Certificates\n"
      "that bake --subtract left out count as different.",
      "  $ provisioner check rendered-worker.json --service-range 172.30.0.0/16\n"
      "  warning [no-proxy-missing]: ... (/etc/mco/proxy.env: NO_PROXY)\n"
      "  rendered-worker-3d1c...: valid: 3 certificate(s), 0 error(s), 1 warning(s)\n"
      "  $ provisioner check rendered-worker.json --image mcr.microsoft.com/oss/kubernetes/pause:3.9\n"
      "  $ provisioner check rendered-worker.json --probe https://quay.io/\n"
      "  probe https://quay.io/ through http://user:***@proxy.example.com:3128: FAILED\n"
      "    the server shows a certificate issued by \"CN=Inspection CA\", and this CA is not in ...\n"
      "  $ oc get secret windows-user-data -n openshift-machine-api -o yaml > operators.yaml\n"
      "  $ provisioner check rendered-worker.json --secret secret.yaml --append-to operators.yaml\n"
      "  secret.yaml: stale: its script is not that of operators.yaml",
      JoinOptions(
          {SourceOptionSpecs(),
           MachineSourceOptionSpecs(),
           {TrustOption(),
            {"strict", "", "treat warnings as errors", Group::kChecks},
            {"api-host", "HOST",
             "the cluster's internal API host, which NO_PROXY should hold (default: as the source tells)",
             Group::kChecks},
            {"service-range", "CIDR", "a service network that NO_PROXY should hold; may be repeated", Group::kChecks},
            {"signer", "CERT", "refuse a payload that is not signed by the key of this certificate", Group::kChecks},
            {"for", "NAME", "refuse a payload for another cluster than this one, or for none", Group::kChecks},
            {"node", "NAME",
             "with --signer: SOURCE has the files of this node, a folder of bake --nodes --sign or the root of its "
             "drive",
             Group::kChecks},
            {"metadata-address", "IP", "the cloud's metadata address, which NO_PROXY should hold, e.g. 169.254.169.254",
             Group::kChecks}},
           ProbeOptionSpecs(),
           ImageCheckOptionSpecs(),
           {ImageFormatOption()},
           SecretCheckOptionSpecs(),
           OutputOptionSpecs()})};
  spec.instead = "secret this-machine root";
  return {.spec = std::move(spec), .run = RunCheck};
}

}  // namespace prov::cli
