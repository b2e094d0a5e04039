#include "provisioner/source/kube_follow.h"

#include <fmt/format.h>

#include "tests/source/kube_helpers.h"

namespace prov::source {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::int64_t kMinute = 60'000;

class Follow : public KubeTest {
 protected:
  using Step = FakeCluster::Step;

  Follow() : follower_(cluster_.Ports(), [this](const Error& e) { Told(e); }, Nowhere(), [] { return 0U; }) {}

  void Told(const Error& error) {
    ExpectNoSecret(error);
    told_.push_back(error.message);
  }
  static std::string List(std::string_view config, std::string_view version = "10") {
    return fmt::format(R"({{"kind":"MachineConfigPoolList","metadata":{{"resourceVersion":"{}"}},"items":[{}]}})",
                       version, Pool(config));
  }
  static Step Lists(std::string_view config, std::string_view version = "10") {
    return FakeCluster::Says(200, List(config, version));
  }
  static std::string Line(std::string_view type, std::string_view object) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
  }
  // A watch that sends this and ends after so many seconds, or as soon as enough was heard.
  Step Watches(std::string bytes, int seconds = 60) {
    return [this, bytes, seconds](const net::FetchRequest& request) {
      for (std::size_t at = 0; at < bytes.size(); at += 7) {
        if (!request.sink(bytes.substr(at, 7))) return FakeCluster::Answer(200);
      }
      cluster_.now += seconds;
      return FakeCluster::Answer(200);
    };
  }
  // The service reads its source, then waits.
  bool Round(std::int64_t milliseconds = kMinute) {
    follower_.Follow(Request());
    return follower_.Wait(milliseconds);
  }
  // What is left of the script was not asked for.
  void ExpectAllUsed() { EXPECT_THAT(cluster_.script, IsEmpty()); }
  std::int64_t Passed() const { return cluster_.now - 1'800'000'000; }

  std::vector<std::string> told_;
  KubeFollower follower_;
};

TEST_F(Follow, AChangeEndsTheWait) {
  cluster_.script = {Lists("a"), Watches(Line("MODIFIED", Pool("a", "11")) + Line("MODIFIED", Pool("b", "12")) +
                                         Line("MODIFIED", Pool("c", "13")))};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 2);
  EXPECT_THAT(cluster_.waits, ElementsAre(AllOf(Ge(500), Le(1500)))) << "a moment for others to change, too";
  EXPECT_THAT(told_, IsEmpty());
  // The next wait goes on from there, without a list.
  cluster_.script = {Watches("")};
  EXPECT_TRUE(Round());
  EXPECT_THAT(cluster_.Paths().back(), HasSubstr("&resourceVersion=12&"));
}

TEST_F(Follow, AsksAsTheProtocolHasIt) {
  cluster_.script = {Lists("a", "1 0"), Watches("")};
  Round();
  const std::string selected = std::string(kPools) + "?fieldSelector=metadata.name%3Dworker";
  EXPECT_THAT(
      cluster_.Paths(),
      ElementsAre(selected, selected + "&watch=true&allowWatchBookmarks=true&resourceVersion=1%200&timeoutSeconds=60"));
  EXPECT_EQ(cluster_.asked[1].bearer_token->Reveal(), kToken);
  EXPECT_EQ(cluster_.asked[1].answer_seconds, 70) << "the server ends it before";
  EXPECT_GT(cluster_.asked[1].total_seconds, cluster_.asked[1].answer_seconds);
}

TEST_F(Follow, NoChangeTakesTheInterval) {
  cluster_.script = {Lists("a"), Watches(Line("MODIFIED", Pool("a", "11")), 30),
                     Watches(Line("BOOKMARK", R"({"metadata":{"resourceVersion":"20"}})"), 30)};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_EQ(Passed(), 60);
  EXPECT_THAT(cluster_.Paths()[2], AllOf(HasSubstr("resourceVersion=11&"), HasSubstr("timeoutSeconds=30")));
  cluster_.script = {Watches("")};
  Round();
  EXPECT_THAT(cluster_.Paths()[3], HasSubstr("resourceVersion=20&")) << "from the bookmark";
  EXPECT_THAT(cluster_.waits, IsEmpty()) << "a watch that ran its time is no trouble";
}

