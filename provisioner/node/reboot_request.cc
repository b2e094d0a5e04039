#include "provisioner/node/reboot_request.h"

#include <string>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::node {
namespace {

Result<bool> WasAskedIn(machine::StateRecord& state, const std::string& boot) {
  const auto asked = PROV_TRY(reconcile::ReadSection(state, kRebootAskedSection));
  return asked && PROV_TRY(PROV_TRY(asked->Get("boot")).Text()) == boot;
}

Result<void> NoteAsked(OpenNode& node, RebootWay way, const std::string& boot) {
  JsonWriter json;
  json.BeginObject().Member("boot", boot).Member("way", NameOf(way));
  json.Member("at", node.host.clock().NowUnix());
  return Remember(node.machine.state, kRebootAskedSection, json.EndObject().Text());
}

}  // namespace

Result<bool> RebootIsDue(OpenNode& node) {
  if (!PROV_TRY(reconcile::RebootPending(node.machine))) return false;
  return !PROV_TRY(WasAskedIn(node.machine.state, PROV_TRY(node.machine.system.BootId())));
}

Result<RebootAnswer> RequestReboot(OpenNode& node, RebootWay way, const std::function<Result<void>()>& ask) {
  if (!PROV_TRY(reconcile::RebootPending(node.machine))) return RebootAnswer::kNotNeeded;
  const std::string boot = PROV_TRY(node.machine.system.BootId());
  machine::StateRecord& state = node.machine.state;
  if (PROV_TRY(WasAskedIn(state, boot))) return RebootAnswer::kAskedBefore;
  if (way == RebootWay::kNow) PROV_TRY(NoteAsked(node, way, boot));
  if (const Result<void> asked = ask(); !asked) {
    PROV_TRY(Forget(state, kRebootAskedSection));
    return std::unexpected(asked.error());
  }
  if (way == RebootWay::kAnnotate) PROV_TRY(NoteAsked(node, way, boot));
  return RebootAnswer::kAsked;
}

}  // namespace prov::node
