#include "provisioner/controller/controller.h"

#include "tests/source/kube_helpers.h"

namespace prov::controller {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Controller : public source::KubeTest {
 protected:
  ControllerOrder Order(const std::string& source) {
    ControllerOrder out;
    out.kept.push_back({{.object = source::SecretObject("machines", "ours")}, [](const BakeInput&) -> Result<Baked> {
                          return Fail(Code::kInternal, "there is nothing to bake", "test");
                        }});
    out.source = Request(source);
    out.cluster = out.source;
    return out;
  }
  static auto AsksOnly(const std::string& server) {
    return AllOf(Not(IsEmpty()), Each(Field("url", &net::FetchRequest::url, StartsWith(server))));
  }
};

// Settings of one cluster, with its proxy's password, must not get into another.
TEST_F(Controller, ObjectsAreInTheClusterOfTheSource) {
  ASSERT_TRUE(KeepOnce(Order("kube://a%2Fb:6443%2Fx/worker"), cluster_.Ports()));
  EXPECT_THAT(cluster_.asked, AsksOnly("https://[fd00::1]:6443/k8s/"));
  for (const char* source : {"kube:///worker", "https://h.example.test/w.json"}) {
    cluster_.asked.clear();
    ASSERT_TRUE(KeepOnce(Order(source), cluster_.Ports()));
    EXPECT_THAT(cluster_.asked, AsksOnly("https://api.example.test:6443/"));
  }
  const auto unknown = KeepOnce(Order("kube://nowhere/worker"), cluster_.Ports());
  EXPECT_FALSE(unknown);
}

TEST_F(Controller, WhatCouldNotBeReadIsNotSaidToBeThere) {
  cluster_.script.assign(9, source::FakeCluster::Says(403, R"({"kind":"Status","code":403})"));
  const auto rounds = KeepOnce(Order("kube:///worker"), cluster_.Ports());
  ASSERT_TRUE(rounds);
  ASSERT_TRUE(rounds->front().failure);
  EXPECT_EQ(rounds->front().holds, KeptHolds::kUnknown);
  EXPECT_EQ(MeaningOfFailure(KeptKind::kUserData, KeptHolds::kUnknown), "what it holds is not known");
}

}  // namespace
}  // namespace prov::controller
