#include "provisioner/cli/follow.h"

#include <optional>
#include <utility>

#include "provisioner/node/events.h"
#include "provisioner/node/signer.h"
#include "provisioner/node/source_reader.h"
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
  const node::Settings* Find(const node::SettingsSpec& spec) const {
    const std::int64_t age = host_.clock().NowUnix() - at_;
    if (!settings_ || spec != spec_ || age < 0 || age >= kLongestKept) return nullptr;
    const auto signer = node::PinnedSigner(host_);
    if (!signer || *signer) return nullptr;
    return spec.choices.subtract_file ? nullptr : &*settings_;
  }
  void Forget() { settings_.reset(); }
  void Keep(const node::SettingsSpec& spec, const node::Settings& settings) {
    spec_ = spec;
    settings_ = settings;
    at_ = host_.clock().NowUnix();
  }

 private:
  machine::Host& host_;
  node::SettingsSpec spec_;
  std::optional<node::Settings> settings_;
  std::int64_t at_ = 0;
};

}  // namespace

node::SettingsReader ReaderOn(machine::Host& host, source::SourceCache* cache) {
  return [&host, cache](const node::SettingsSpec& spec) -> Result<node::Settings> {
    return node::ReadSettings(host, spec, {PROV_TRY(node::PinnedSigner(host)), true, cache});
  };
}

void Follow(machine::Host& host, node::LoopOptions options, const node::NodeReporting& reporting) {
  node::WatchLog log(host);
  source::SourceCache cache;
  KeptSettings kept(host);
  source::KubeFollower follower({host.http(), host.clock()}, [&](const Error& error) { log.Write(error); });
  const node::SettingsReader read = [&](const node::SettingsSpec& spec) -> Result<node::Settings> {
    follower.Follow(node::RequestOf(host, spec.source, true));
    const node::Settings* known = follower.IsCurrent() ? kept.Find(spec) : nullptr;
    if (known != nullptr) return *known;
    kept.Forget();  // also where the reading fails
    node::Settings settings = PROV_TRY(ReaderOn(host, &cache)(spec));
    kept.Keep(spec, settings);
    return settings;
  };
  node::DailyNews news;
  BesideWork work(host, reporting, [&](const Error& error) {
    if (news.IsDue(error.message, host.clock().NowUnix())) node::LogFailure(host, error);
  });
  options.wait = [&](std::int64_t milliseconds) { return follower.Wait(milliseconds); };
  options.after = [&] { work.Do(); };
  node::Loop(host, read, options);
}

}  // namespace prov::cli
