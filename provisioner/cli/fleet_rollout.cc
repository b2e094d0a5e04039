#include "provisioner/cli/fleet_rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/controller/rollout.h"
#include "provisioner/egress/review.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/fleet/rollout_choices.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/settings.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

using controller::RolloutSettings;
using controller::RolloutView;
using fleet::RolloutPhase;
using fleet::RolloutStanding;

Result<fleet::RolloutChoices> ParseChoicesOfRollout(const Arguments& arguments) {
  fleet::RolloutWords words;
  for (const OptionSpec& option : RolloutOptionSpecs()) {
    if (option.name != "namespace" && arguments.Has(option.name))
      words[std::string(option.name)] = arguments.All(option.name);
  }
  return fleet::ParseRolloutChoices(words, [](std::string_view name) { return fmt::format("--{}", name); });
}

}  // namespace

Result<RolloutSettings> ReadRolloutSettings(machine::Host& host, const node::SettingsSpec& spec) {
  const node::DerivedSettings derived = PROV_TRY(node::Derive(PROV_TRY(node::ReadSettings(host, spec, {}))));
  const node::Settings& settings = derived.settings;
  PROV_TRY(node::GuardAgainstUnreadTrust(settings.config));
  PROV_TRY(node::GuardAgainstEmpty(settings.config, derived.desired));
  return RolloutSettings{
      settings.source_digest.empty() ? egress::SettingsDigest(settings.config) : settings.source_digest, derived.json,
      PROV_TRY(egress::Review(settings.config, settings.options.trusted, host.clock().NowUnix()))};
}

namespace {

std::map<RolloutStanding, std::size_t> CountsOf(const RolloutView& view) {
  std::map<RolloutStanding, std::size_t> out;
  for (const fleet::RolloutNode& node : view.nodes) ++out[StandingOf(node, view.record.order)];
  return out;
}

std::string LineOf(const RolloutView& view) { return RolloutLine(view.record.progress, CountsOf(view)); }

// As people say it.
std::string_view Spoken(std::string_view name) {
  return name == "tookBack" ? "took back" : name == "takingBack" ? "taking back" : name;
}

// What a person does next; "": nothing.
std::string NextOf(RolloutPhase phase) {
  switch (phase) {
    case RolloutPhase::kHeld:
      return "nothing more is approved until provisioner fleet resume; trials that run now end by themselves\n";
    case RolloutPhase::kFailed:
      return "nothing more is approved; nodes that have not confirmed these settings keep, or take back, the former "
             "ones. Mend the settings, and run the rollout again\n";
    case RolloutPhase::kOpen:
    case RolloutPhase::kTakingBack:
    case RolloutPhase::kDone:
      break;
  }
  return "";
}

bool IsOfRollout(const fleet::RolloutNode& node, const fleet::RolloutOrder& order) {
  if (!node.state || !node.state->approval || !node.state->approval->trial) return false;
  return node.state->approval->trial->digest == order.digest && node.state->approval->trial->attempt == order.attempt;
}

// Why a node is where it is; "": nothing is known.
std::string ReasonOf(const fleet::RolloutNode& node, const fleet::RolloutOrder& order) {
  if (IsOfRollout(node, order) && !node.state->approval->trial->reason.empty())
    return node.state->approval->trial->reason;
  return node.state && node.state->failure
             ? fmt::format("[{}] {}", node.state->failure->code, node.state->failure->message)
             : "";
}

// The nodes that a person has to look at, a line each.
std::string TroubleOf(const RolloutView& view) {
  std::string out;
  std::vector<std::string> gone = view.record.progress.failed;
  for (const fleet::RolloutNode& node : view.nodes) {
    const bool failed = std::erase(gone, node.name) > 0;
    const RolloutStanding standing = StandingOf(node, view.record.order);
    if (!failed && standing != RolloutStanding::kTookBack && standing != RolloutStanding::kUnreachable) continue;
    const std::string reason = ReasonOf(node, view.record.order);
    const std::string_view place = node.reachable ? Spoken(NameOf(standing)) : "not ready";
    out += Printable(fmt::format("  {} {}{}{}", node.name, place, reason.empty() ? "" : ": ", reason)) + "\n";
  }
  for (const std::string& name : gone) out += Printable(fmt::format("  {} is gone", name)) + "\n";
  return out;
}

std::string TextOf(const RolloutView& view) {
  const auto& [order, progress, approval] = view.record;
  std::string out = LineOf(view) + "\n";
  if (progress.phase == RolloutPhase::kDone && progress.wave == 0)
    out += "no node had to change; these settings are the confirmed ones now\n";
  if (!progress.reason.empty()) out += Printable(progress.reason) + "\n";
  return out + TroubleOf(view) + NextOf(progress.phase);
}

std::vector<const fleet::RolloutNode*> NodesWith(const RolloutView& view, RolloutStanding standing) {
  std::vector<const fleet::RolloutNode*> out;
  for (const fleet::RolloutNode& node : view.nodes) {
    if (StandingOf(node, view.record.order) == standing) out.push_back(&node);
  }
  return out;
}

std::string NamesOf(const std::vector<const fleet::RolloutNode*>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const fleet::RolloutNode* node : nodes) names.push_back(node->name);
  return fleet::NamesInShort(names);
}

