// `fleet`: compares the settings that the nodes of a cluster, and the Secrets with user data, report with those that
// they should have.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/fleet/fleet_status.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/settings.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestWait = 86400;

struct FleetOptions {
  bool json = false;
  fleet::StatusRequest request;
};

Result<FleetOptions> ParseFleetOptions(const Arguments& arguments) {
  FleetOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::vector<std::string>& words = arguments.words();
  if (words.front() != "status")
    return RefuseValue("provisioner fleet", "one of", words.front(), std::array<std::string_view, 1>{"status"});
  out.request.cluster = PROV_TRY(ParseSourceSpec(arguments));
  out.request.cluster.source = words.at(1);
  if (!source::IsKubeUri(words.at(1)))
    return Fail(Code::kUsage, "is not a cluster; give kube://, or kube://CONTEXT with a context of your kubeconfig",
                words.at(1));
  out.request.wanted = out.request.cluster;
  if (arguments.Has("source")) out.request.wanted.source = arguments.Get("source");
  out.request.wait_seconds = PROV_TRY(Number(arguments, "wait", 0));
  if (out.request.wait_seconds <= kLongestWait) return out;
  return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestWait), "--wait");
}

void WriteTime(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& time) {
  json.Member(key, time ? std::optional(FormatUtc(*time)) : std::nullopt);
}

// The failure that a node reports, or why its annotation can't be read.
std::optional<fleet::NodeFailure> FailureOf(const fleet::FleetNode& node) {
  if (node.damage) return fleet::NodeFailure{std::string(InfoOf(node.damage->code).name), node.damage->message};
  return node.state ? node.state->failure : std::nullopt;
}

void WriteRow(JsonWriter& json, const fleet::NodeRow& row) {
  const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
  json.BeginObject();
  if (!row.node.name_space.empty()) json.Member("namespace", row.node.name_space);
  json.Member("name", row.node.name);
  json.Member("digest", state.digest).Member("current", row.current);
  json.Member("credentialsCurrent", row.credentials_current);
  WriteTime(json, "appliedAt", state.applied_at);
  WriteTime(json, "readAt", state.read_at);
  json.Member("drift", state.drift).Strings("staleServices", state.stale_services);
  json.Member("rebootRequired", state.reboot_required).Member("held", state.held);
  const auto failure = FailureOf(row.node);
  if (BeginObjectOrNull(json, "failure", failure.has_value()))
    json.Member("code", failure->code).Member("message", failure->message).EndObject();
  json.Member("version", state.version).EndObject();
}

std::string FleetJson(const fleet::FleetStatus& fleet) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("wanted", fleet.wanted);
  json.Key("source").BeginObject().Member("kind", fleet.source.kind).Member("name", fleet.source.name).EndObject();
  json.Key("nodes").BeginArray();
  for (const fleet::NodeRow& row : fleet.rows) WriteRow(json, row);
  json.EndArray().Key("secrets").BeginArray();
  for (const fleet::NodeRow& row : fleet.secrets) WriteRow(json, row);
  json.EndArray();
  WriteFindings(json, fleet.findings);
  return json.EndObject().Text();
}

std::string ShortDigest(const std::optional<std::string>& digest) {
  constexpr std::size_t kShown = 12;
  return digest ? Printable(Shorten(*digest, kShown)) : "-";
}

std::string CurrentWord(const fleet::NodeRow& row) {
  if (row.current) return "yes";
  if (row.node.state && row.node.state->held) return "held";
  return row.credentials_current == false ? "password" : "no";
}

std::string NameOf(const fleet::NodeRow& row) {
  return row.node.name_space.empty() ? row.node.name : fmt::format("{}/{}", row.node.name_space, row.node.name);
}

