#include "provisioner/node/reboot_request.h"

#include <string>
#include <string_view>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/events.h"
#include "provisioner/node/records.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

constexpr std::string_view kReason = "provisioner changed the machine's proxy variables";
constexpr std::int64_t kPauseAfterFailure = 300;  // seconds

Result<bool> WasRequestedIn(machine::StateRecord& state, const std::string& boot) {
  const auto asked = PROV_TRY(state.Read(kRebootRequestSection));
  return asked && PROV_TRY(asked->Get("boot", &JsonNode::Text)) == boot;
}

Result<void> NoteRequest(OpenNode& node, RebootMethod method, const std::string& boot) {
  JsonWriter json;
  json.BeginObject().Member("boot", boot).Member("way", NameOf(method));
  json.Member("at", node.host.clock().NowUnix());
  return Remember(node.machine.state, kRebootRequestSection, json.EndObject().Text());
}

// If the operator can't be reached, count as not asked: a needed reboot must not wait for it.
bool IsRequestedAlready(DrainOperator* drains) {
  return drains != nullptr && drains->Read().value_or(NodeReboots()).operator_asked;
}

// Whether a reboot is needed and none was requested in this boot. Reads only.
Result<bool> RebootIsDue(OpenNode& node) {
  if (!PROV_TRY(reconcile::RebootPending(node.machine))) return false;
  return !PROV_TRY(WasRequestedIn(node.machine.state, PROV_TRY(node.machine.system.BootId())));
}

Result<void> AskWindows(OpenNode& node, RebootMethod method) {
  PROV_TRY(NoteRequest(node, method, PROV_TRY(node.machine.system.BootId())));
  Result<void> requested = node.host.Reboot(kReason);
  if (!requested) PROV_TRY(Forget(node.machine.state, kRebootRequestSection));
  return requested;
}

Result<void> AskOperator(OpenNode& node, DrainOperator& drains) {
  const std::string boot = PROV_TRY(node.machine.system.BootId());
  if (const Result<void> requested = drains.Request(); !requested) {
    PROV_TRY(Forget(node.machine.state, kRebootRequestSection));
    return requested;
  }
  return NoteRequest(node, RebootMethod::kAnnotate, boot);
}

void AddOperatorHasIt(Findings& findings) {
  AddInfo(findings, "reboot-waits",
          "a reboot is needed, and the Windows Machine Config Operator was asked for it already; nothing more is "
          "requested until the annotation is gone from the Node");
}

// Nothing is assumed of a Node that can't be read: the node may not be drained.
Result<void> RestartIfApproved(OpenNode& node, DrainOperator& drains, Findings& findings) {
  const NodeReboots said = PROV_TRY(drains.Read());
  if (said.operator_asked) {
    AddOperatorHasIt(findings);
    return {};
  }
  if (said.approved != PROV_TRY(node.machine.system.BootId())) {
    AddInfo(findings, "reboot-waits",
            "a reboot is needed, and waits until provisioner fleet reboot has drained this node and approved it");
    return {};
  }
  PROV_TRY(AskWindows(node, RebootMethod::kDrain));
  AddInfo(findings, "reboot-asked", "this node was drained, and Windows was asked to reboot");
  return {};
}

}  // namespace

Result<void> RequestChosenReboot(OpenNode& node, const RebootChoice& choice, DrainOperator* drains,
                                 Findings& findings) {
  if (!choice.method || !PROV_TRY(reconcile::RebootPending(node.machine))) return {};
  const RebootMethod method = *choice.method;
  const bool has_operator = PROV_TRY(reconcile::SeesWmcoDaemon(node.machine.registry));
  if (method == RebootMethod::kAnnotate && !has_operator) {
    AddWarning(findings, "reboot-annotate",
               "no annotation is written, because the Windows Machine Config Operator's daemon, which acts on it, is "
               "not on this machine; use --reboot drain or now");
    return {};
  }
  if (!choice.MayRequestAt(node.host.clock().NowUnix())) {
    AddInfo(findings, "reboot-waits", "a reboot is needed, and --reboot-window is not open now");
    return {};
  }
  if (!PROV_TRY(RebootIsDue(node))) {
    AddInfo(findings, "reboot-asked", "a reboot was requested earlier in this boot and is not requested again");
    return {};
  }
  if (method == RebootMethod::kDrain) return RestartIfApproved(node, *drains, findings);
  if (has_operator && IsRequestedAlready(drains)) {
    AddOperatorHasIt(findings);
    return {};
  }
  PROV_TRY(method == RebootMethod::kNow ? AskWindows(node, method) : AskOperator(node, *drains));
  AddInfo(findings, "reboot-asked",
          method == RebootMethod::kNow ? "Windows was asked to reboot"
                                       : "the Windows Machine Config Operator was asked to drain and reboot this node");
  return {};
}

Result<std::optional<DrainWish>> DrainWishOf(OpenNode& node, const RebootChoice& choice) {
  if (choice.method != RebootMethod::kDrain) return std::nullopt;
  DrainWish out{PROV_TRY(node.machine.system.BootId())};
  out.asked = PROV_TRY(WasRequestedIn(node.machine.state, out.boot));
  out.waits = !out.asked && choice.MayRequestAt(node.host.clock().NowUnix()) && PROV_TRY(RebootIsDue(node)) &&
              !PROV_TRY(LoadTrial(node.machine.state));
  return out;
}

Result<void> RoundReboots::RequestWhenDue() {
  const std::int64_t now = host_.clock().NowUnix();
  const bool is_paused = now < not_before_ && not_before_ - now <= kPauseAfterFailure;
  if (is_paused || !choice_.MayRequestAt(now)) return {};
  Result<void> requested = Request();
  if (!requested) not_before_ = host_.clock().NowUnix() + kPauseAfterFailure;
  return requested;
}

Result<void> RoundReboots::Request() {
  Findings findings;
  std::string boot;
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
    OpenNode node{host_, open->Ports()};
    if (!PROV_TRY(RebootIsDue(node))) return {};
    boot = PROV_TRY(node.machine.system.BootId());
  }
  if (choice_.method == RebootMethod::kDrain && PROV_TRY(drains_->Read()).approved != boot) return {};
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kWrite));
    OpenNode node{host_, open->Ports()};
    LogWarnings(host_, PROV_TRY(BeginRun(node)).findings, machine::Event::kRecovered);
    PROV_TRY(RequestChosenReboot(node, choice_, drains_, findings));
  }
  for (const Finding& f : findings) {
    if (f.severity == Severity::kWarning) return Fail(Code::kTarget, f.message, host_.Name());
  }
  return {};
}

}  // namespace prov::node
