#include "provisioner/cli/wim_commit.h"

#include <gtest/gtest.h>

namespace prov::cli {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;

Change Of(ItemKind kind, Action action, std::string name, std::string before = {}) {
  return {kind, action, std::move(name), std::move(before), {}, {}};
}

TEST(WimCommit, APasswordMayHaveBeenInWhatWasTakenAway) {
  const std::string old = "http://user:***@proxy:3128";
  EXPECT_TRUE(MayHaveTakenPassword({Of(ItemKind::kEnvironment, Action::kDelete, "HTTP_PROXY", old)}));
  EXPECT_TRUE(MayHaveTakenPassword({Of(ItemKind::kEnvironment, Action::kUpdate, "HTTP_PROXY", "http://***@proxy")}));
  EXPECT_TRUE(MayHaveTakenPassword({Of(ItemKind::kServiceEnvironment, Action::kDelete, "containerd")}));
  EXPECT_TRUE(MayHaveTakenPassword({Of(ItemKind::kWinInet, Action::kUpdate, "proxy server", old)}));
  EXPECT_TRUE(MayHaveTakenPassword({Of(ItemKind::kCertificate, Action::kDelete, "ROOT"),
                                    Of(ItemKind::kFile, Action::kDelete, "Windows/Setup/Scripts/egress.json")}));
}

TEST(WimCommit, ElseNothingNeedsToBeSaid) {
  const std::string old = "http://user:***@proxy:3128";
  EXPECT_FALSE(MayHaveTakenPassword({}));
  EXPECT_FALSE(MayHaveTakenPassword({Of(ItemKind::kEnvironment, Action::kCreate, "HTTP_PROXY"),
                                     Of(ItemKind::kEnvironment, Action::kNone, "HTTPS_PROXY", old),
                                     Of(ItemKind::kEnvironment, Action::kUpdate, "NO_PROXY", ".svc,10.0.0.0/8"),
                                     Of(ItemKind::kEnvironment, Action::kDelete, "HTTP_PROXY", "http://proxy:3128"),
                                     Of(ItemKind::kServiceEnvironment, Action::kCreate, "containerd"),
                                     Of(ItemKind::kWinHttp, Action::kDelete, "64-bit"),
                                     Of(ItemKind::kFile, Action::kDelete, "Windows/Setup/Scripts/manifest.json"),
                                     Of(ItemKind::kFile, Action::kCreate, "Windows/Setup/Scripts/egress.json")}));
}

}  // namespace
}  // namespace prov::cli
