#include "provisioner/cli/follow.h"

#include <utility>

#include "provisioner/cli/machine_command.h"
#include "provisioner/node/events.h"
#include "provisioner/node/signer.h"
#include "provisioner/source/kube_follow.h"
#include "provisioner/source/source_cache.h"

namespace prov::cli {

node::SettingsReader ReaderOn(machine::Host& host, source::SourceCache* cache) {
  return [&host, cache](const node::SourceWords& words) -> Result<node::Settings> {
    return ReadStoredSettings(host, words, PROV_TRY(node::PinnedSigner(host)), cache);
  };
}

void Follow(machine::Host& host, node::LoopOptions options, const BesideRounds& beside) {
  node::WatchLog log(host);
  source::SourceCache cache;
  source::KubeFollower follower({host.http(), host.clock()}, [&](const Error& error) { log.Write(error); });
  const node::SettingsReader read = [&](const node::SourceWords& words) -> Result<node::Settings> {
    follower.Follow(PROV_TRY(StoredRequest(host, words)));
    return ReaderOn(host, &cache)(words);
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
