#include "provisioner/cli/follow.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/cli/machine_command.h"
#include "provisioner/node/events.h"
#include "provisioner/node/signer.h"
#include "provisioner/source/kube_follow.h"
#include "provisioner/source/source_cache.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestKept = 3600;  // seconds

// What was read of a source that is watched: while nothing changes there, thousands of nodes need not ask for the same
// again in each round.
class KeptSettings {
 public:
  explicit KeptSettings(machine::Host& host) : host_(host) {}

  // Null: it is to be read. A payload's signature and a file of --subtract are looked at each time.
  const node::Settings* Find(const node::SourceWords& words) const {
    const std::int64_t age = host_.clock().NowUnix() - at_;
    if (!settings_ || words != words_ || age < 0 || age >= kLongestKept) return nullptr;
    const auto signer = node::PinnedSigner(host_);
    if (!signer || *signer) return nullptr;
    const bool subtracts = std::ranges::any_of(words, [](const auto& word) { return word.starts_with("--subtract="); });
    return subtracts ? nullptr : &*settings_;
  }
  void Forget() { settings_.reset(); }
  void Keep(const node::SourceWords& words, const node::Settings& settings) {
    words_ = words;
    settings_ = settings;
    at_ = host_.clock().NowUnix();
  }

 private:
  machine::Host& host_;
  node::SourceWords words_;
  std::optional<node::Settings> settings_;
  std::int64_t at_ = 0;
};

}  // namespace

node::SettingsReader ReaderOn(machine::Host& host, source::SourceCache* cache) {
  return [&host, cache](const node::SourceWords& words) -> Result<node::Settings> {
    return ReadStoredSettings(host, words, PROV_TRY(node::PinnedSigner(host)), cache);
  };
}

void Follow(machine::Host& host, node::LoopOptions options, const BesideRounds& beside) {
  node::WatchLog log(host);
  source::SourceCache cache;
  KeptSettings kept(host);
  source::KubeFollower follower({host.http(), host.clock()}, [&](const Error& error) { log.Write(error); });
  const node::SettingsReader read = [&](const node::SourceWords& words) -> Result<node::Settings> {
    follower.Follow(PROV_TRY(StoredRequest(host, words)));
    const node::Settings* known = follower.IsCurrent() ? kept.Find(words) : nullptr;
    if (known != nullptr) return *known;
    kept.Forget();  // also where the reading fails
    node::Settings settings = PROV_TRY(ReaderOn(host, &cache)(words));
    kept.Keep(words, settings);
    return settings;
  };
  node::DailyNews news;
  BesideWork work(host, beside, [&](const Error& error) {
    if (news.IsDue(error.message, host.clock().NowUnix())) node::LogFailure(host, error);
  });
  options.wait = [&](std::int64_t milliseconds) { return follower.Wait(milliseconds); };
  options.after = [&] { work.Do(); };
  node::Loop(host, read, options);
}

}  // namespace prov::cli
