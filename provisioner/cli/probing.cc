#include "provisioner/cli/probing.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kTimeout = 10;
constexpr std::int64_t kLongestTimeout = 600;
// Of which all probes have this many at least: as many as two minutes hold by default.
constexpr std::int64_t kTimeouts = 12;

}  // namespace

std::vector<OptionSpec> ProbeOptionSpecs() {
  return {{"probe", "URL",
           "request this as a node would: through the source's proxy, trusting the source's certificates only; may be "
           "repeated",
           Group::kChecks, true},
          {"probe-timeout", "SECONDS", "how long one request of --probe may take (default: 10)", Group::kChecks}};
}

Result<ProbeRequests> ParseProbes(const Arguments& arguments) {
  const std::int64_t timeout = PROV_TRY(Number(arguments, "probe-timeout", kTimeout));
  if (timeout < 1 || timeout > kLongestTimeout) {
    return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", kLongestTimeout), "--probe-timeout");
  }
  ProbeRequests out{arguments.All("probe"), static_cast<int>(timeout)};
  if (!out.urls.empty() || !arguments.Has("probe-timeout")) return out;
  return Fail(Code::kUsage, "belongs to --probe URL", "--probe-timeout");
}

Result<std::vector<node::Probed>> RunProbes(const ProbeRequests& requests, machine::Host& host,
                                            const egress::EgressConfig& config, const pki::StorePolicy& policy,
                                            bool settings_are_valid, Findings& findings) {
  if (!requests.urls.empty() && !settings_are_valid) {
    AddInfo(findings, "probe-skipped", "no probe was made, as the settings are not valid: correct them first");
    return std::vector<node::Probed>();
  }
  const node::ProbeOptions options{.timeout_seconds = requests.timeout_seconds,
                                   .total_seconds = kTimeouts * requests.timeout_seconds,
                                   .store = policy};
  return node::Probe(host.http(), host.clock(), config, requests.urls, options, findings);
}

int ExitOf(const std::vector<node::Probed>& probes) {
  return std::ranges::all_of(probes, &node::Probed::ok) ? 0 : InfoOf(Code::kNetwork).exit;
}

void WriteProbes(JsonWriter& json, const std::vector<node::Probed>& probes) {
  json.Key("probes").BeginArray();
  for (const node::Probed& probe : probes) {
    json.BeginObject().Member("url", probe.url).Member("via", probe.via).Member("ok", probe.ok()).Key("status");
    if (probe.status) {
      json.Int(*probe.status);
    } else {
      json.Null();
    }
    json.Key("error");
    if (probe.error) {
      json.String(probe.error->message).Member("code", InfoOf(probe.error->code).name);
    } else {
      json.Null();
    }
    json.Member("tries", probe.tries).EndObject();
  }
  json.EndArray();
}

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

}  // namespace prov::cli
