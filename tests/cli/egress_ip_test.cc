// `egress-ip` as its callers see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::Json;
using testing_support::ProcessResult;

const char* const kObjects =
    "kind: NetNamespace\nmetadata: {name: billing}\nnetid: 42\negressIPs: [10.0.0.100, 10.0.0.101]\n---\n"
    "kind: NetNamespace\nmetadata: {name: web}\nnetid: 43\n---\n"
    "kind: HostSubnet\nmetadata: {name: node-1}\nhostIP: 10.0.0.1\negressIPs: [10.0.0.100]\n---\n"
    "kind: HostSubnet\nmetadata: {name: node-2}\nhostIP: 10.0.0.2\negressIPs: [10.0.0.101]\n---\n"
    "kind: Node\nmetadata: {name: win-1, labels: {kubernetes.io/os: windows}}\n"
    "status: {addresses: [{type: InternalIP, address: 10.0.0.9}]}\n";

class EgressIp : public testing_support::ProgramTest {
 protected:
  static ProcessResult Run(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), "egress-ip");
    return testing_support::Provisioner(std::move(words), input);
  }

  std::string objects_ = Write("objects.yaml", kObjects);
};

TEST_F(EgressIp, JsonOfTheContract) {
  const ProcessResult result = Run({objects_, "--offline", "node-1", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  const auto& namespaces = document["namespaces"];
  ASSERT_EQ(namespaces.Size(), 2U);
  EXPECT_STREQ(namespaces[0]["name"].GetString(), "billing");
  EXPECT_STREQ(namespaces[0]["decision"].GetString(), "egressIP");
  ASSERT_EQ(namespaces[0]["addresses"].Size(), 1U);
  EXPECT_STREQ(namespaces[0]["addresses"][0]["ip"].GetString(), "10.0.0.101");
  EXPECT_STREQ(namespaces[0]["addresses"][0]["node"].GetString(), "node-2");
  EXPECT_THAT(namespaces[0]["reason"].GetString(), HasSubstr("10.0.0.100 is on the offline node node-1"));
  EXPECT_STREQ(namespaces[1]["decision"].GetString(), "nodeIP");
  EXPECT_EQ(namespaces[1]["addresses"].Size(), 0U);
  const auto& nodes = document["nodes"];
  ASSERT_EQ(nodes.Size(), 3U);
  EXPECT_TRUE(nodes[0]["offline"].GetBool());
  EXPECT_STREQ(nodes[2]["name"].GetString(), "win-1");
  EXPECT_TRUE(nodes[2]["windows"].GetBool());
  EXPECT_FALSE(nodes[2]["covered"].GetBool());
  EXPECT_STREQ(document["findings"][0]["code"].GetString(), "egress-ip-windows");
}

TEST_F(EgressIp, TextForPeople) {
  const ProcessResult result = Run({objects_});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out,
            "namespace  leaves by\n"
            "billing    egressIP  10.0.0.100 on node-1, 10.0.0.101 on node-2\n"
            "web        nodeIP    it requests no egress IP, so each pod leaves with the address of its node\n"
            "\n"
            "node    egress IPs\n"
            "node-1  10.0.0.100\n"
            "node-2  10.0.0.101\n"
            "win-1   not covered: leaves with 10.0.0.9\n");
  EXPECT_THAT(result.err, HasSubstr("warning [egress-ip-windows]: the node win-1 runs Windows"));
}

TEST_F(EgressIp, SeveralFilesAreOneCluster) {
  const std::string more = Write("more.yaml", "kind: HostSubnet\nmetadata: {name: node-1}\negressIPs: [10.0.0.7]\n");
  const ProcessResult result = Run({"-", more, "--output", "json"},
                                   "kind: NetNamespace\nmetadata: {name: a}\nnetid: 1\negressIPs: [10.0.0.7]\n");
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  EXPECT_STREQ(document["namespaces"][0]["addresses"][0]["node"].GetString(), "node-1");
}

TEST_F(EgressIp, AnInvalidEntryIsReportedAndExits11) {
  const std::string bad = Write("bad.yaml", "kind: NetNamespace\nmetadata: {name: a}\nnetid: 1\negressIPs: [10.0.0]\n");
  const ProcessResult result = Run({bad, "--output", "json"});
  EXPECT_EQ(result.exit, 11);
  EXPECT_STREQ(Json(result)["namespaces"][0]["decision"].GetString(), "dropped");
  EXPECT_THAT(result.out, HasSubstr("\"egress-ip-address\""));
  EXPECT_THAT(Run({bad}).err, HasSubstr("error [egress-ip-address]: \"10.0.0\" is not an IP address"));
}

TEST_F(EgressIp, TheHurriedUsersWords) {
  const ProcessResult none = Run({});
  EXPECT_EQ(none.exit, 10);
  EXPECT_THAT(none.err, AllOf(HasSubstr("FILE is missing"), HasSubstr("oc get netnamespaces,hostsubnets")));
  const ProcessResult eaten = Run({"--offline", "node-1", objects_});
  EXPECT_EQ(eaten.exit, 10);
  EXPECT_THAT(eaten.err, HasSubstr("in front of --offline"));
  const ProcessResult nobody = Run({objects_, "--offline", "node-7"});
  EXPECT_EQ(nobody.exit, 10);
  EXPECT_THAT(nobody.err, AllOf(HasSubstr("node-7"), HasSubstr("--offline")));
  const ProcessResult twice = Run({"-", "-"}, kObjects);
  EXPECT_EQ(twice.exit, 10);
  EXPECT_THAT(twice.err, HasSubstr("once only"));
  const ProcessResult missing = Run({At("no.yaml")});
  EXPECT_EQ(missing.exit, 11);
  EXPECT_THAT(missing.err, HasSubstr("[not-found]"));
  const ProcessResult other =
      Run({Write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"), "--output", "json"});
  EXPECT_EQ(other.exit, 11);
  EXPECT_THAT(other.out, HasSubstr("\"kind\""));
  EXPECT_THAT(other.err, HasSubstr("NetNamespaces and HostSubnets"));
}

}  // namespace
}  // namespace prov
