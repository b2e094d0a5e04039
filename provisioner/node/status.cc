#include "provisioner/node/status.h"

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/items.h"

namespace prov::node {
namespace {

constexpr std::array<std::string_view, 3> kVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

std::optional<std::string> ValueIn(const std::vector<std::string>& block, std::string_view name) {
  for (const std::string& entry : block) {
    const std::size_t equals = entry.find('=', 1);  // "=C:" is the name of a drive's folder
    if (equals == std::string::npos || !EqualsIgnoreAsciiCase(entry.substr(0, equals), name)) continue;
    return entry.substr(equals + 1);
  }
  return std::nullopt;
}

// Windows merges the value of the service's key over the machine's variables when the service starts.
Result<RunningService> Look(OpenNode& node, std::string_view name, std::uint32_t process_id) {
  RunningService out{.name = std::string(name), .process_id = process_id, .variables = {}, .unreadable = {}};
  const auto block = node.host.services().EnvironmentOf(process_id);
  if (!block) {
    out.unreadable = block.error().message;
    return out;
  }
  const auto stored =
      PROV_TRY(node.machine.registry.Read(reconcile::ServiceKeyPath(name), reconcile::kServiceEnvironmentValue));
  const auto wanted = reconcile::ServiceEntries(stored).value_or(std::vector<std::string>());
  for (const std::string_view variable : kVariables) {
    const auto has = ValueIn(*block, variable);
    const auto wants = ValueIn(wanted, variable);
    if (has) out.variables.emplace_back(variable, reconcile::ShowVariable(variable, *has));
    out.stale = out.stale || (wants && has != wants);
  }
  return out;
}

Result<std::vector<RunningService>> LookAtServices(OpenNode& node, const reconcile::Ledger& ledger) {
  std::vector<RunningService> out;
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(reconcile::kServiceItem)) continue;
    const std::string_view name = std::string_view(item).substr(reconcile::kServiceItem.size());
    const auto state = PROV_TRY(node.host.services().Query(name));
    if (state && state->running) out.push_back(PROV_TRY(Look(node, name, state->process_id)));
  }
  return out;
}

}  // namespace

Result<NodeStatus> StatusOf(OpenNode& node) {
  machine::StateRecord& state = node.machine.state;
  NodeStatus out;
  out.engine = PROV_TRY(reconcile::StatusOf(node.machine));
  out.services = PROV_TRY(LookAtServices(node, out.engine.ledger));
  out.source = PROV_TRY(LoadSource(state));
  out.applied = PROV_TRY(LoadApplied(state));
  if (out.applied) out.age_seconds = node.host.clock().NowUnix() - out.applied->since;
  const auto hold = PROV_TRY(LoadHold(state));
  out.held = hold.has_value();
  if (out.engine.trial) out.trial = PROV_TRY(LoadTrial(state));
  const auto image = PROV_TRY(LoadImageRecord(state));
  out.image_incomplete = image && !image->complete;
  out.failure = PROV_TRY(LoadFailure(state));
  return out;
}

Result<std::vector<NotVisible>> NotVisibleInImage(OpenNode& node, const NodeStatus& status) {
  std::vector<NotVisible> out = {
      {"users", "what users have of their own (variables, WinINET proxy, certificates): their hives are not read"},
      {"processes", "what services run with: nothing runs in an image"},
      {"reboot", "whether a reboot is due: that is known of a running node only"}};
  for (const auto& [item, entry] : status.engine.ledger) {
    if (!item.starts_with(reconcile::kServiceItem)) continue;
    const std::string name = item.substr(reconcile::kServiceItem.size());
    // A key that was made ahead of its service holds no program.
    if (PROV_TRY(node.machine.registry.Read(reconcile::ServiceKeyPath(name), "ImagePath"))) continue;
    out.push_back({"service", name + ": its environment is ours, and this image has no such service"});
  }
  return out;
}

}  // namespace prov::node
