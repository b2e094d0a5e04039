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
  Result<std::vector<MachineSetFault>> Review(const std::string& items, KeptHolds holds = KeptHolds::kEarlier,
                                              const std::string& failure = {},
                                              const std::vector<std::string>& others = {}) {
    cluster_.objects["/apis/machine.openshift.io/v1beta1/namespaces/machines/machinesets?limit=100"] =
        R"({"metadata":{},"items":[)" + items + "]}";
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    source::KubeClient client(*access, cluster_.Ports(), [] { return 0U; });
    return ReviewMachineSets(client, {source::SecretObject("machines", "ours"), holds, failure, others});
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

// What is over the platform's size is among these: then the Secret keeps the last user data that was not.
TEST_F(MachineSets, ThoseWithASecretThatIsNotCurrentAreNamed) {
  const std::string sets = Set("good", "Windows", "ours") + "," + Set("linux", "Linux", "ours");
  const auto stale = Review(sets, KeptHolds::kEarlier, "has 17000 bytes, 616 more than aws takes");
  ASSERT_TRUE(stale) << stale.error().message;
  ASSERT_THAT(*stale, SizeIs(1));
  EXPECT_EQ(stale->front().machine_set, "good");
  EXPECT_THAT(stale->front().message, HasSubstr("earlier settings: has 17000 bytes"));
  const auto empty = Review(sets, KeptHolds::kNothing, "the server is away");
  ASSERT_TRUE(empty);
  EXPECT_THAT(empty->front().message, HasSubstr("which is empty, so its new Machines do not become nodes"));
  const auto missing = Review(sets + "," + Set("other", "Windows", "x"), KeptHolds::kMissing, "there is none");
  ASSERT_TRUE(missing);
  ASSERT_THAT(*missing, SizeIs(2));
  EXPECT_THAT(missing->front().message, HasSubstr("which does not exist, so its new Machines can't be made: there is"));
  EXPECT_THAT(missing->back().message, HasSubstr("to ours when that is current"));
  const auto foreign = Review(sets, KeptHolds::kForeign, "lacks the label");
  ASSERT_TRUE(foreign);
  EXPECT_THAT(foreign->front().message, HasSubstr("not this program's"));
}

// Each pool or platform has a Secret of its own, with a controller of its own.
TEST_F(MachineSets, ThoseWithASecretOfAnotherControllerAreRight) {
  const std::string sets = Set("good", "Windows", "ours") + "," + Set("other", "Windows", "vsphere") + "," +
                           Set("old", "Windows", "windows-user-data");
  const auto faults = Review(sets, KeptHolds::kEarlier, "", {"azure", "vsphere"});
  ASSERT_TRUE(faults) << faults.error().message;
  ASSERT_THAT(*faults, SizeIs(1));
  EXPECT_EQ(faults->front().machine_set, "old");
}

TEST_F(MachineSets, ARightThatIsMissingIsNamed) {
  cluster_.script.assign(2, source::FakeCluster::Says(403, R"({"kind":"Status","code":403})"));
  const auto refused = Review("");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("resources [\"machinesets\"]"));
}

}  // namespace
}  // namespace prov::controller