TEST_F(Follow, KnowsWhetherSomethingElseCouldBeRead) {
  EXPECT_FALSE(follower_.IsCurrent());
  cluster_.script = {Lists("a"), Watches(Line("MODIFIED", Pool("a", "11")))};
  EXPECT_TRUE(Round());
  EXPECT_TRUE(follower_.IsCurrent());
  follower_.Follow(Request());
  EXPECT_TRUE(follower_.IsCurrent()) << "until the next wait ends";
  cluster_.script = {Watches(Line("MODIFIED", Pool("b", "12")))};
  EXPECT_TRUE(follower_.Wait(kMinute));
  EXPECT_FALSE(follower_.IsCurrent()) << "it changed";
  cluster_.script = {Watches("")};
  EXPECT_TRUE(Round());
  EXPECT_TRUE(follower_.IsCurrent());
  cluster_.script = {FakeCluster::Says(403), FakeCluster::Says(403)};
  EXPECT_TRUE(Round());
  EXPECT_FALSE(follower_.IsCurrent()) << "nobody watched";
  cluster_.script = {Watches("")};
  EXPECT_TRUE(Round());
  follower_.Follow(Request("kube:///other"));
  EXPECT_FALSE(follower_.IsCurrent()) << "another source";
}

TEST_F(Follow, ALongIntervalIsManyWatches) {
  cluster_.script = {Lists("a"), Watches("", 290), Watches("", 290), Watches("", 20)};
  EXPECT_TRUE(Round(600'000));
  ExpectAllUsed();
  EXPECT_THAT(cluster_.Paths()[3], HasSubstr("timeoutSeconds=20"));
}

TEST_F(Follow, GoneLeadsToANewList) {
  const std::string gone = Line("ERROR", R"({"code":410,"reason":"Expired"})");
  cluster_.script = {Lists("a"), Watches(gone), Lists("a", "30"), Watches(Line("MODIFIED", Pool("b", "31")))};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 2);
  EXPECT_THAT(cluster_.Paths()[3], HasSubstr("resourceVersion=30&"));
  // As a status; and what changed meanwhile is in the list.
  cluster_.script = {FakeCluster::Says(410), Lists("c", "40")};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 4);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, ListsThatNeverHelpAreNoBusyLoop) {
  for (int i = 0; i < 50; ++i) {
    cluster_.script.push_back(Lists("a"));
    cluster_.script.push_back(FakeCluster::Says(410));
  }
  EXPECT_TRUE(Round());
  EXPECT_LE(cluster_.asked.size(), 20U);
  EXPECT_EQ(Passed(), 60);
}

TEST_F(Follow, WatchesThatEndAtOnceAreNoBusyLoop) {
  for (const std::string& bytes : {std::string(), Line("BOOKMARK", R"({"metadata":{"resourceVersion":"20"}})"),
                                   std::string("\n"), Line("MODIFIED", Pool("a", "11"))}) {
    KubeFollower fresh(cluster_.Ports(), [this](const Error& e) { Told(e); }, Nowhere(), [] { return 0U; });
    cluster_.asked.clear();
    cluster_.script = {Lists("a")};
    for (int i = 0; i < 5000; ++i) cluster_.script.push_back(Watches(bytes, 0));
    const std::int64_t begin = cluster_.now;
    fresh.Follow(Request());
    EXPECT_TRUE(fresh.Wait(kMinute));
    EXPECT_LE(cluster_.asked.size(), 10U) << bytes;
    EXPECT_GE(cluster_.now - begin, 60);
  }
}

