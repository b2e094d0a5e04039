#include "provisioner/controller/machine_sets.h"

#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Set(const std::string& name, const std::string& system, const std::string& secret) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"template":{{"metadata":{{"labels":{{"machine.openshift.io/os-id":"{}"}}}},)"
      R"("spec":{{"providerSpec":{{"value":{{{}}}}}}}}}}}}})",
      name, system, secret.empty() ? "" : fmt::format(R"("userDataSecret":{{"name":"{}"}})", secret));
}

class MachineSets : public source::KubeTest {
 protected:
  Result<std::vector<MachineSetFault>> Review(const std::string& items) {
    cluster_.objects["/apis/machine.openshift.io/v1beta1/namespaces/machines/machinesets?limit=100"] =
        R"({"metadata":{},"items":[)" + items + "]}";
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    source::KubeClient client(*access, cluster_.Ports(), [] { return 0U; });
    return ReviewMachineSets(client, source::SecretObject("machines", "ours"));
  }
};

TEST_F(MachineSets, ThoseForWindowsWithAnotherSecretAreNamed) {
  const auto faults = Review(Set("good", "Windows", "ours") + "," + Set("old", "windows", "windows-user-data") + "," +
                             Set("none", "Windows", "") + "," + Set("linux", "Linux", "worker-user-data") + "," +
                             R"({"metadata":{"name":"bare"}})");
  ASSERT_TRUE(faults) << faults.error().message;
  ASSERT_THAT(*faults, SizeIs(2));
  EXPECT_EQ((*faults)[0].machine_set, "old");
  EXPECT_THAT((*faults)[0].message, HasSubstr("names the Secret windows-user-data"));
  EXPECT_THAT((*faults)[0].message, HasSubstr("userDataSecret.name to ours"));
  EXPECT_THAT((*faults)[1].message, HasSubstr("names no Secret"));
}

TEST_F(MachineSets, ARightThatIsMissingIsNamed) {
  cluster_.script.push_back(source::FakeCluster::Says(403, R"({"kind":"Status","code":403})"));
  const auto refused = Review("");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("resources [\"machinesets\"]"));
}

}  // namespace
}  // namespace prov::controller
