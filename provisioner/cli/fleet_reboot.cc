#include "provisioner/cli/fleet_reboot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/fleet_rollout.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/controller/reboot.h"
#include "provisioner/fleet/rollout_plan.h"

namespace prov::cli {
namespace {

using controller::RebootView;
using fleet::RebootNode;
using fleet::RebootStage;

constexpr std::int64_t kLongestReboot = 86400;  // seconds
constexpr std::int64_t kMostAtATime = 1000;

Result<fleet::RebootOrder> ParseRebootOrder(const Arguments& arguments) {
  fleet::RebootOrder out;
  const std::int64_t wave = PROV_TRY(Number(arguments, "wave", 1));
  if (wave < 1 || wave > kMostAtATime)
    return Fail(Code::kUsage, fmt::format("takes a number of nodes, 1 to {}, for fleet reboot", kMostAtATime),
                "--wave");
  out.wave = static_cast<std::size_t>(wave);
  out.timeout_seconds = PROV_TRY(Number(arguments, "timeout", out.timeout_seconds));
  if (out.timeout_seconds < 1 || out.timeout_seconds > kLongestReboot)
    return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", kLongestReboot), "--timeout");
  out.force = arguments.Has(kForceOption);
  return out;
}

// How far it is, in one line: "3 wait; draining win-1".
std::string ProgressLine(const RebootView& view) {
  std::size_t waits = 0;
  std::map<RebootStage, std::vector<std::string>> in_turn;
  for (const RebootNode& node : view.nodes) {
    const RebootStage stage = StageOf(node);
    if (stage == RebootStage::kWaits) ++waits;
    if (node.turn) in_turn[stage].push_back(node.name);
  }
  std::string out = fmt::format("{} wait", waits);
  for (const auto& [stage, names] : in_turn) out += fmt::format("; {} {}", NameOf(stage), fleet::NamesInShort(names));
  if (waits > 0 && view.rollout_open) out += "; none is begun while a rollout of settings is under way";
  return out;
}

// Why a node is not done; "": it is, or needs nothing.
std::string LeftReason(const RebootNode& node, const fleet::RebootProgress& progress) {
  if (const auto found = progress.failed.find(node.name); found != progress.failed.end()) return found->second;
  if (StageOf(node) != RebootStage::kWaits) return "";
  if (node.operator_asked) return "is left to the Windows Machine Config Operator, which was asked to reboot it";
  if (!node.ready) return "waits for its reboot, and is not ready";
  if (progress.done.contains(node.name))
    return "restarted, and needs a reboot again; find out what changes there at each boot";
  if (node.approved == node.state->drain->boot) return "has an approval without a turn, and was not touched";
  if (progress.blocked) return "waits for a rollout of settings, which did not go on, and was not begun";
  return "waits for its reboot, and was not begun";
}

// What is the operator's is no failure of ours.
bool IsLeft(const RebootNode& node, const fleet::RebootProgress& progress) {
  return progress.failed.contains(node.name) || (StageOf(node) == RebootStage::kWaits && !node.operator_asked);
}

bool IsGood(const RebootView& view) {
  return view.progress.failed.empty() &&
         std::ranges::none_of(view.nodes, [&](const RebootNode& node) { return IsLeft(node, view.progress); });
}

std::string_view PhaseOf(const RebootView& view) { return IsGood(view) ? "done" : "failed"; }

std::string TextOf(const RebootView& view) {
  std::string out = fmt::format("{}: {} restarted\n", PhaseOf(view), view.progress.done.size());
  std::size_t later = 0;
  for (const RebootNode& node : view.nodes) {
    const std::string reason = LeftReason(node, view.progress);
    if (!reason.empty()) out += Printable(fmt::format("  {} {}", node.name, reason)) + "\n";
    if (reason.empty() && StageOf(node) == RebootStage::kIdle && node.state && node.state->reboot_required) ++later;
  }
  if (later > 0) {
    out += fmt::format(
        "{} of the others need{} a reboot and {} not wait for it now: outside the window, requested "
        "already, or without --reboot drain\n",
        later, later == 1 ? "s" : "", later == 1 ? "does" : "do");
  }
  if (view.progress.blocked) {
    out +=
        "a rollout of settings is under way, and perhaps nobody runs it: go on with provisioner fleet rollout, or stop "
        "it with provisioner fleet hold, and run this again\n";
  } else if (!IsGood(view)) {
    out += "see to these nodes, and run it again\n";
  }
  return out;
}

std::string JsonOf(const RebootView& view) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("phase", PhaseOf(view)).Strings("restarted", view.progress.done);
  json.Key("nodes").BeginArray();
  for (const RebootNode& node : view.nodes) {
    json.BeginObject().Member("name", node.name).Member("stage", NameOf(StageOf(node)));
    json.Member("cordoned", node.cordoned).Member("reason", LeftReason(node, view.progress)).EndObject();
  }
  json.EndArray();
  WriteFindings(json, {});
  return json.EndObject().Text();
}

}  // namespace

Result<Outcome> RunFleetReboot(const Arguments& arguments, machine::Host& host, const std::string& cluster) {
  const bool as_json = PROV_TRY(WantsJson(arguments));
  controller::RebootRequest request;
  request.name_space = PROV_TRY(FleetNamespace(arguments));
  request.identity = fmt::format("reboot_{:08x}{:08x}", source::KubeRandom(), source::KubeRandom());
  request.order = PROV_TRY(ParseRebootOrder(arguments));
  std::string waited;
  request.waits_for = [&](const Error& error) {
    if (std::exchange(waited, error.message) != error.message) PrintError(stderr, error);
  };
  source::SourceSpec spec = PROV_TRY(ParseSourceSpec(arguments));
  spec.source = cluster;
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(spec));
  std::string last;
  std::map<std::string, std::string> told;
  const auto report = [&](const RebootView& view) {
    if (view.is_over) return;  // how it ends is the command's output
    std::string line = ProgressLine(view);
    if (line != last) std::fputs((line + "\n").c_str(), stderr);
    last = std::move(line);
    for (const auto& [name, why] : view.progress.failed) {
      if (std::exchange(told[name], why) != why)
        std::fputs((Printable(fmt::format("{} {}", name, why)) + "\n").c_str(), stderr);
    }
  };
  const RebootView end = PROV_TRY(controller::RunReboots(request, access, {host.http(), host.clock()}, report));
  return Outcome{IsGood(end) ? 0 : kExitDifferences, as_json ? JsonOf(end) : TextOf(end), {}};
}

}  // namespace prov::cli
