// Lists and patches; what Get() does is tested with the sources that use it (kube_source_test.cc).
#include "provisioner/source/kube_client.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <set>
#include <thread>

#include "tests/source/kube_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

class Client : public KubeTest {
 protected:
  KubeAccess access_ = KubeAccess::Open(Request(), "", Nowhere()).value();
  KubeClient client_{access_, cluster_.Ports(), [] { return 0U; }};
};

TEST_F(Client, ListsAreOfMetadataUnlessWholeObjectsAreAskedFor) {
  cluster_.objects["/api/v1/nodes?limit=500"] = "{}";
  EXPECT_EQ(client_.List(NodeObject(""), "limit=500", KubeDetail::kMetadata).value(), "{}");
  EXPECT_EQ(client_.List(NodeObject(""), "limit=500", KubeDetail::kWhole).value(), "{}");
  ASSERT_THAT(cluster_.asked, SizeIs(2));
  EXPECT_THAT(
      cluster_.asked[0].headers,
      ElementsAre(Pair("Accept", AllOf(HasSubstr("as=PartialObjectMetadataList"), HasSubstr(",application/json")))));
  EXPECT_THAT(cluster_.asked[1].headers, ElementsAre(Pair("Accept", "application/json")));
  EXPECT_EQ(cluster_.asked[0].bearer_token->Reveal(), kToken);
}

TEST_F(Client, APatchIsMerged) {
  cluster_.objects["/api/v1/nodes/win-1"] = "{}";
  ASSERT_TRUE(client_.Patch(NodeObject("win-1"), R"({"metadata":{}})"));
  ASSERT_THAT(cluster_.sent, SizeIs(1));
  EXPECT_EQ(cluster_.sent[0].method, "PATCH");
  EXPECT_EQ(cluster_.sent[0].content_type, "application/merge-patch+json");
  EXPECT_EQ(cluster_.sent[0].body, R"({"metadata":{}})");
  EXPECT_EQ(cluster_.sent[0].to.bearer_token->Reveal(), kToken);
}

TEST_F(Client, WhatIsMadeIsThereAfterwards) {
  cluster_.script = {FakeCluster::Says(503), FakeCluster::Says(409)};
  EXPECT_TRUE(client_.Create(NodeEvents(), "{}")) << "the first try had made it";
  cluster_.script = {FakeCluster::Says(201), FakeCluster::Says(403), FakeCluster::Says(403)};
  EXPECT_TRUE(client_.Create(NodeEvents(), "{}"));
  ASSERT_THAT(cluster_.sent, SizeIs(3));
  EXPECT_EQ(cluster_.sent[2].method, "POST");
  EXPECT_EQ(cluster_.sent[2].content_type, "application/json");
  EXPECT_EQ(FakeCluster::PathOf(cluster_.sent[2].to), "/api/v1/namespaces/default/events");
  const Error refused = ErrorIn(client_.Create(NodeEvents(), "{}"));
  EXPECT_THAT(
      refused.message,
      HasSubstr(R"(a Role bound to it must have the rule apiGroups [""], resources ["events"], verbs ["create"])"));
  cluster_.script = {FakeCluster::Says(409)};
  EXPECT_FALSE(client_.Patch(NodeObject("win-1"), "{}")) << "somebody else's change is no success of ours";
}

// The words are those of the ClusterRole that is missing.
TEST_F(Client, WhatIsForbiddenNamesTheRule) {
  cluster_.script = {FakeCluster::Says(403), FakeCluster::Says(403), FakeCluster::Says(403)};
  const Error listed = ErrorIn(client_.List(NodeObject(""), "limit=500", KubeDetail::kMetadata));
  EXPECT_THAT(listed.message, AllOf(HasSubstr(R"(apiGroups [""], resources ["nodes"], verbs ["list"])"),
                                    Not(HasSubstr("resourceNames"))));
  EXPECT_EQ(listed.where, "/api/v1/nodes");
  const Error patched = ErrorIn(client_.Patch(NodeObject("win-1"), "{}"));
  EXPECT_THAT(patched.message, HasSubstr(R"(resources ["nodes"], resourceNames ["win-1"], verbs ["patch"])"));
  EXPECT_THAT(cluster_.sent, SizeIs(1)) << "a refusal stands";
  ExpectNoSecret(patched);
}

// One that has just started refuses what it allows when it has read who may do what.
TEST_F(Client, TheFirstRefusalOfAServerIsAskedAgain) {
  cluster_.script = {FakeCluster::Says(403)};
  cluster_.objects["/api/v1/nodes/win-1"] = "{}";
  EXPECT_TRUE(client_.Patch(NodeObject("win-1"), "{}"));
  EXPECT_THAT(cluster_.waits, ElementsAre(::testing::Ge(1000)));
  EXPECT_FALSE(client_.was_refused());
  cluster_.script = {FakeCluster::Says(403)};
  EXPECT_FALSE(client_.Get(NodeObject("win-1")));
  EXPECT_TRUE(client_.was_refused());
  EXPECT_THAT(cluster_.waits, SizeIs(1));
}

// Only what is no API is asked whether it is one.
TEST_F(Client, WhatTheServerFindsWrongIsSaid) {
  cluster_.script = {FakeCluster::Says(
      422, R"({"kind":"Status","code":422,"message":"Secret \"a\" is invalid: data: Forbidden: field is immutable"})")};
  auto refused = client_.Patch(SecretObject("s", "a"), "{}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidConfig);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("refuses to patch this object, with status 422 (\"Secret"),
                                             HasSubstr("field is immutable"), Not(HasSubstr("address"))));
  EXPECT_TRUE(client_.was_refused());
  cluster_.script = {FakeCluster::Says(422, "<html>")};
  refused = client_.Patch(SecretObject("s", "a"), "{}");
  EXPECT_EQ(refused.error().code, Code::kNetwork);
  EXPECT_THAT(refused.error().message, HasSubstr("is this the address of a Kubernetes API?"));
  cluster_.script.assign(5, FakeCluster::Says(503));
  EXPECT_FALSE(client_.Patch(SecretObject("s", "a"), "{}"));
  EXPECT_FALSE(client_.was_refused()) << "it may pass";
}

// Who makes an object depends on what it is for, so the reader says that.
TEST_F(Client, AMissingObjectIsNamedByItsNamespace) {
  for (const KubeObject& object : {SecretObject("s", "a"), ConfigMapObject("s", "a"), LeaseObject("s", "a")}) {
    const Error missing = ErrorIn(client_.Get(object));
    EXPECT_EQ(missing.message, fmt::format("\"a\" is not among the {} of the namespace s", object.resource));
  }
}

// Nodes that boot together must not ask together, nor two threads of one.
TEST(KubeRandom, DrawsOtherNumbersInEachThread) {
  const auto draw = [](std::set<std::uint32_t>& into) {
    for (int i = 0; i < 100; ++i) into.insert(KubeRandom());
  };
  std::set<std::uint32_t> mine;
  std::set<std::uint32_t> others;
  draw(mine);
  std::thread(draw, std::ref(others)).join();
  EXPECT_GT(mine.size(), 90U);
  others.merge(mine);
  EXPECT_GT(others.size(), 180U);
}

}  // namespace
}  // namespace prov::source
