#include "provisioner/fleet/nodes.h"

#include "provisioner/base/json_writer.h"
#include "provisioner/fleet/reboot_nodes.h"
#include "tests/source/kube_helpers.h"

namespace prov::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view kFirst = "/api/v1/nodes?labelSelector=kubernetes.io%2Fos%3Dwindows&limit=500";

std::string ListedNode(std::string_view name, const std::optional<std::string>& state = {}) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("name", name).Key("annotations").BeginObject();
  json.Member("other", "x");
  if (state) json.Member(kStateAnnotation, *state);
  return json.EndObject().EndObject().EndObject().Text();
}

std::string List(const std::string& items, std::string_view rest = "") {
  return R"({"kind":"PartialObjectMetadataList","metadata":{"continue":")" + std::string(rest) + R"("},"items":[)" +
         items + "]}";
}

class Nodes : public source::KubeTest {
 protected:
  Result<std::vector<FleetNode>> Read() {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere()).value();
    source::KubeClient client(access, cluster_.Ports(), [] { return 0U; });
    return ReadNodes(client);
  }
};

TEST_F(Nodes, TellWhatTheyTell) {
  NodeState state;
  state.digest = "d";
  cluster_.objects[std::string(kFirst)] = List(ListedNode("win-2") + "," + ListedNode("win-1", StateText(state)));
  const auto nodes = Read();
  ASSERT_TRUE(nodes) << nodes.error().message;
  ASSERT_THAT(*nodes, SizeIs(2));
  EXPECT_EQ(nodes->front().name, "win-1") << "in the order of their names";
  EXPECT_EQ(nodes->front().state, state);
  EXPECT_EQ(nodes->back().state, std::nullopt);
  EXPECT_FALSE(nodes->back().damage);
}

TEST_F(Nodes, TellHowFarTheirRebootIs) {
  NodeState state;
  state.drain = node::DrainWish{"b1", true};
  const auto listed = [&](std::string_view name, std::string_view more) {
    JsonWriter json;
    json.BeginObject().Key("metadata").BeginObject().Member("name", name).Key("annotations").BeginObject();
    if (!more.empty()) json.Member(kRebootTurnAnnotation, more);
    if (name == "d") json.Member("egress-provisioner/reboot-approved", "b1");
    return json.Member(kStateAnnotation, StateText(state)).EndObject().EndObject().EndObject().Text();
  };
  const std::string turn = R"({"schema":1,"boot":"b1","cordoned":true})";
  cluster_.objects[std::string(kFirst)] =
      List(listed("a", "") + "," + listed("b", turn) + "," + listed("c", "yes") + "," + listed("d", turn));
  const auto nodes = Read();
  ASSERT_TRUE(nodes) << nodes.error().message;
  std::vector<RebootStage> stages;
  for (const FleetNode& one : *nodes) stages.push_back(one.stage);
  EXPECT_THAT(stages, ElementsAre(RebootStage::kWaits, RebootStage::kDraining, RebootStage::kUnknown,
                                  RebootStage::kRestarting));
}

TEST_F(Nodes, ADamagedAnnotationIsThatNodesMatter) {
  cluster_.objects[std::string(kFirst)] = List(ListedNode("win-1", "yes") + "," + ListedNode("win-2"));
  const auto nodes = Read();
  ASSERT_TRUE(nodes);
  ASSERT_TRUE(nodes->front().damage);
  EXPECT_EQ(nodes->front().damage->code, Code::kJson);
  EXPECT_THAT(nodes->front().damage->where, HasSubstr("node win-1, annotation egress-provisioner/state"));
  EXPECT_FALSE(nodes->back().damage);
}

TEST_F(Nodes, KeptSecretsAreOfAllNamespaces) {
  NodeState state;
  state.digest = "d";
  cluster_.objects["/api/v1/secrets?labelSelector=egress-provisioner%2Fkeeps%3Duser-data&limit=500"] =
      List(R"({"metadata":{"name":"a","namespace":"z"}},{"metadata":{"name":"b","namespace":"m","annotations":)"
           R"({"egress-provisioner/state":"no"}}})");
  const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere()).value();
  source::KubeClient client(access, cluster_.Ports(), [] { return 0U; });
  const auto secrets = ListKeptSecrets(client);
  ASSERT_TRUE(secrets) << secrets.error().message;
  ASSERT_THAT(*secrets, SizeIs(2));
  EXPECT_EQ(secrets->front().name_space, "m");
  ASSERT_TRUE(secrets->front().damage);
  EXPECT_THAT(secrets->front().damage->where, HasSubstr("Secret b, annotation egress-provisioner/state"));
  EXPECT_EQ(secrets->back().name, "a");
  ASSERT_EQ(cluster_.asked.size(), 1U);
}

TEST_F(Nodes, AreReadInPages) {
  cluster_.objects[std::string(kFirst)] = List(ListedNode("a"), "to/ken=");
  cluster_.objects[std::string(kFirst) + "&continue=to%2Fken%3D"] = List(ListedNode("b"));
  const auto nodes = Read();
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_THAT(*nodes, SizeIs(2));
  EXPECT_THAT(cluster_.asked, SizeIs(2));
}

TEST_F(Nodes, AListWithoutAnEndEnds) {
  for (int i = 0; i < 2000; ++i) cluster_.script.push_back(source::FakeCluster::Says(200, List("", "again")));
  const auto nodes = Read();
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().code, Code::kTooLarge);
}

TEST_F(Nodes, NoNodesAreNone) {
  cluster_.objects[std::string(kFirst)] = R"({"kind":"NodeList","items":null})";
  EXPECT_THAT(Read().value(), SizeIs(0));
  cluster_.objects[std::string(kFirst)] = R"({"kind":"Status"})";
  EXPECT_EQ(Read().error().code, Code::kType) << "what answers is no API server";
}

}  // namespace
}  // namespace prov::fleet
