#include "provisioner/source/kube_discovery.h"

#include "tests/source/kube_helpers.h"

namespace prov::source {
namespace {

constexpr const char* kPath = "/apis/admissionregistration.k8s.io/v1";

class Discovery : public KubeTest {
 protected:
  Result<bool> Knows(std::string_view resource) {
    const auto access = KubeAccess::Open(Request(), "", Nowhere()).value();
    KubeClient client(access, cluster_.Ports(), [] { return 0U; });
    return Serves(client, kAdmissionGroup, resource);
  }
};

TEST_F(Discovery, AServerListsWhatItServes) {
  cluster_.objects[kPath] = R"({"kind":"APIResourceList","resources":[{"name":"validatingadmissionpolicies"},)"
                            R"({"name":"validatingadmissionpolicies/status"}]})";
  EXPECT_EQ(Knows(kValidatingPolicies), true);
  EXPECT_EQ(Knows(kMutatingPolicies), false);
  EXPECT_EQ(cluster_.Paths(), (std::vector<std::string>{kPath, kPath}));
}

TEST_F(Discovery, AGroupThatIsNotThereIsNoFailure) { EXPECT_EQ(Knows(kMutatingPolicies), false); }

TEST_F(Discovery, AnAnswerOfSomethingElseIsOne) {
  cluster_.objects[kPath] = "{}";
  EXPECT_FALSE(Knows(kMutatingPolicies));
  cluster_.objects.clear();
  cluster_.script.push_back(FakeCluster::Says(401));
  EXPECT_FALSE(Knows(kMutatingPolicies));
}

}  // namespace
}  // namespace prov::source
