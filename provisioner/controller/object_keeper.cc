#include "provisioner/controller/object_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/sentence.h"
#include "provisioner/fleet/rollout_record.h"

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
  std::string_view last, nothing;  // what new machines or pods get after a failure: what is there, or nothing
  std::string_view failed;         // the reason of an event
  fleet::NodeEvent changed, current;
};

Words WordsOf(KeptKind kind) {
  if (kind == KeptKind::kPodParams) {
    return {source::kPodParamsMark,
            "pod-env --format admission-policy",
            "new pods get the last values",
            "new pods get no values until then",
            "EgressPodParamsFailed",
            {"EgressPodParamsChanged", "new pods get other egress settings"},
            {"EgressPodParamsCurrent", "the parameters are what the source says"}};
  }
  return {source::kUserDataMark,
          "deploy --print --keep-secret",
          "new machines get the last user data",
          "new machines do not become nodes until then",
          "EgressUserDataFailed",
          {"EgressUserDataChanged", "new machines get other egress settings or another script"},
          {"EgressUserDataCurrent", "the user data is what the source says"}};
}

fleet::NodeEvent FailedEvent(KeptKind kind, KeptHolds holds, std::string_view message) {
  return {std::string(WordsOf(kind).failed), fmt::format("{}; {}", message, MeaningOfFailure(kind, holds)), true};
}

// Of what this program writes of an object.
std::string DigestOf(KeptKind kind, const KeptData& data, const std::optional<NodeState>& state) {
  return Sha256(KeptObjectPatch(kind, {}, state.value_or(NodeState()), &data));
}

KeptHolds HoldsOf(const KeptObject& object) { return object.data.empty() ? KeptHolds::kNothing : KeptHolds::kEarlier; }

}  // namespace

std::string_view MeaningOfFailure(KeptKind kind, KeptHolds holds) {
  if (holds == KeptHolds::kForeign) return "it stays as it is";
  if (holds == KeptHolds::kUnknown) return "what it holds is not known";
  const Words words = WordsOf(kind);
  return holds == KeptHolds::kEarlier ? words.last : words.nothing;
}

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
  // The label may have come with manifests that were applied over somebody's Secret.
  if (order_.kind == KeptKind::kUserData && out.keeps == words.mark && !out.was_written && !left_ &&
      !out.data.empty()) {
    return Fail(
        Code::kOwner,
        "holds data that no controller wrote, so they stay: keep another Secret; if nobody needs this one, delete "
        "it, and apply again what deploy printed",
        where);
  }
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
  std::optional<node::ConfirmedConfig> confirmed;
  // What can't be read is no sign that there are none.
  if (order_.confirmed)
    confirmed =
        PROV_TRY(fleet::ConfirmedOf(PROV_TRY(fleet::ReadConfirmedSecret(client, order_.confirmed->name_space))));
  return bake_({object.data, std::move(foreign), std::move(confirmed)});
}