// Some nodes take settings without asking, so the rollout does not protect them.
Findings ApartOf(const RolloutView& view) {
  Findings out;
  const auto apart = NodesWith(view, RolloutStanding::kApart);
  if (!apart.empty()) {
    AddWarning(out, "rollout-apart",
               fmt::format("{} of {} nodes don't wait for approval, or are held by a rollback: {}", apart.size(),
                           view.nodes.size(), NamesOf(apart)));
  }
  return out;
}

// A rollout that is done may have left nodes behind.
void AddLeft(const RolloutView& view, Findings& findings) {
  if (view.record.progress.phase != RolloutPhase::kDone) return;
  auto left = NodesWith(view, RolloutStanding::kWaiting);
  for (const RolloutStanding standing : {RolloutStanding::kApproved, RolloutStanding::kUnreachable})
    std::ranges::copy(NodesWith(view, standing), std::back_inserter(left));
  if (left.empty()) return;
  AddWarning(
      findings, "rollout-left",
      fmt::format("{} of {} nodes can't be reached or have not read the settings, and try them when they return: {}",
                  left.size(), view.nodes.size(), NamesOf(left)));
}

// Done, and no node that stands apart has other settings.
bool IsSuccess(const RolloutView& view) {
  if (view.record.progress.phase != RolloutPhase::kDone) return false;
  return std::ranges::all_of(NodesWith(view, RolloutStanding::kApart), [&](const fleet::RolloutNode* node) {
    return node->state && node->state->digest == view.record.order.digest;
  });
}

void WriteProgress(JsonWriter& json, const fleet::RolloutRecord& record) {
  json.Member("schema", 1).Member("phase", fleet::NameOf(record.progress.phase));
  json.Member("wave", record.progress.wave).Member("digest", record.order.digest);
  json.Member("previous", record.order.previous).Member("attempt", record.order.attempt);
  json.Member("reason", record.progress.reason).Strings("failed", record.progress.failed);
}

std::string JsonOf(const RolloutView& view, const Findings& findings) {
  JsonWriter json;
  json.BeginObject();
  WriteProgress(json, view.record);
  json.Key("nodes").BeginArray();
  for (const fleet::RolloutNode& node : view.nodes) {
    json.BeginObject().Member("name", node.name);
    json.Member("standing", fleet::NameOf(StandingOf(node, view.record.order)));
    json.Member("reason", ReasonOf(node, view.record.order)).EndObject();
  }
  json.EndArray();
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

Result<Outcome> Roll(const Arguments& arguments, machine::Host& host, const std::string& cluster,
                     const std::string& name_space) {
  const bool as_json = PROV_TRY(WantsJson(arguments));
  controller::RolloutRequest request;
  request.name_space = name_space;
  request.identity = fmt::format("rollout_{:08x}{:08x}", source::KubeRandom(), source::KubeRandom());
  const fleet::RolloutChoices choices = PROV_TRY(ParseChoicesOfRollout(arguments));
  request.order = choices.order;
  request.approval = choices.approval;
  request.has_choices = choices.any_given;
  request.replaces = true;
  std::string waited;
  request.waits_for = [&](const Error& error) {
    if (std::exchange(waited, error.message) != error.message) PrintError(stderr, error);
  };
  node::SettingsSpec settings_spec = PROV_TRY(ParseSettingsSpec(arguments));
  settings_spec.source.source = arguments.Get("source", cluster);
  RolloutSettings settings = PROV_TRY(ReadRolloutSettings(host, settings_spec));
  request.order.digest = settings.digest;
  request.settings = std::move(settings.json);
  Findings findings = std::move(settings.findings);
  source::SourceSpec spec = PROV_TRY(ParseSourceSpec(arguments));
  spec.source = cluster;
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(spec));
  std::string last;
  const auto report = [&](const RolloutView& view) {
    if (last.empty()) PrintFindings(stderr, ApartOf(view));
    std::string line = LineOf(view);
    const RolloutPhase phase = view.record.progress.phase;
    const bool goes_on = phase == RolloutPhase::kOpen || phase == RolloutPhase::kTakingBack;
    if (line == last || !goes_on) return;  // how it ends is the command's output
    std::fputs((line + "\n").c_str(), stderr);
    last = std::move(line);
  };
  const RolloutView end = PROV_TRY(controller::RunRollout(request, access, {host.http(), host.clock()}, report));
  AddLeft(end, findings);
  const int exit = IsSuccess(end) ? 0 : kExitDifferences;
  if (as_json) {
    std::ranges::move(ApartOf(end), std::back_inserter(findings));
    return Outcome{exit, JsonOf(end, findings), {}};
  }
  return Outcome{exit, TextOf(end), std::move(findings)};
}

}  // namespace

