// `fleet`: compares what the nodes of a cluster report with what they should have.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/nodes.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestWait = 86400;
constexpr std::int64_t kPause = 5000;  // milliseconds, between two looks

struct FleetOptions {
  bool json = false;
  source::SourceSpec cluster;  // whose nodes are asked for
  source::SourceSpec wanted;
  std::int64_t wait_seconds = 0;
};

struct NodeRow {
  fleet::FleetNode node;
  std::optional<bool> credentials_current;  // nullopt: it stores none, or they can't be compared
  bool current = false;
};

struct Fleet {
  egress::SourceInfo source;
  std::string wanted;
  std::vector<NodeRow> rows;
  Findings findings;

  bool IsCurrent() const { return std::ranges::all_of(rows, &NodeRow::current); }
};

Result<FleetOptions> ParseFleetOptions(const Arguments& arguments) {
  FleetOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::vector<std::string>& words = arguments.words();
  if (words.front() != "status")
    return RefuseValue("provisioner fleet", "one of", words.front(), std::array<std::string_view, 1>{"status"});
  out.cluster = PROV_TRY(ParseSourceSpec(arguments));
  out.cluster.source = words.at(1);
  if (!source::IsKubeUri(words.at(1)))
    return Fail(Code::kUsage, "is not a cluster; give kube://, or kube://CONTEXT with a context of your kubeconfig",
                words.at(1));
  out.wanted = out.cluster;
  if (arguments.Has("source")) out.wanted.source = arguments.Get("source");
  out.wait_seconds = PROV_TRY(Number(arguments, "wait", 0));
  if (out.wait_seconds <= kLongestWait) return out;
  return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestWait), "--wait");
}

Result<std::vector<fleet::FleetNode>> ReadNodes(machine::Host& host, const source::SourceSpec& cluster) {
  const source::KubeTarget target = PROV_TRY(source::ParseKubeUri(cluster.source, cluster.selection));
  const source::KubeAccess access =
      PROV_TRY(source::KubeAccess::Open({cluster}, target.context, source::ThisProcess()));
  source::KubeClient client(access, {host.http(), host.clock()});
  return fleet::ReadNodes(client);
}

// The digest takes a while, and is the same for all nodes.
class Credentials {
 public:
  Credentials(const egress::EgressConfig& config, const std::string& digest) : config_(config), digest_(digest) {}

  std::optional<bool> AreCurrent(const fleet::NodeState& state) {
    if (!state.credential_digest || !egress::IsCredentialDigest(*state.credential_digest)) return std::nullopt;
    if (state.digest != digest_) return std::nullopt;  // another salt
    if (!known_) known_ = egress::CredentialDigest(config_, digest_).value_or("");
    return *known_ == *state.credential_digest;
  }

 private:
  const egress::EgressConfig& config_;
  const std::string& digest_;
  std::optional<std::string> known_;
};

// A cluster that is not OpenShift has no pools.
Result<node::SourceContent> ReadWanted(machine::Host& host, const FleetOptions& options) {
  Result<node::SourceContent> out = node::ReadSource(host, options.wanted);
  const bool is_default = options.wanted.source == options.cluster.source;
  if (!out && is_default && out.error().code == Code::kNotFound)
    out.error().message += "; if the cluster has no pool, name the wanted settings with --source SOURCE";
  return out;
}

