// Keeps the Secret with the user data of new machines as `bake` would write it now.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/controller/kept_secret.h"
#include "provisioner/controller/machine_sets.h"
#include "provisioner/fleet/node_event.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

// What `bake` makes of the source now.
struct BakedUserData {
  SecretData data;
  std::string digest;                            // egress::SettingsDigest of the source
  std::optional<std::string> credential_digest;  // as in fleet::NodeState
  std::int64_t generation = 0;
  std::vector<std::string> scope, services;
};

// `foreign`: the operator's script, read a moment ago; nullopt: none was asked for. Errors: those of reading the source
// and of `bake`.
using UserDataBaker = std::function<Result<BakedUserData>(const std::optional<std::string>& foreign)>;

struct KeepOrder {
  source::KubeObject secret;
  std::optional<source::KubeObject> append_to;  // the Secret whose script runs behind ours
  std::string version;                          // of this program
  std::string host;                             // of this process, for events
  bool machine_sets = false;                    // looks at MachineSets, too
};

struct KeepRound {
  bool wrote_data = false;
  bool wrote_state = false;
  bool lost_race = false;        // another wrote the Secret meanwhile: make another round at once
  std::optional<Error> failure;  // of the source or of the operator's Secret: the last user data stays
  std::vector<MachineSetFault> machine_sets;
};

class UserDataKeeper {
 public:
  UserDataKeeper(KeepOrder order, UserDataBaker bake, Clock& clock)
      : order_(std::move(order)), bake_(std::move(bake)), clock_(clock) {}

  // One round. The Secret is read before the source, and written only if nobody has written it since: so of two
  // controllers the one with the older source loses, whatever they believe of each other. Errors: those of the Secret
  // itself: owner (it lacks our mark), those of KubeClient.
  Result<KeepRound> Keep(source::KubeClient& client);

  // The Secret must say at least once in this time that the source was read.
  static constexpr std::int64_t kHeartbeatSeconds = 3600;
  // A failure that only words itself differently is written again after this time.
  static constexpr std::int64_t kWordsSeconds = 600;

 private:
  Result<BakedUserData> Bake(source::KubeClient& client) const;
  fleet::NodeState StateAfter(const std::optional<fleet::NodeState>& before, const Result<BakedUserData>& baked,
                              bool writes) const;
  bool IsNews(const std::optional<fleet::NodeState>& before, const fleet::NodeState& now) const;
  void SendEvents(source::KubeClient& client, const std::optional<fleet::NodeState>& before,
                  const fleet::NodeState& now, bool wrote);

  KeepOrder order_;
  UserDataBaker bake_;
  Clock& clock_;
  std::int64_t words_at_ = 0;  // Unix time at which a failure was written last
  fleet::EventBudget budget_;
};

}  // namespace prov::controller