std::string RolloutStepLine(const RolloutView& view) { return LineOf(view); }

std::string RolloutStepJson(const RolloutView& view) { return JsonOf(view, {}); }

OptionGroup RolloutOptionSpecs() {
  return {
      {"canary", "N",
       "rollout: how many nodes try the settings first, spread over zones (default: 1); nodes with the label "
       "egress-provisioner/canary come in their place",
       Group::kRun},
      {"wave", "N|P%",
       "rollout: how many nodes each later wave has (default: 10%); reboot: how many restart at a time, N (default: 1)",
       Group::kRun},
      {"probe", "URL", "rollout: a URL that has to answer on each node; may be repeated", Group::kRequests},
      {"image", "REF", "rollout: an image that has to arrive on each node; may be repeated", Group::kRequests},
      {"trial", "SECONDS", "rollout: how long a node's trial takes at most, 10 to 3600 (default: 300)", Group::kRun},
      {"soak", "SECONDS", "rollout: how long a wave is confirmed before the next one begins (default: 300)",
       Group::kRun},
      {"timeout", "SECONDS",
       "rollout: how long a wave may take to confirm; reboot: how long a node may take to be drained, and as long "
       "again to return (default: 1800)",
       Group::kRun},
      {"max-unreachable", "N", "rollout: how many approved nodes may be out of reach (default: 0)", Group::kRun},
      {"on-failure", "hold|rollback",
       "rollout: after a failure, leave the settings on nodes that confirmed them, or take them back there "
       "(default: hold)",
       Group::kRun}};
}

Result<std::string> FleetNamespace(const Arguments& arguments) {
  std::string out = arguments.Get("namespace", fleet::kFleetNamespace);
  if (source::IsKubeName(out)) return out;
  return Fail(Code::kUsage, "takes the name of a namespace", "--namespace");
}

std::string RolloutLine(const fleet::RolloutProgress& progress, const std::map<RolloutStanding, std::size_t>& counts) {
  std::string out = fmt::format("{}: wave {}", Spoken(fleet::NameOf(progress.phase)), progress.wave);
  for (const auto& [standing, count] : counts) out += fmt::format(", {} {}", count, Spoken(fleet::NameOf(standing)));
  return out;
}

Result<Outcome> RunFleetRollout(const Arguments& arguments, machine::Host& host, const std::string& word,
                                const std::string& cluster) {
  const std::string name_space = PROV_TRY(FleetNamespace(arguments));
  if (word == "rollout") return Roll(arguments, host, cluster, name_space);
  const bool as_json = PROV_TRY(WantsJson(arguments));
  source::SourceSpec spec = PROV_TRY(ParseSourceSpec(arguments));
  spec.source = cluster;
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(spec));
  const source::SourcePorts ports{host.http(), host.clock()};
  const bool holds = word == "hold";
  const fleet::RolloutRecord record = holds ? PROV_TRY(controller::HoldRollout(name_space, access, ports))
                                            : PROV_TRY(controller::ResumeRollout(name_space, access, ports));
  if (as_json) {
    JsonWriter json;
    json.BeginObject();
    WriteProgress(json, record);
    WriteFindings(json, {});
    return Outcome{0, json.EndObject().Text(), {}};
  }
  const std::string_view next = holds ? "" : "run provisioner fleet rollout to go on, unless a controller does\n";
  return Outcome{0, fmt::format("{}\n{}{}", RolloutLine(record.progress, {}), NextOf(record.progress.phase), next), {}};
}

}  // namespace prov::cli
