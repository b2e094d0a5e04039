#include "provisioner/node/reboot_request.h"

#include <string>
#include <string_view>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

constexpr std::string_view kReason = "provisioner changed the machine's proxy variables";
constexpr std::int64_t kPauseAfterFailure = 300;  // seconds

Result<bool> WasAskedIn(machine::StateRecord& state, const std::string& boot) {
  const auto asked = PROV_TRY(state.Read(kRebootAskedSection));
  return asked && PROV_TRY(PROV_TRY(asked->Get("boot")).Text()) == boot;
}

Result<void> NoteAsked(OpenNode& node, RebootWay way, const std::string& boot) {
  JsonWriter json;
  json.BeginObject().Member("boot", boot).Member("way", NameOf(way));
  json.Member("at", node.host.clock().NowUnix());
  return Remember(node.machine.state, kRebootAskedSection, json.EndObject().Text());
}

// If the operator can't be reached, count as not asked: a needed reboot must not wait for it.
bool IsAskedAlready(DrainOperator* drains) { return drains != nullptr && drains->IsAsked().value_or(false); }

void AddAnswer(RebootAnswer answer, RebootWay way, Findings& findings) {
  if (answer == RebootAnswer::kAskedBefore) {
    AddInfo(findings, "reboot-asked", "a reboot was requested earlier in this boot and is not requested again");
  } else if (answer == RebootAnswer::kAsked) {
    AddInfo(findings, "reboot-asked",
            way == RebootWay::kNow ? "Windows was asked to reboot"
                                   : "the Windows Machine Config Operator was asked to drain and reboot this node");
  }
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

Result<void> RequestChosenReboot(OpenNode& node, const RebootChoice& choice, DrainOperator* drains,
                                 Findings& findings) {
  if (!choice.way || !PROV_TRY(reconcile::RebootPending(node.machine))) return {};
  const RebootWay way = *choice.way;
  const bool has_operator = PROV_TRY(reconcile::SeesWmcoDaemon(node.machine.registry));
  if (way == RebootWay::kAnnotate && !has_operator) {
    AddWarning(findings, "reboot-annotate",
               "no annotation is written, because the Windows Machine Config Operator's daemon, which acts on it, is "
               "not on this machine; use --reboot now");
    return {};
  }
  if (!choice.MayAskAt(node.host.clock().NowUnix())) {
    AddInfo(findings, "reboot-waits", "a reboot is needed, and --reboot-window is not open now");
    return {};
  }
  if (has_operator && drains != nullptr && PROV_TRY(RebootIsDue(node)) && IsAskedAlready(drains)) {
    AddInfo(findings, "reboot-waits",
            "a reboot is needed, and the Windows Machine Config Operator was asked for it already; nothing more is "
            "requested until the annotation is gone from the Node");
    return {};
  }
  const RebootAnswer answer = PROV_TRY(RequestReboot(
      node, way, [&]() -> Result<void> { return way == RebootWay::kNow ? node.host.Reboot(kReason) : drains->Ask(); }));
  AddAnswer(answer, way, findings);
  return {};
}

Result<void> RoundReboots::RequestWhenDue() {
  const std::int64_t now = host_.clock().NowUnix();
  const bool is_paused = now < not_before_ && not_before_ - now <= kPauseAfterFailure;
  if (is_paused || !choice_.MayAskAt(now)) return {};
  Result<void> requested = Request();
  if (!requested) not_before_ = host_.clock().NowUnix() + kPauseAfterFailure;
  return requested;
}

Result<void> RoundReboots::Request() {
  Findings findings;
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
    OpenNode node{host_, open->Ports()};
    if (!PROV_TRY(RebootIsDue(node))) return {};
  }
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kWrite));
    OpenNode node{host_, open->Ports()};
    PROV_TRY(RequestChosenReboot(node, choice_, drains_, findings));
  }
  for (const Finding& f : findings) {
    if (f.severity == Severity::kWarning) return Fail(Code::kTarget, f.message, host_.Name());
  }
  return {};
}

}  // namespace prov::node
