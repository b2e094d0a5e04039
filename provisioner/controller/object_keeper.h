// Keeps one object as it would be made of the source now: the Secret with the user data of new machines, or the
// ConfigMap with the parameters of the pods' admission policy.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/finding.h"
#include "provisioner/controller/kept_object.h"
#include "provisioner/controller/machine_sets.h"
#include "provisioner/fleet/node_event.h"
#include "provisioner/node/approval.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

// What is made of the source now.
struct Baked {
  KeptData data;
  std::string digest;                            // egress::SettingsDigest of the source
  std::optional<std::string> credential_digest;  // as in fleet::NodeState
  std::optional<std::int64_t> generation;
  std::vector<std::string> scope, services;
  Findings findings = {};  // about the source, and about what is made of it
};

// What else it is made of, read a moment ago.
struct BakeInput {
  const KeptData& present;             // what the object holds
  std::optional<std::string> foreign;  // the operator's script; nullopt: none was asked for
  // The settings that a rollout has confirmed last; nullopt: there are none, or none were asked for.
  std::optional<node::ConfirmedConfig> confirmed = {};
};

// Errors: those of reading the source, and of what is made of it.
using Baker = std::function<Result<Baked>(const BakeInput& input)>;

struct KeepOrder {
  KeptKind kind = KeptKind::kUserData;
  source::KubeObject object;
  std::optional<source::KubeObject> append_to = {};  // the Secret whose script runs behind ours
  std::optional<source::KubeObject> confirmed = {};  // the Secret with the fleet's confirmed settings
  bool machine_sets = false;                         // looks at MachineSets, too
  std::vector<std::string> other_secrets = {};       // that these may name, too
  std::optional<std::int64_t> interval = {};         // seconds between two rounds; nullopt: there is one alone
  std::string version = {};                          // of this program
  std::string host = {};                             // of this process, for events
};

struct KeepRound {
  bool wrote_data = false;
  bool wrote_state = false;
  bool lost_race = false;    // another wrote the object meanwhile: make another round
  bool overwritten = false;  // another had changed the object since the last round, and this one wrote it again
  KeptHolds holds = KeptHolds::kUnknown;
  std::optional<Error> failure = {};  // why the object is not current; what is in it stays
  std::vector<MachineSetFault> machine_sets = {};
  std::optional<Error> machine_sets_failure = {};  // why the MachineSets could not be looked at
  // Those of Baked; controller-events: events are refused; controller-contested: another keeps changing the object.
  Findings findings = {};
};

// What a failure means for what is made next, such as "new machines get the last user data".
std::string_view MeaningOfFailure(KeptKind kind, KeptHolds holds);

class ObjectKeeper {
 public:
  ObjectKeeper(KeepOrder order, Baker bake, Clock& clock)
      : order_(std::move(order)), bake_(std::move(bake)), clock_(clock) {}

  // One round. The object is read before the source, and written only if nobody has written it since: so of two
  // controllers the one with the older source loses, whatever they believe of each other. A failure of the round is
  // that of the source, of the operator's Secret or of the confirmed settings; of the object: owner (it lacks our
  // mark), not-found; or that of a refused write, which the state says, too, where that is accepted. Errors:
  // interrupted; other ones of reading the object.
  Result<KeepRound> Keep(source::KubeClient& client);

  const KeepOrder& order() const { return order_; }

  // The object must say at least once in this time that the source was read.
  static constexpr std::int64_t kHeartbeatSeconds = 3600;
  // A failure that only words itself differently is written again after this time.
  static constexpr std::int64_t kWordsSeconds = 600;
  // Another keeps changing the object if it did so this often, each time at most kWordsSeconds after the last.
  static constexpr int kContested = 3;

 private:
  Result<KeptObject> Read(source::KubeClient& client) const;
  Result<Baked> Bake(source::KubeClient& client, const KeptObject& object) const;
  Result<void> Write(source::KubeClient& client, const KeptObject& object, const Result<Baked>& baked, KeepRound& out);
  void NoteChangeOfOthers(KeepRound& out);
  Result<void> WriteState(source::KubeClient& client, const KeptObject& object, const Result<Baked>& baked,
                          KeepRound& out);
  void TellOfNoObject(source::KubeClient& client, const KeepRound& round);
  void ReviewSets(source::KubeClient& client, KeepRound& out);
  // Returns whether the server has it.
  bool Send(source::KubeClient& client, const fleet::NodeEvent& event, const fleet::EventSubject& about,
            fleet::EventBudget& budget);
  fleet::EventSubject Subject(const std::string& uid) const;
  fleet::NodeState StateAfter(const std::optional<fleet::NodeState>& before, const Result<Baked>& baked,
                              bool writes) const;
  bool IsNews(const std::optional<fleet::NodeState>& before, const fleet::NodeState& now) const;
  void SendEvents(source::KubeClient& client, const KeptObject& before, const fleet::NodeState& now, bool wrote);

  KeepOrder order_;
  Baker bake_;
  Clock& clock_;
  std::int64_t words_at_ = 0;                // Unix time at which a failure was written last
  std::optional<std::string> left_;          // the digest of what the object held after the last round
  int overwritten_ = 0;                      // times, without a pause of kWordsSeconds
  std::int64_t overwritten_at_ = 0;          // Unix time
  std::optional<Code> told_;                 // why there was no object of ours when an event last said so
  std::vector<MachineSetFault> faults_;      // of the last round, as far as events have said them
  std::optional<Error> refused_event_;       // the last event, if it was refused
  fleet::EventBudget budget_, sets_budget_;  // of events about the object, and about MachineSets
};

}  // namespace prov::controller
