#include "provisioner/node/follow.h"

#include <fmt/format.h>

#include <optional>

#include "provisioner/node/events.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_follow.h"
#include "provisioner/source/source.h"

namespace prov::node {
namespace {

constexpr std::int64_t kLongestKept = 3600;  // seconds

// The settings last read from a watched source. Until it changes, rounds reuse them, so that thousands of nodes do not
// all ask for the same settings in each round.
class KeptSettings {
 public:
  explicit KeptSettings(machine::Host& host) : host_(host) {}

  // Null if they must be read again. A payload's signature and the files of choices are read each time.
  const Settings* Find(const SettingsSpec& spec) const {
    const std::int64_t age = host_.clock().NowUnix() - at_;
    if (!settings_ || spec != spec_ || age < 0 || age >= kLongestKept) return nullptr;
    const auto pin = LoadPin(host_);
    if (!pin || !pin->empty()) return nullptr;
    return spec.choices.Files().empty() ? &*settings_ : nullptr;
  }
  void Forget() { settings_.reset(); }
  void Keep(const SettingsSpec& spec, const Settings& settings) {
    spec_ = spec;
    settings_ = settings;
    at_ = host_.clock().NowUnix();
  }

 private:
  machine::Host& host_;
  SettingsSpec spec_;
  std::optional<Settings> settings_;
  std::int64_t at_ = 0;
};

}  // namespace

SettingsReader FollowedReader(machine::Host& host, source::SourceCache* cache) {
  return [&host, cache](const SettingsSpec& spec) -> Result<Settings> {
    return ReadSettings(host, spec, {PROV_TRY(LoadPin(host)), true, cache});
  };
}

void Follow(machine::Host& host, LoopOptions options) {
  DailyLimit limit;
  source::SourceCache cache;
  KeptSettings kept(host);
  source::KubeFollower follower({host.http(), host.clock()}, [&](const Error& error) {
    if (!limit.IsDue(error.message, host.clock().NowUnix())) return;
    LogEvent(host, machine::Event::kSourceUnavailable, Severity::kWarning,
             fmt::format("the source can't be watched ({}); it is read in each round all the same", error.message));
  });
  const SettingsReader read = [&](const SettingsSpec& spec) -> Result<Settings> {
    follower.Follow(RequestOf(host, spec.source, true));
    const Settings* known = follower.IsCurrent() ? kept.Find(spec) : nullptr;
    if (known != nullptr) return *known;
    kept.Forget();  // also if the reading fails
    Settings settings = PROV_TRY(FollowedReader(host, &cache)(spec));
    kept.Keep(spec, settings);
    return settings;
  };
  options.wait = [&](std::int64_t milliseconds) { return follower.Wait(milliseconds); };
  Loop(host, read, options);
}

}  // namespace prov::node
