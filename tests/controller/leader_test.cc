#include "provisioner/controller/leader.h"

#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

constexpr char kLease[] = "/apis/coordination.k8s.io/v1/namespaces/machines/leases/one";

class Leaders : public source::KubeTest {
 protected:
  Leaders() { api_.Put(kLease, R"({"metadata":{"name":"one"},"spec":{}})"); }
  bool Hold(Leader& leader) {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    source::KubeClient client(*access, api_.Ports(), [] { return 0U; });
    const auto held = leader.Hold(client);
    EXPECT_TRUE(held) << held.error().message;
    return held.value_or(false);
  }
  void Release(Leader& leader) {
    EXPECT_TRUE(leader.Release(*source::KubeAccess::Open(Request(), "", source::Nowhere()), api_));
  }

  VersionedCluster api_;
  Leader a_{source::LeaseObject("machines", "one"), "a", api_};
  Leader b_{source::LeaseObject("machines", "one"), "b", api_};
};

TEST_F(Leaders, OneHoldsItUntilItStopsRenewing) {
  EXPECT_TRUE(Hold(a_));
  for (int i = 0; i < 10; ++i) {
    api_.now += Leader::kRenewSeconds;
    EXPECT_TRUE(Hold(a_));
    EXPECT_FALSE(Hold(b_));
  }
  api_.now += Leader::kLeaseSeconds - 1;
  EXPECT_FALSE(Hold(b_)) << "it changed a moment before b looked";
  api_.now += 1;
  EXPECT_TRUE(Hold(b_));
  EXPECT_FALSE(Hold(a_));
  EXPECT_STREQ(api_.At(kLease)["spec"]["holderIdentity"].GetString(), "b");
  EXPECT_EQ(api_.At(kLease)["spec"]["leaseTransitions"].GetInt(), 2);
}

// The clock of the holder may be hours away.
TEST_F(Leaders, TheHoldersTimesAreNotCompared) {
  api_.Put(kLease, R"({"metadata":{"name":"one"},"spec":{"holderIdentity":"x","leaseDurationSeconds":15,)"
                   R"("renewTime":"2020-01-01T00:00:00.000000Z"}})");
  EXPECT_FALSE(Hold(a_)) << "seen just now";
  api_.now += Leader::kLeaseSeconds;
  EXPECT_TRUE(Hold(a_));
}

TEST_F(Leaders, WhoGivesItBackLetsAnotherInAtOnce) {
  EXPECT_TRUE(Hold(a_));
  EXPECT_FALSE(Hold(b_));
  Release(b_);
  EXPECT_FALSE(Hold(b_)) << "it was not b's";
  Release(a_);
  EXPECT_TRUE(Hold(b_));
}

// A controller gives it back when it was asked to stop, which ends every other request.
TEST_F(Leaders, ItIsGivenBackAtTheEnd) {
  EXPECT_TRUE(Hold(a_));
  api_.stop = true;
  const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
  source::KubeClient stopped(*access, api_.Ports(), [] { return 0U; });
  EXPECT_FALSE(stopped.Get(source::LeaseObject("machines", "one"))) << "the clock of this test stops requests";
  Release(a_);
  EXPECT_STREQ(api_.At(kLease)["spec"]["holderIdentity"].GetString(), "");
  api_.stop = false;
  EXPECT_TRUE(Hold(b_));
}

TEST_F(Leaders, AtTheEndAServerThatIsAwayIsAskedOnce) {
  EXPECT_TRUE(Hold(a_));
  int asked = 0;
  api_.refuse = [&](const std::string&, const std::string&) { return ++asked > 0 ? 503 : 0; };
  EXPECT_FALSE(a_.Release(*source::KubeAccess::Open(Request(), "", source::Nowhere()), api_));
  EXPECT_EQ(asked, 1);
}

TEST_F(Leaders, ALeaseThatIsMissingNamesWhatMakesIt) {
  api_.objects.clear();
  const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
  source::KubeClient client(*access, api_.Ports(), [] { return 0U; });
  const auto held = a_.Hold(client);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, Code::kNotFound);
  EXPECT_THAT(held.error().message, ::testing::HasSubstr("provisioner deploy --print"));
}

TEST_F(Leaders, AWriteBetweenReadAndWriteIsAnothers) {
  api_.before_write = [&](const std::string&) {
    api_.before_write = {};
    EXPECT_TRUE(Hold(b_));
  };
  EXPECT_FALSE(Hold(a_));
}

}  // namespace
}  // namespace prov::controller
