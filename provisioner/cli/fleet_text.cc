#include "provisioner/cli/fleet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "provisioner/base/clock.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/fleet_rollout.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/settings.h"

namespace prov::cli {
namespace {

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
  json.Member("rebootRequired", state.reboot_required);
  if (row.node.name_space.empty()) json.Member("reboot", RebootWord(row));
  json.Member("held", state.held);
  const auto failure = FailureOf(row.node);
  if (BeginObjectOrNull(json, "failure", failure.has_value()))
    json.Member("code", failure->code).Member("message", failure->message).EndObject();
  if (state.approval) fleet::WriteApproval(*state.approval, json);
  json.Member("version", state.version).EndObject();
}

void WriteRollout(JsonWriter& json, const std::optional<fleet::FleetRollout>& rollout) {
  if (!BeginObjectOrNull(json, "rollout", rollout.has_value())) return;
  const auto& [order, progress, approval] = rollout->record;
  json.Member("phase", fleet::NameOf(progress.phase)).Member("wave", progress.wave).Member("digest", order.digest);
  json.Member("previous", order.previous).Member("attempt", order.attempt).Member("reason", progress.reason);
  json.Key("standings").BeginObject();
  for (const auto& [node, standing] : rollout->standings) json.Member(node, fleet::NameOf(standing));
  json.EndObject().EndObject();
}

// The trial of settings that were taken back and are still what is wanted; null: there is none.
const fleet::NodeTrial* Reverted(const fleet::NodeRow& row, const std::string& wanted) {
  if (row.current || !row.node.state || !row.node.state->approval) return nullptr;
  const std::optional<fleet::NodeTrial>& trial = row.node.state->approval->trial;
  const bool is_it = trial && trial->digest == wanted && trial->result == fleet::TrialResult::kTakenBack;
  return is_it ? &*trial : nullptr;
}

}  // namespace

std::string_view CurrentWord(const fleet::NodeRow& row, const std::string& wanted) {
  if (row.current) return "yes";
  if (Reverted(row, wanted) != nullptr) return "reverted";
  if (const auto& state = row.node.state; state && state->approval) {
    if (state->approval->trial && state->approval->trial->result == fleet::TrialResult::kRunning) return "trial";
    if (state->approval->pending == wanted) return "pending";
  }
  if (row.node.state && row.node.state->held) return "held";
  return row.credentials_current == false ? "password" : "no";
}

std::string_view RebootWord(const fleet::NodeRow& row) {
  switch (row.node.stage) {
    case fleet::RebootStage::kIdle:
      break;
    case fleet::RebootStage::kWaits:
      return "waits";
    case fleet::RebootStage::kDraining:
      return "drains";
    case fleet::RebootStage::kRestarting:
    case fleet::RebootStage::kBack:
      return "boots";
    case fleet::RebootStage::kUnknown:
      return "damaged";
  }
  return row.node.state && row.node.state->reboot_required ? "needed" : "no";
}

std::string TroubleOf(const fleet::NodeRow& row, const std::string& wanted) {
  if (const auto failure = FailureOf(row.node)) return fmt::format("[{}] {}", failure->code, failure->message);
  if (const fleet::NodeTrial* reverted = Reverted(row, wanted); reverted != nullptr && !reverted->reason.empty())
    return reverted->reason;
  if (row.node.state && !row.node.state->stale_services.empty())
    return fmt::format("[service-stale] {}", fmt::join(row.node.state->stale_services, ", "));
  return "";
}

std::string NameOf(const fleet::NodeRow& row) {
  return row.node.name_space.empty() ? row.node.name : fmt::format("{}/{}", row.node.name_space, row.node.name);
}

std::string ShortDigest(const std::optional<std::string>& digest) {
  constexpr std::size_t kShown = 12;
  return digest ? Printable(Shorten(*digest, kShown)) : "-";
}

std::size_t CountCurrent(const std::vector<fleet::NodeRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count(rows, true, &fleet::NodeRow::current));
}

std::string FleetTable(std::string_view title, const std::vector<fleet::NodeRow>& rows, const std::string& wanted,
                       std::int64_t now) {
  std::size_t width = title.size();
  for (const fleet::NodeRow& row : rows) width = std::max(width, NameOf(row).size());
  constexpr std::string_view kForm = "{:<{}}  {:<8}  {:<12}  {:<11}  {:>5}  {:<6}  {:<8}  {}\n";
  std::string out =
      fmt::format(kForm, title, width, "CURRENT", "DIGEST", "APPLIED", "DRIFT", "REBOOT", "VERSION", "FAILURE");
  for (const fleet::NodeRow& row : rows) {
    const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
    const std::string age = state.applied_at ? node::DescribeAge(now - *state.applied_at) : "-";
    const std::string trouble = Printable(TroubleOf(row, wanted));
    out += fmt::format(kForm, Printable(NameOf(row)), width, CurrentWord(row, wanted), ShortDigest(state.digest), age,
                       state.drift, RebootWord(row), state.version.empty() ? "-" : Printable(state.version),
                       trouble.empty() ? "-" : trouble);
  }
  return out;
}

std::string RolloutLines(const std::optional<fleet::FleetRollout>& rollout) {
  if (!rollout) return {};
  const auto& [order, progress, approval] = rollout->record;
  std::map<fleet::RolloutStanding, std::size_t> counts;
  for (const auto& [node, standing] : rollout->standings) ++counts[standing];
  std::string out = fmt::format("rollout of {}: {}\n", ShortDigest(order.digest), RolloutLine(progress, counts));
  if (!progress.reason.empty()) out += Printable(progress.reason) + "\n";
  return out;
}

std::string FleetText(const fleet::FleetStatus& fleet, std::int64_t now) {
  const std::string wanted =
      fmt::format("wanted {} of {}\n", ShortDigest(fleet.wanted), Printable(node::NameOf(fleet.source)));
  std::string out = "the cluster has no Windows nodes (label kubernetes.io/os=windows)\n";
  if (!fleet.rows.empty()) out = FleetTable("NODE", fleet.rows, fleet.wanted, now);
  if (!fleet.secrets.empty()) out += FleetTable("SECRET", fleet.secrets, fleet.wanted, now);
  if (!fleet.rows.empty())
    out += fmt::format("{} of {} nodes are current; {}", CountCurrent(fleet.rows), fleet.rows.size(), wanted);
  if (!fleet.secrets.empty())
    out += fmt::format("{} of {} Secrets with user data are current{}", CountCurrent(fleet.secrets),
                       fleet.secrets.size(), fleet.rows.empty() ? "; " + wanted : "\n");
  return out + RolloutLines(fleet.rollout);
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
  WriteRollout(json, fleet.rollout);
  WriteFindings(json, fleet.findings);
  return json.EndObject().Text();
}

}  // namespace prov::cli