// The ConfigMaps beside it are not watched.
TEST_F(Follow, AProxyIsReadOnceAMinute) {
  cluster_.script = {FakeCluster::Says(200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"), Watches("")};
  follower_.Follow(Request("kube:///proxy"));
  EXPECT_TRUE(follower_.Wait(86'400'000));
  ExpectAllUsed();
  EXPECT_EQ(Passed(), 60);
}

// A ConfigMap is watched itself, in its namespace.
TEST_F(Follow, AChangeOfAConfigMapEndsTheWait) {
  const auto map = [](std::string_view data, std::string_view version) {
    return fmt::format(R"({{"metadata":{{"name":"c","resourceVersion":"{}"}},"data":{{"ca-bundle.crt":"{}"}}}})",
                       version, data);
  };
  cluster_.script = {FakeCluster::Says(200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + map("a", "4") + "]}"),
                     Watches(Line("MODIFIED", map("a", "6")) + Line("MODIFIED", map("b", "7")))};
  follower_.Follow(Request("kube:///configmap/trust/c:ca-bundle.crt"));
  EXPECT_TRUE(follower_.Wait(86'400'000));
  ExpectAllUsed();
  EXPECT_LE(Passed(), 2);
  EXPECT_THAT(cluster_.Paths().front(), "/api/v1/namespaces/trust/configmaps?fieldSelector=metadata.name%3Dc");
}

// Of the versions of a ClusterTrustBundle the newest that the server has is watched.
TEST_F(Follow, ABundleIsWatchedInTheVersionThatIsServed) {
  cluster_.script = {FakeCluster::Says(404),
                     FakeCluster::Says(200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"),
                     Watches(Line("ADDED", R"({"metadata":{"name":"c:d","resourceVersion":"6"},"spec":{}})"))};
  follower_.Follow(Request("kube:///clustertrustbundle/c:d"));
  EXPECT_TRUE(follower_.Wait(86'400'000));
  ExpectAllUsed();
  EXPECT_LE(Passed(), 2);
  EXPECT_THAT(cluster_.Paths()[0],
              StartsWith("/apis/certificates.k8s.io/v1/clustertrustbundles?fieldSelector=metadata.name%3Dc%3Ad"));
  EXPECT_THAT(cluster_.Paths()[2], StartsWith("/apis/certificates.k8s.io/v1beta1/clustertrustbundles?"));
  cluster_.script = {Watches("")};
  follower_.Follow(Request("kube:///clustertrustbundle/c:d"));
  EXPECT_TRUE(follower_.Wait(kMinute));
  ExpectAllUsed();
  EXPECT_THAT(cluster_.Paths()[3], StartsWith("/apis/certificates.k8s.io/v1beta1/clustertrustbundles?"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, ALostConnectionIsMadeAgainMoreAndMoreSlowly) {
  cluster_.script = {Lists("a"), FakeCluster::Fails(Code::kNetwork), FakeCluster::Says(503),
                     FakeCluster::Fails(Code::kNetwork), Watches(Line("MODIFIED", Pool("b", "11")))};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_THAT(cluster_.waits, ElementsAre(500, 1000, 2000, 500));
  EXPECT_THAT(told_, SizeIs(2)) << "the first is worth no word";
  EXPECT_THAT(cluster_.Paths()[4], HasSubstr("resourceVersion=10&")) << "nothing is lost";
}

TEST_F(Follow, ALineThatIsCutIsReadWholeFromTheNextWatch) {
  const std::string line = Line("MODIFIED", Pool("b", "11"));
  cluster_.script = {Lists("a"),
                     [&](const net::FetchRequest& request) -> Result<net::FetchAnswer> {
                       EXPECT_TRUE(request.sink(line.substr(0, 40)));
                       return Fail(Code::kNetwork, "cut", "test");
                     },
                     Watches(line)};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 3);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, ASilentConnectionIsGivenUp) {
  cluster_.script = {Lists("a"), [&](const net::FetchRequest& request) -> Result<net::FetchAnswer> {
                       cluster_.now += request.answer_seconds;
                       return Fail(Code::kNetwork, "silence", "test");
                     }};
  EXPECT_TRUE(Round());
  EXPECT_LE(Passed(), 71);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, TheServersWishToWaitIsRespected) {
  cluster_.script = {Lists("a"),
                     [](const net::FetchRequest&) {
                       net::FetchAnswer out = FakeCluster::Answer(429);
                       out.headers.emplace_back("retry-after", "9");
                       return out;
                     },
                     Watches("", 51)};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_THAT(cluster_.waits, ElementsAre(9000));
  EXPECT_EQ(Passed(), 60);
}

TEST_F(Follow, WithoutTheRightToWatchTheIntervalIsWaited) {
  for (const int status : {401, 403, 404, 405}) {
    told_.clear();
    cluster_.waits.clear();
    cluster_.script = {Lists("a"), FakeCluster::Says(status), FakeCluster::Says(status)};
    KubeFollower fresh(cluster_.Ports(), [this](const Error& e) { Told(e); }, Nowhere(), [] { return 0U; });
    fresh.Follow(Request());
    EXPECT_TRUE(fresh.Wait(kMinute));
    ExpectAllUsed();
    EXPECT_THAT(cluster_.waits, ElementsAre(KubeFollower::kFirstPauseMs / 2, kMinute - 1000));
    EXPECT_THAT(told_, SizeIs(1));
    EXPECT_EQ(status == 403, told_[0].find(R"(verbs ["watch"])") != std::string::npos);
  }
  cluster_.script = {FakeCluster::Says(403), FakeCluster::Says(403)};
  EXPECT_TRUE(Round());
  EXPECT_THAT(told_.back(), HasSubstr(R"(verbs ["list"])"));
}

TEST_F(Follow, AServerThatHasJustStartedMayRefuseOnce) {
  cluster_.script = {Lists("a"),
                     FakeCluster::Fails(Code::kNetwork),
                     FakeCluster::Says(403),
                     Watches("", 20),
                     FakeCluster::Says(401),
                     Watches(Line("MODIFIED", Pool("b", "11")))};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 25) << "the watch is not given up for the rest of the interval";
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, AServerThatComesBackIsAskedAtOnce) {
  cluster_.script = {FakeCluster::Fails(Code::kNetwork), FakeCluster::Fails(Code::kNetwork), FakeCluster::Says(503),
                     Lists("a")};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 5) << "the source could not be read in this round";
}

TEST_F(Follow, AnObjectThatGoesIsAChange) {
  cluster_.script = {Lists("a"), Watches(Line("DELETED", Pool("a", "11")))};
  EXPECT_TRUE(Round());
  EXPECT_LE(Passed(), 2);
}

TEST_F(Follow, WhatIsNoEventIsListedAnew) {
  cluster_.script = {Lists("a"), Watches("<html>\n"), Lists("b")};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
  EXPECT_LE(Passed(), 3);
}

TEST_F(Follow, AStopEndsASilentWatch) {
  cluster_.script = {Lists("a"), [&](const net::FetchRequest& request) {
                       EXPECT_FALSE(request.should_stop());
                       cluster_.stop = true;
                       EXPECT_TRUE(request.should_stop());
                       return FakeCluster::Answer(200);
                     }};
  EXPECT_FALSE(Round());
  ExpectAllUsed();
  EXPECT_FALSE(follower_.Wait(kMinute));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(Follow, AClockThatIsPutBackDoesNotStretchTheWait) {
  cluster_.script = {Lists("a"), [&](const net::FetchRequest&) {
                       cluster_.now -= 86'400;
                       return FakeCluster::Answer(200);
                     }};
  EXPECT_TRUE(Round());
  EXPECT_THAT(cluster_.asked, SizeIs(2));
}

TEST_F(Follow, ATokenIsReadAgainForEachWatch) {
  WriteConfig("    tokenFile: token\n");
  Write("token", "one");
  cluster_.script = {Lists("a"),
                     [&](const net::FetchRequest& request) {
                       EXPECT_EQ(request.bearer_token->Reveal(), "one");
                       Write("token", "two");
                       cluster_.now += 30;
                       return FakeCluster::Answer(200);
                     },
                     [&](const net::FetchRequest& request) {
                       EXPECT_EQ(request.bearer_token->Reveal(), "two");
                       cluster_.now += 30;
                       return FakeCluster::Answer(200);
                     }};
  EXPECT_TRUE(Round());
  ExpectAllUsed();
}

TEST_F(Follow, AnotherSourceIsFollowedFromItsBeginning) {
  cluster_.script = {Lists("a"), Watches("")};
  Round();
  cluster_.script = {FakeCluster::Says(200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"), Watches("")};
  follower_.Follow(Request("kube:///controllerconfig"));
  EXPECT_TRUE(follower_.Wait(kMinute));
  ExpectAllUsed();
  EXPECT_THAT(cluster_.Paths()[2], StartsWith("/apis/machineconfiguration.openshift.io/v1/controllerconfigs?"));
}

TEST_F(Follow, WhatCannotBeWatchedWaitsAsEver) {
  for (const char* source :
       {"C:\\egress\\worker.json", "https://a.test/x", "kube:///machineconfig/rendered-worker-1", "kube:///No"}) {
    follower_.Follow(Request(source));
    EXPECT_TRUE(follower_.Wait(kMinute));
  }
  Write("config", "{");
  follower_.Follow(Request());
  EXPECT_TRUE(follower_.Wait(kMinute));
  EXPECT_THAT(cluster_.waits, AllOf(SizeIs(5), Each(kMinute)));
  EXPECT_THAT(cluster_.asked, IsEmpty());
}

}  // namespace
}  // namespace prov::source
