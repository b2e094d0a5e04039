#include "provisioner/controller/object_keeper.h"

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
  KeptObject secret = PROV_TRY(ParseKeptObject(KeptKind::kUserData, body, where));
  if (!secret.keeps.empty()) {
    return Fail(Code::kKind,
                fmt::format("is kept by this program (label {}), so it is not the operator's Secret; name that one",
                            source::kKeepsLabel),
                where);
  }
  const auto found = secret.data.find(kKey);
  if (found == secret.data.end() || found->second.empty())
    return Fail(Code::kKind, fmt::format("has no key \"{}\", so it is no user data of machines", kKey), where);
  return found->second;
}

// The words that differ between the kinds.
struct Words {
  std::string_view mark;  // the value of the label
  std::string_view made_by;
  fleet::NodeEvent failed, changed, current;  // of `failed` what follows the failure
};

Words WordsOf(KeptKind kind) {
  if (kind == KeptKind::kPodParams) {
    return {source::kPodParamsMark,
            "pod-env --format admission-policy",
            {"EgressPodParamsFailed", "new pods get the last values", true},
            {"EgressPodParamsChanged", "new pods get other egress settings"},
            {"EgressPodParamsCurrent", "the parameters are what the source says"}};
  }
  return {source::kUserDataMark,
          "deploy --print --keep-secret",
          {"EgressUserDataFailed", "new machines get the last user data", true},
          {"EgressUserDataChanged", "new machines get other egress settings or another script"},
          {"EgressUserDataCurrent", "the user data is what the source says"}};
}

}  // namespace

Result<KeptObject> ObjectKeeper::Read(source::KubeClient& client) const {
  const std::string where = order_.object.Path();
  const Words words = WordsOf(order_.kind);
  const auto body = client.Get(order_.object);
  if (!body && body.error().code == Code::kNotFound) {
    Error error = body.error();
    error.message += fmt::format("; make it with provisioner {}", words.made_by);
    return std::unexpected(std::move(error));
  }
  KeptObject out = PROV_TRY(ParseKeptObject(order_.kind, PROV_TRY(body), where));
  if (out.keeps == words.mark) return out;
  return Fail(Code::kOwner,
              fmt::format("lacks the label {}={}, so it is not for this program to write: name another object, or make "
                          "this one with provisioner {}",
                          source::kKeepsLabel, words.mark, words.made_by),
              where);
}

Result<Baked> ObjectKeeper::Bake(source::KubeClient& client, const KeptObject& object) const {
  std::optional<std::string> foreign;
  if (order_.append_to) foreign = PROV_TRY(ScriptOf(PROV_TRY(client.Get(*order_.append_to)), order_.append_to->Path()));
  return bake_({object.data, std::move(foreign)});
}

NodeState ObjectKeeper::StateAfter(const std::optional<NodeState>& before, const Result<Baked>& baked,
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

bool ObjectKeeper::IsNews(const std::optional<NodeState>& before, const NodeState& now) const {
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

void ObjectKeeper::SendEvents(source::KubeClient& client, const std::optional<NodeState>& before, const NodeState& now,
                              bool wrote) {
  const Words words = WordsOf(order_.kind);
  std::vector<fleet::NodeEvent> events;
  if (now.failure && (!before || before->failure != now.failure)) {
    events.push_back(words.failed);
    events.back().message = fmt::format("{}; {}", now.failure->message, words.failed.message);
  }
  if (wrote) events.push_back(words.changed);
  if (!now.failure && before && before->failure && !wrote) events.push_back(words.current);
  for (const fleet::NodeEvent& event : events) {
    if (!budget_.Take(clock_.NowUnix())) return;
    const fleet::EventSubject subject{order_.kind == KeptKind::kUserData ? "Secret" : "ConfigMap",
                                      order_.object.name_space, order_.object.name};
    // An event is a service to readers: the annotation says the same.
    [[maybe_unused]] const auto sent = client.Create(source::EventsIn(order_.object.name_space),
                                                     fleet::EventObject(event, subject, order_.host, clock_.NowUnix()));
  }
}

Result<void> ObjectKeeper::Write(source::KubeClient& client, const KeptObject& object, const Result<Baked>& baked,
                                 KeepRound& out) {
  const bool differs = baked && baked->data != object.data;
  const NodeState now = StateAfter(object.state, baked, differs);
  if (!differs && !IsNews(object.state, now)) return {};
  const std::string patch = KeptObjectPatch(order_.kind, object, now, differs ? &baked->data : nullptr);
  out.lost_race = !PROV_TRY(client.PatchUnchanged(order_.object, patch));
  if (out.lost_race) return {};
  out.wrote_data = differs;
  out.wrote_state = true;
  if (now.failure) words_at_ = clock_.NowUnix();
  SendEvents(client, object.state, now, differs);
  return {};
}

Result<KeepRound> ObjectKeeper::Keep(source::KubeClient& client) {
  const KeptObject object = PROV_TRY(Read(client));
  const Result<Baked> baked = Bake(client, object);
  if (!baked && baked.error().code == Code::kInterrupted) return std::unexpected(baked.error());
  KeepRound out;
  if (!baked) out.failure = baked.error();
  PROV_TRY(Write(client, object, baked, out));
  // Last, so that a right that is missing for this alone keeps no Machine from current user data.
  if (order_.machine_sets && !out.lost_race) {
    const OurSecret ours{order_.object, !baked && object.data.empty(), baked ? "" : baked.error().message};
    out.machine_sets = PROV_TRY(ReviewMachineSets(client, ours));
  }
  return out;
}

}  // namespace prov::controller