NodeState ObjectKeeper::StateAfter(const std::optional<NodeState>& before, const Result<Baked>& baked,
                                   bool writes) const {
  NodeState out = before.value_or(NodeState());
  out.version = order_.version;
  out.interval = order_.interval;
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

fleet::EventSubject ObjectKeeper::Subject(const std::string& uid) const {
  return {order_.kind == KeptKind::kUserData ? "Secret" : "ConfigMap", order_.object.name_space, order_.object.name,
          uid};
}

// An event is a service to readers, so a refused one fails no round.
bool ObjectKeeper::Send(source::KubeClient& client, const fleet::NodeEvent& event, const fleet::EventSubject& about,
                        fleet::EventBudget& budget) {
  if (!budget.Take(clock_.NowUnix())) return false;
  const auto sent = client.Create(source::EventsIn(about.name_space),
                                  fleet::EventObject(event, about, order_.host, clock_.NowUnix()));
  if (sent) refused_event_.reset();
  if (!sent && client.was_refused()) refused_event_ = sent.error();
  return sent.has_value();
}

void ObjectKeeper::SendEvents(source::KubeClient& client, const KeptObject& before, const NodeState& now, bool wrote) {
  const Words words = WordsOf(order_.kind);
  const fleet::EventSubject about = Subject(before.uid);
  const std::optional<fleet::NodeFailure> then = before.state ? before.state->failure : std::nullopt;
  if (now.failure && then != now.failure)
    Send(client, FailedEvent(order_.kind, HoldsOf(before), now.failure->message), about, budget_);
  if (wrote) Send(client, words.changed, about, budget_);
  if (!now.failure && then && !wrote) Send(client, words.current, about, budget_);
}

// Once for each cause: there is no annotation that could say what was told.
void ObjectKeeper::TellOfNoObject(source::KubeClient& client, const KeepRound& round) {
  const Error& error = *round.failure;
  if (told_ == error.code) return;
  const auto event = FailedEvent(order_.kind, round.holds, SentenceWithPlace(error.message, error.where));
  if (Send(client, event, Subject(""), budget_)) told_ = error.code;
}

// Once is no more than somebody's mistake, or that another controller held the Lease meanwhile.
void ObjectKeeper::NoteChangeOfOthers(KeepRound& out) {
  const std::int64_t now = clock_.NowUnix();
  if (now < overwritten_at_ || now - overwritten_at_ > kWordsSeconds) overwritten_ = 0;
  overwritten_at_ = now;
  ++overwritten_;
  out.overwritten = true;
}

// With the old data if `baked` is an error, which the state then says.
Result<void> ObjectKeeper::WriteState(source::KubeClient& client, const KeptObject& object, const Result<Baked>& baked,
                                      KeepRound& out) {
  const bool differs = baked && baked->data != object.data;
  const NodeState now = StateAfter(object.state, baked, differs);
  std::string found = DigestOf(order_.kind, object.data, object.state);
  if (!differs && !IsNews(object.state, now)) {
    left_ = std::move(found);
    return {};
  }
  const std::string patch = KeptObjectPatch(order_.kind, object, now, differs ? &baked->data : nullptr);
  out.lost_race = !PROV_TRY(client.PatchUnchanged(order_.object, patch));
  if (out.lost_race) return {};
  if (left_ && *left_ != found) NoteChangeOfOthers(out);
  left_ = DigestOf(order_.kind, differs ? baked->data : object.data, now);
  out.wrote_data = differs;
  out.wrote_state = true;
  if (now.failure) words_at_ = clock_.NowUnix();
  SendEvents(client, object, now, differs);
  return {};
}

// A server may refuse the data alone, such as those of a Secret that is `immutable`.
Result<void> ObjectKeeper::Write(source::KubeClient& client, const KeptObject& object, const Result<Baked>& baked,
                                 KeepRound& out) {
  const Result<void> written = WriteState(client, object, baked, out);
  if (written || !baked || !client.was_refused()) return written;
  [[maybe_unused]] const auto said = WriteState(client, object, std::unexpected(written.error()), out);
  return written;
}

void ObjectKeeper::ReviewSets(source::KubeClient& client, KeepRound& out) {
  if (!order_.machine_sets || out.lost_race) return;
  auto faults = ReviewMachineSets(
      client, {order_.object, out.holds, out.failure ? out.failure->message : "", order_.other_secrets});
  if (!faults) {
    out.machine_sets_failure = std::move(faults).error();
    return;
  }
  out.machine_sets = *std::move(faults);
  std::vector<MachineSetFault> told;
  told.reserve(out.machine_sets.size());
  for (const MachineSetFault& one : out.machine_sets) {
    const bool known = std::ranges::any_of(faults_, [&](const MachineSetFault& then) { return then.IsLike(one); });
    if (known ||
        Send(client, {"EgressUserDataNotUsed", fmt::format("MachineSet {} {}", one.machine_set, one.message), true},
             {"MachineSet", order_.object.name_space, one.machine_set, one.uid, kMachineSetVersion}, sets_budget_))
      told.push_back(one);
  }
  faults_ = std::move(told);
}

Result<KeepRound> ObjectKeeper::Keep(source::KubeClient& client) {
  KeepRound out;
  const Result<KeptObject> object = Read(client);
  if (object) {
    told_.reset();
    Result<Baked> baked = Bake(client, *object);
    if (!baked && baked.error().code == Code::kInterrupted) return std::unexpected(baked.error());
    out.holds = HoldsOf(*object);
    if (!baked) out.failure = baked.error();
    const Result<void> written = Write(client, *object, baked, out);
    if (!written) out.failure = written.error();
    if (baked) out.findings = std::move(baked->findings);
  } else {
    const bool missing = object.error().code == Code::kNotFound;
    if (!missing && object.error().code != Code::kOwner) return std::unexpected(object.error());
    out.holds = missing ? KeptHolds::kMissing : KeptHolds::kForeign;
    out.failure = object.error();
    TellOfNoObject(client, out);
  }
  // Last, so that a right that is missing for this alone keeps no Machine from current user data.
  ReviewSets(client, out);
  if (out.overwritten && overwritten_ >= kContested) {
    AddWarning(out.findings, "controller-contested",
               "another program keeps changing this object, and this one puts it back; its metadata.managedFields say "
               "who: end that program, or name another object",
               order_.object.Path());
  }
  if (refused_event_) {
    AddWarning(out.findings, "controller-events",
               fmt::format("events are refused, so only this log and the annotation {} say what happens: {}",
                           fleet::kStateAnnotation, refused_event_->message),
               refused_event_->where);
  }
  return out;
}

}  // namespace prov::controller
