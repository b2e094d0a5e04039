#include "provisioner/fleet/node_event.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::fleet {
namespace {

constexpr std::string_view kComponent = "egress-provisioner";

std::string ShortDigest(const std::optional<std::string>& digest) {
  constexpr std::size_t kShown = 12;
  return digest ? std::string(Shorten(*digest, kShown)) : "none";
}

bool IsAnother(const std::optional<NodeFailure>& now, const std::optional<NodeFailure>& before) {
  return now && (!before || before->code != now->code);
}

// Of the approval of new settings.
void AddApprovalEvents(const NodeState& then, const NodeState& now, std::vector<NodeEvent>& out) {
  if (!now.approval) return;
  const NodeApproval before = then.approval.value_or(NodeApproval());
  const std::optional<NodeTrial>& trial = now.approval->trial;
  if (trial && trial != before.trial && trial->result == TrialResult::kConfirmed)
    out.push_back({"EgressConfirmed", fmt::format("the approved egress settings {} were tried and are confirmed",
                                                  ShortDigest(trial->digest))});
  if (trial && trial != before.trial && trial->result == TrialResult::kTakenBack) {
    out.push_back({"EgressTakenBack",
                   fmt::format("the approved egress settings {} were tried and taken back: {}",
                               ShortDigest(trial->digest), trial->reason),
                   true});
  } else if (now.approval->pending && now.approval->pending != before.pending) {
    out.push_back(
        {"EgressPending", fmt::format("the egress settings {} wait for approval", ShortDigest(now.approval->pending))});
  }
}

}  // namespace

std::vector<NodeEvent> EventsBetween(const std::optional<NodeState>& before, const NodeState& now) {
  std::vector<NodeEvent> out;
  const NodeState& then = before ? *before : now;
  if (then.digest != now.digest) {
    out.push_back({"EgressSettings", fmt::format("egress settings are {} now (before: {})", ShortDigest(now.digest),
                                                 ShortDigest(then.digest))});
  } else if (then.credential_digest != now.credential_digest) {
    out.push_back({"EgressSettings", "the credentials of the proxy have changed"});
  }
  AddApprovalEvents(then, now, out);
  const std::optional<NodeFailure> known = before ? before->failure : std::nullopt;
  if (IsAnother(now.failure, known)) {
    out.push_back({"EgressFailure", fmt::format("[{}] {}", now.failure->code, now.failure->message), true});
  } else if (known && !now.failure) {
    out.push_back({"EgressRecovered", fmt::format("[{}] is over", known->code)});
  }
  if (now.drift > 0 && then.drift == 0)
    out.push_back({"EgressDrift", fmt::format("{} item(s) of ours were changed by others", now.drift), true});
  if (!now.stale_services.empty() && then.stale_services.empty()) {
    out.push_back(
        {"EgressStale",
         fmt::format("{} runs with earlier egress settings until it starts again", fmt::join(now.stale_services, ", ")),
         true});
  }
  if (now.reboot_required && !then.reboot_required)
    out.push_back({"EgressReboot", "programs run with earlier egress settings until this node boots again"});
  if (now.held && !then.held)
    out.push_back({"EgressHeld", "a rollback or a trial holds: this node does not follow its source", true});
  return out;
}

std::string EventObject(const NodeEvent& event, const EventSubject& about, std::string_view host, std::int64_t now) {
  constexpr std::size_t kMostMessage = 1000;  // the API server takes 1024
  constexpr std::size_t kNameDigits = 16;
  const std::string time = FormatUtc(now);
  const std::string hash = ToHex(Sha256(fmt::format("{}\n{}\n{}", event.reason, event.message, now)));
  JsonWriter json;
  json.BeginObject().Member("apiVersion", "v1").Member("kind", "Event").Key("metadata").BeginObject();
  json.Member("name", fmt::format("{}.{}", about.name, hash.substr(0, kNameDigits)));
  json.Member("namespace", about.name_space.empty() ? "default" : about.name_space);
  json.EndObject().Key("involvedObject").BeginObject();
  json.Member("apiVersion", about.api_version).Member("kind", about.kind).Member("name", about.name);
  if (about.name_space.empty()) {
    // kubectl describe node finds the events by the node's name in the place of its UID; kubelet writes them so, too.
    json.Member("uid", about.name);
  } else {
    json.Member("namespace", about.name_space);
    if (!about.uid.empty()) json.Member("uid", about.uid);
  }
  json.EndObject();
  json.Member("reason", event.reason).Member("message", Shorten(Printable(event.message), kMostMessage));
  json.Member("type", event.is_warning ? "Warning" : "Normal").Member("count", 1);
  json.Member("firstTimestamp", time).Member("lastTimestamp", time);
  json.Key("source").BeginObject().Member("component", kComponent).Member("host", host).EndObject();
  json.Member("reportingComponent", kComponent).Member("reportingInstance", host);
  return json.EndObject().Text();
}

bool EventBudget::Take(std::int64_t now) {
  if (left_ == kMost) since_ = now;
  if (now < since_) since_ = now;  // the clock was set back
  const std::int64_t more = std::min((now - since_) / kSecondsForOne, kMost - left_);
  left_ += more;
  since_ += more * kSecondsForOne;
  if (left_ == 0) return false;
  --left_;
  return true;
}

}  // namespace prov::fleet