Result<Fleet> LookAtFleet(machine::Host& host, const FleetOptions& options) {
  node::SourceContent wanted = PROV_TRY(ReadWanted(host, options));
  Fleet out;
  out.source = wanted.config.source;
  out.wanted = egress::SettingsDigest(wanted.config);
  out.findings = std::move(wanted.config.findings);
  Credentials credentials(wanted.config, out.wanted);
  for (fleet::FleetNode& node : PROV_TRY(ReadNodes(host, options.cluster))) {
    NodeRow row{std::move(node), std::nullopt, false};
    if (row.node.state) {
      row.credentials_current = credentials.AreCurrent(*row.node.state);
      row.current = row.node.state->digest == out.wanted && row.credentials_current.value_or(true);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

// With --wait, nodes that are still to join are waited for, too: none of them has the settings.
bool IsDone(const Fleet& fleet, const FleetOptions& options) {
  return fleet.IsCurrent() && (options.wait_seconds == 0 || !fleet.rows.empty());
}

// Looks until all nodes are current or the time is over. After a look that was good, an API server that is away is
// waited for as well.
Result<Fleet> LookUntil(machine::Host& host, const FleetOptions& options) {
  const std::int64_t end = host.clock().NowUnix() + options.wait_seconds;
  bool was_good = false;
  for (;;) {
    Result<Fleet> fleet = LookAtFleet(host, options);
    was_good = was_good || fleet;
    const bool may_pass = !fleet && was_good && fleet.error().code == Code::kNetwork;
    const bool is_done = fleet ? IsDone(*fleet, options) : !may_pass;
    const std::int64_t left = (end - host.clock().NowUnix()) * 1000;
    if (is_done || left <= 0 || !host.clock().Wait(std::min(left, kPause))) return fleet;
  }
}

void WriteOptionalText(JsonWriter& json, std::string_view key, const std::optional<std::string>& text) {
  json.Key(key);
  if (text) {
    json.String(*text);
  } else {
    json.Null();
  }
}

void WriteTime(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& time) {
  WriteOptionalText(json, key, time ? std::optional(FormatUtc(*time)) : std::nullopt);
}

// Of a node whose annotation can't be read, that is its failure.
std::optional<fleet::NodeFailure> FailureOf(const fleet::FleetNode& node) {
  if (node.damage) return fleet::NodeFailure{std::string(InfoOf(node.damage->code).name), node.damage->message};
  return node.state ? node.state->failure : std::nullopt;
}

void WriteRow(JsonWriter& json, const NodeRow& row) {
  const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
  json.BeginObject().Member("name", row.node.name);
  WriteOptionalText(json, "digest", state.digest);
  json.Member("current", row.current).Key("credentialsCurrent");
  if (row.credentials_current) {
    json.Bool(*row.credentials_current);
  } else {
    json.Null();
  }
  WriteTime(json, "appliedAt", state.applied_at);
  WriteTime(json, "readAt", state.read_at);
  json.Member("drift", state.drift).Member("rebootRequired", state.reboot_required).Member("held", state.held);
  json.Key("failure");
  if (const auto failure = FailureOf(row.node)) {
    json.BeginObject().Member("code", failure->code).Member("message", failure->message).EndObject();
  } else {
    json.Null();
  }
  json.Member("version", state.version).EndObject();
}

std::string FleetJson(const Fleet& fleet) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("wanted", fleet.wanted);
  json.Key("source").BeginObject().Member("kind", fleet.source.kind).Member("name", fleet.source.name).EndObject();
  json.Key("nodes").BeginArray();
  for (const NodeRow& row : fleet.rows) WriteRow(json, row);
  json.EndArray();
  WriteFindings(json, fleet.findings);
  return json.EndObject().Text();
}

std::string ShortDigest(const std::optional<std::string>& digest) {
  constexpr std::size_t kShown = 12;
  return digest ? Printable(Shorten(*digest, kShown)) : "-";
}

std::string CurrentWord(const NodeRow& row) {
  if (row.current) return "yes";
  if (row.node.state && row.node.state->held) return "held";
  return row.credentials_current == false ? "password" : "no";
}

std::string FleetText(const Fleet& fleet, std::int64_t now) {
  if (fleet.rows.empty()) return "the cluster has no Windows nodes (label kubernetes.io/os=windows)\n";
  std::size_t width = std::string_view("NODE").size();
  for (const NodeRow& row : fleet.rows) width = std::max(width, row.node.name.size());
  constexpr std::string_view kForm = "{:<{}}  {:<8}  {:<12}  {:<11}  {:>5}  {:<6}  {:<8}  {}\n";
  std::string out =
      fmt::format(kForm, "NODE", width, "CURRENT", "DIGEST", "APPLIED", "DRIFT", "REBOOT", "VERSION", "FAILURE");
  for (const NodeRow& row : fleet.rows) {
    const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
    const auto failure = FailureOf(row.node);
    const std::string shown = failure ? Printable(fmt::format("[{}] {}", failure->code, failure->message)) : "-";
    const std::string age = state.applied_at ? node::DescribeAge(now - *state.applied_at) : "-";
    out += fmt::format(kForm, Printable(row.node.name), width, CurrentWord(row), ShortDigest(state.digest), age,
                       state.drift, state.reboot_required ? "needed" : "no",
                       state.version.empty() ? "-" : Printable(state.version), shown);
  }
  return out + fmt::format("{} of {} nodes are current; wanted {} of {}\n",
                           std::ranges::count(fleet.rows, true, &NodeRow::current), fleet.rows.size(),
                           ShortDigest(fleet.wanted), Printable(node::NameOf(fleet.source)));
}

Result<Outcome> RunFleet(const Arguments& arguments, machine::Host& host) {
  const FleetOptions options = PROV_TRY(ParseFleetOptions(arguments));
  Fleet fleet = PROV_TRY(LookUntil(host, options));
  const int exit = IsDone(fleet, options) ? 0 : kExitDifferences;
  if (options.json) return Outcome{exit, FleetJson(fleet), {}};
  return Outcome{exit, FleetText(fleet, host.clock().NowUnix()), std::move(fleet.findings)};
}

}  // namespace

Command FleetCommand() {
  Command command;
  command.spec = {
      "fleet",
      "Show which Windows nodes of a cluster have the settings that they should have.",
      "status kube://[CONTEXT]",
      "Each node that runs provisioner with --node reports its state in the annotation egress-provisioner/state of\n"
      "its Node. The wanted settings are those of --source, or else of the pool (kube://CONTEXT/POOL). A node is\n"
      "current when it has these settings and, where this can be checked, the same password. The exit code is 4\n"
      "while a node is not current. The command needs the right to list nodes.",
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
  command.run = RunFleet;
  return command;
}

}  // namespace prov::cli
