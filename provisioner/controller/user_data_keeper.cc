#include "provisioner/controller/user_data_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/sentence.h"

namespace prov::controller {
namespace {

using fleet::NodeState;

// The script in the operator's Secret.
Result<std::string> ScriptOf(const std::string& body, const std::string& where) {
  constexpr std::string_view kKey = "userData";
  KeptSecret secret = PROV_TRY(ParseKeptSecret(body, where));
  if (!secret.keeps.empty()) {
    return Fail(Code::kKind,
                fmt::format("is kept by this program (label {}), so it is not the operator's Secret; name that one",
                            kKeepsLabel),
                where);
  }
  const auto found = secret.data.find(std::string(kKey));
  if (found == secret.data.end() || found->second.empty())
    return Fail(Code::kKind, fmt::format("has no key \"{}\", so it is no user data of machines", kKey), where);
  return found->second;
}

}  // namespace

Result<BakedUserData> UserDataKeeper::Bake(source::KubeClient& client) const {
  std::optional<std::string> foreign;
  if (order_.append_to) foreign = PROV_TRY(ScriptOf(PROV_TRY(client.Get(*order_.append_to)), order_.append_to->Path()));
  return bake_(foreign);
}

NodeState UserDataKeeper::StateAfter(const std::optional<NodeState>& before, const Result<BakedUserData>& baked,
                                     bool writes) const {
  NodeState out = before.value_or(NodeState());
  out.version = order_.version;
  if (!baked) {
    out.failure = fleet::NodeFailure{std::string(InfoOf(baked.error().code).name),
                                     SentenceWithPlace(baked.error().message, baked.error().where)};
    return out;
  }
  out.failure.reset();
  out.digest = baked->digest;
  out.credential_digest = baked->credential_digest;
  out.generation = baked->generation;
  out.scope = baked->scope;
  out.services = baked->services;
  out.read_at = clock_.NowUnix();
  if (writes || !out.applied_at) out.applied_at = out.read_at;
  return out;
}

bool UserDataKeeper::IsNews(const std::optional<NodeState>& before, const NodeState& now) const {
  if (!before) return true;
  const auto is_over = [&](std::int64_t since, std::int64_t seconds) {
    const std::int64_t age = clock_.NowUnix() - since;
    return age >= seconds || age < 0;  // or the clock was set back
  };
  NodeState same = *before;
  same.read_at = now.read_at;
  if (same.failure && now.failure && same.failure->code == now.failure->code && !is_over(words_at_, kWordsSeconds))
    same.failure = now.failure;
  if (fleet::StateText(same) != fleet::StateText(now)) return true;
  return is_over(before->read_at.value_or(0), kHeartbeatSeconds) && before->read_at != now.read_at;
}

void UserDataKeeper::SendEvents(source::KubeClient& client, const std::optional<NodeState>& before,
                                const NodeState& now, bool wrote) {
  std::vector<fleet::NodeEvent> events;
  if (now.failure && (!before || before->failure != now.failure)) {
    events.push_back(
        {"EgressUserDataFailed", fmt::format("{}; new machines get the last user data", now.failure->message), true});
  }
  if (wrote) events.push_back({"EgressUserDataChanged", "new machines get other egress settings or another script"});
  if (!now.failure && before && before->failure && !wrote)
    events.push_back({"EgressUserDataCurrent", "the user data is what the source says"});
  for (const fleet::NodeEvent& event : events) {
    if (!budget_.Take(clock_.NowUnix())) return;
    const fleet::EventSubject subject{"Secret", order_.secret.name_space, order_.secret.name};
    // An event is a service to readers: the annotation says the same.
    [[maybe_unused]] const auto sent = client.Create(source::EventsIn(order_.secret.name_space),
                                                     fleet::EventObject(event, subject, order_.host, clock_.NowUnix()));
  }
}

Result<KeepRound> UserDataKeeper::Keep(source::KubeClient& client) {
  const std::string where = order_.secret.Path();
  const KeptSecret secret = PROV_TRY(ParseKeptSecret(PROV_TRY(client.Get(order_.secret)), where));
  if (secret.keeps != kUserDataKept) {
    return Fail(Code::kOwner,
                fmt::format("lacks the label {}={}, so it is not for this program to write: name another Secret, or "
                            "make this one with provisioner deploy --print --keep-secret",
                            kKeepsLabel, kUserDataKept),
                where);
  }
  const Result<BakedUserData> baked = Bake(client);
  if (!baked && baked.error().code == Code::kInterrupted) return std::unexpected(baked.error());
  KeepRound out;
  if (!baked) out.failure = baked.error();
  if (order_.machine_sets) out.machine_sets = PROV_TRY(ReviewMachineSets(client, order_.secret));
  const bool differs = baked && baked->data != secret.data;
  const NodeState now = StateAfter(secret.state, baked, differs);
  if (!differs && !IsNews(secret.state, now)) return out;
  const std::string patch = KeptSecretPatch(secret, now, differs ? &baked->data : nullptr);
  if (!PROV_TRY(client.PatchUnchanged(order_.secret, patch))) {
    out.lost_race = true;
    return out;
  }
  out.wrote_data = differs;
  out.wrote_state = true;
  if (now.failure) words_at_ = clock_.NowUnix();
  SendEvents(client, secret.state, now, differs);
  return out;
}

}  // namespace prov::controller