std::string Table(std::string_view title, const std::vector<fleet::NodeRow>& rows, std::int64_t now) {
  std::size_t width = title.size();
  for (const fleet::NodeRow& row : rows) width = std::max(width, NameOf(row).size());
  constexpr std::string_view kForm = "{:<{}}  {:<8}  {:<12}  {:<11}  {:>5}  {:<6}  {:<8}  {}\n";
  std::string out =
      fmt::format(kForm, title, width, "CURRENT", "DIGEST", "APPLIED", "DRIFT", "REBOOT", "VERSION", "FAILURE");
  for (const fleet::NodeRow& row : rows) {
    const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
    const auto failure = FailureOf(row.node);
    const std::string shown = failure ? Printable(fmt::format("[{}] {}", failure->code, failure->message))
                              : state.stale_services.empty()
                                  ? "-"
                                  : Printable(fmt::format("[service-stale] {}", fmt::join(state.stale_services, ", ")));
    const std::string age = state.applied_at ? node::DescribeAge(now - *state.applied_at) : "-";
    out += fmt::format(kForm, Printable(NameOf(row)), width, CurrentWord(row), ShortDigest(state.digest), age,
                       state.drift, state.reboot_required ? "needed" : "no",
                       state.version.empty() ? "-" : Printable(state.version), shown);
  }
  return out;
}

std::ptrdiff_t CountCurrent(const std::vector<fleet::NodeRow>& rows) {
  return std::ranges::count(rows, true, &fleet::NodeRow::current);
}

std::string FleetText(const fleet::FleetStatus& fleet, std::int64_t now) {
  const std::string wanted =
      fmt::format("wanted {} of {}\n", ShortDigest(fleet.wanted), Printable(node::NameOf(fleet.source)));
  std::string out = "the cluster has no Windows nodes (label kubernetes.io/os=windows)\n";
  if (!fleet.rows.empty()) out = Table("NODE", fleet.rows, now);
  if (!fleet.secrets.empty()) out += Table("SECRET", fleet.secrets, now);
  if (!fleet.rows.empty())
    out += fmt::format("{} of {} nodes are current; {}", CountCurrent(fleet.rows), fleet.rows.size(), wanted);
  if (!fleet.secrets.empty())
    out += fmt::format("{} of {} Secrets with user data are current{}", CountCurrent(fleet.secrets),
                       fleet.secrets.size(), fleet.rows.empty() ? "; " + wanted : "\n");
  return out;
}

Result<Outcome> RunFleet(const Arguments& arguments, machine::Host& host) {
  const FleetOptions options = PROV_TRY(ParseFleetOptions(arguments));
  fleet::FleetStatus fleet = PROV_TRY(fleet::AwaitStatus(host, options.request));
  const int exit = fleet::IsDone(fleet, options.request) ? 0 : kExitDifferences;
  if (options.json) return Outcome{exit, FleetJson(fleet), {}};
  return Outcome{exit, FleetText(fleet, host.clock().NowUnix()), std::move(fleet.findings)};
}

}  // namespace

Command FleetCommand() {
  CommandSpec spec = {
      "fleet",
      "Show which Windows nodes of a cluster, and which user data of new ones, have the settings that they should "
      "have.",
      "status kube://[CONTEXT]",
      "Each node that runs provisioner with --node reports its state in the annotation egress-provisioner/state of\n"
      "its Node. The wanted settings are those of --source, or else of the pool (kube://CONTEXT/POOL). A node is\n"
      "current when it has these settings and, where this can be checked, the same password. The exit code is 4\n"
      "while a node is not current. The Secrets that a controller keeps (provisioner controller) are listed in the "
      "same\n"
      "way; one that is missing, or whose controller does not run, is not current. The command needs the right to\n"
      "list nodes, and for these Secrets that to list Secrets and Deployments.",
      "  $ provisioner fleet status kube://\n"
      "  NODE   CURRENT   DIGEST        APPLIED      DRIFT  REBOOT  VERSION   FAILURE\n"
      "  win-1  yes       4385a46da03e  3 d 4 h          0  no      0.1.0     -\n"
      "  win-2  no        8f4486f3c682  12 d 1 h         0  needed  0.1.0     [network] the server ...\n"
      "  1 of 2 nodes are current; wanted 4385a46da03e of MachineConfig rendered-worker-3d1c...\n"
      "  $ provisioner fleet status kube://admin --wait 600 && echo done",
      JoinOptions({{{"source", "SOURCE", "the wanted settings: any source (default: the pool of the cluster)",
                     Group::kSource, true}},
                   SourceOptionSpecs(),
                   {{"wait", "SECONDS",
                     "wait up to this long until there are nodes and all are current; exit code 4 if there are none "
                     "(default: 0)",
                     Group::kRun}},
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunFleet};
}

}  // namespace prov::cli
