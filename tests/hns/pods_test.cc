// Which endpoints are those of pods, by what crictl prints.
#include "provisioner/hns/pods.h"

#include <gmock/gmock.h>

#include "provisioner/hns/crictl.h"
#include "tests/support/memory_network.h"
#include "tests/support/memory_programs.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryNetwork;
using testing_support::MemoryPrograms;

constexpr char kWeb[] = "AAAAAAAA-BBBB-CCCC-DDDD-000000000001";
constexpr char kShop[] = "AAAAAAAA-BBBB-CCCC-DDDD-000000000002";
constexpr char kPs[] = "ps --all --output json --label io.kubernetes.pod.namespace=web";

std::string Inspected(const std::string& id, const std::string& windows) {
  return fmt::format(R"({{"status":{{"id":"{}"}},"info":{{"runtimeSpec":{{"windows":{}}}}}}})", id, windows);
}

std::string InNetwork(const char* guid) { return fmt::format(R"({{"network":{{"networkNamespace":"{}"}}}})", guid); }

std::string Listed(const std::string& id, const std::string& pod, const std::string& name_space,
                   const std::string& state = "CONTAINER_RUNNING") {
  return fmt::format(
      R"({{"id":"{}","podSandboxId":"{}","state":"{}","labels":{{"io.kubernetes.pod.namespace":"{}"}}}})", id, pod,
      state, name_space);
}

class Pods : public testing::Test {
 protected:
  Pods() {
    network_.endpoints = {{"E1", {}}, {"E2", {}}, {"E3", {}}};
    network_.namespaces = {{kWeb, {"E1", "E2"}}, {kShop, {"E3"}}};
    programs_.in_path["crictl"] = R"(C:\k\crictl.exe)";
    List({Listed("c1", "p1", "web"), Listed("c1side", "p1", "web"), Listed("c3", "p3", "shop")});
    Inspect("c1", InNetwork(kWeb));
    Inspect("c3", InNetwork(kShop));
  }
  ~Pods() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  void List(const std::vector<std::string>& containers) {
    programs_.outputs[kPs] = {0, fmt::format(R"({{"containers":[{}]}})", fmt::join(containers, ",")), ""};
  }
  void Inspect(const std::string& id, const std::string& windows) {
    programs_.outputs["inspect --output json " + id] = {0, Inspected(id, windows), ""};
  }

  MemoryNetwork network_;
  MemoryPrograms programs_;
};

TEST_F(Pods, OfANamespaceAreFoundByTheLabelAndEachPodIsAskedOnce) {
  EXPECT_THAT(*EndpointsOfPods(network_, programs_, "web"), ElementsAre("E1", "E2"));
  EXPECT_THAT(programs_.log,
              ElementsAre(R"(C:\k\crictl.exe ps --all --output json --label io.kubernetes.pod.namespace=web)",
                          R"(C:\k\crictl.exe inspect --output json c1)"));
}

// Otherwise a pod would lose its policy each time its container crashes, and begin again without one.
TEST_F(Pods, WhoseContainersStartAgainAreStillThere) {
  List({Listed("crashed", "p1", "web", "CONTAINER_EXITED"), Listed("c3", "p3", "web", "CONTAINER_EXITED")});
  Inspect("crashed", InNetwork(kWeb));
  EXPECT_THAT(*EndpointsOfPods(network_, programs_, "web"), ElementsAre("E1", "E2", "E3"));
  List({Listed("crashed", "p1", "web", "CONTAINER_EXITED"), Listed("c1", "p1", "web")});
  programs_.log.clear();
  EXPECT_THAT(*EndpointsOfPods(network_, programs_, "web"), ElementsAre("E1", "E2"));
  EXPECT_THAT(programs_.log, ElementsAre(HasSubstr(" ps "), HasSubstr("inspect --output json c1"))) << "one that runs";
}

TEST_F(Pods, AreNotAskedForByAProgramThatUsersCanChange) {
  programs_.writable = {R"(C:\k\crictl.exe)"};
  const Error refused = ErrorIn(EndpointsOfPods(network_, programs_, "web"));
  EXPECT_EQ(refused.code, Code::kOwner);
  EXPECT_EQ(refused.where, R"(C:\k\crictl.exe)");
  EXPECT_THAT(programs_.log, IsEmpty()) << "it ran";
}

TEST_F(Pods, AreAllButTheNodesOwnWithoutCrictl) {
  network_.namespace_of_node = kShop;
  EXPECT_THAT(*EndpointsOfPods(network_, programs_, "all"), ElementsAre("E1", "E2"));
  EXPECT_THAT(programs_.log, IsEmpty());
}

TEST_F(Pods, WithoutAnEndpointOfTheirOwnAreLeftOut) {
  List({Listed("c1", "p1", "web"), Listed("hyper", "p4", "web"), Listed("gone", "p5", "web"),
        Listed("ended", "p6", "web")});
  Inspect("hyper", R"({"hyperv":{}})");
  Inspect("ended", InNetwork("AAAAAAAA-BBBB-CCCC-DDDD-00000000DEAD"));
  EXPECT_THAT(*EndpointsOfPods(network_, programs_, "web"), ElementsAre("E1", "E2"));
}

TEST_F(Pods, NoContainersAreNoPods) {
  for (const char* const text : {R"({"containers":[]})", R"({"containers":null})", "{}"}) {
    programs_.outputs[kPs] = {0, text, ""};
    EXPECT_THAT(*EndpointsOfPods(network_, programs_, "web"), IsEmpty()) << text;
  }
}

// Half a list must not be taken for all pods there are: the others would lose their policies.
TEST_F(Pods, AnAnswerThatIsNoneIsAnError) {
  programs_.outputs[kPs] = {0, "[]", ""};
  EXPECT_EQ(EndpointsOfPods(network_, programs_, "web").error().code, Code::kKind);
  programs_.outputs[kPs] = {0, "{", ""};
  EXPECT_EQ(EndpointsOfPods(network_, programs_, "web").error().code, Code::kJson);
  programs_.outputs[kPs] = {1, "", "connection refused\n"};
  const Error refused = ErrorIn(EndpointsOfPods(network_, programs_, "web"));
  EXPECT_EQ(refused.code, Code::kTarget);
  EXPECT_THAT(refused.message, HasSubstr("exit 1: connection refused"));
  List({Listed("c1", "p1", "web"), Listed("c3", "p3", "web")});
  programs_.outputs["inspect --output json c3"] = {2, "", "deadline exceeded"};
  EXPECT_EQ(EndpointsOfPods(network_, programs_, "web").error().code, Code::kTarget);
  programs_.in_path.clear();
  EXPECT_THAT(EndpointsOfPods(network_, programs_, "web").error().message, HasSubstr("crictl is not in"));
}

TEST_F(Pods, AWordThatCrictlCouldTakeForAnOptionIsRefused) {
  for (const char* const word : {"--version", "", "a b", "containerd://", "a;b"}) {
    EXPECT_EQ(InspectContainer(programs_, "crictl", word).error().code, Code::kUsage) << word;
  }
  EXPECT_THAT(programs_.log, IsEmpty());
  EXPECT_TRUE(InspectContainer(programs_, "crictl", "containerd://c1"));
}

}  // namespace
}  // namespace prov::hns
